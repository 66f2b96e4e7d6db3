import type {
  Connection,
  MessageAdmission,
  MessageRate,
  SubscribeOptions,
  Subscriber,
  Subscription,
  Subscriptions,
  Ticket,
} from '../../core/channel/ports';
import type { Clock } from '../../core/system';

/** An open channel; `arrival` is GCRA's theoretical arrival time, epoch milliseconds. */
interface Open {
  readonly connection: Omit<Connection, 'subscriptions'>;
  readonly subscriptions: Map<string, Subscription>;
  arrival: number;
  refusals: number;
}

/**
 * The Subscriptions port of one process. Connections end with it, and a client that loses its
 * ticket asks for another one.
 */
export class MemorySubscriptions implements Subscriptions {
  private readonly connections = new Map<string, Open>();
  /** Bucket id -> connection id -> subscriber. */
  private readonly byBucket = new Map<string, Map<string, Subscriber>>();
  private readonly tickets = new Map<string, Ticket>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async open(connection: Omit<Connection, 'subscriptions'>): Promise<void> {
    const opened = { connection, subscriptions: new Map(), arrival: 0, refusals: 0 };
    this.connections.set(connection.id, opened);
  }

  async get(connectionId: string): Promise<Connection | undefined> {
    const open = this.connections.get(connectionId);
    return open && connectionOf(open);
  }

  async admitMessage(
    connectionId: string,
    now: number,
    { interval, burst }: MessageRate,
  ): Promise<MessageAdmission | undefined> {
    const open = this.connections.get(connectionId);
    if (open === undefined) return undefined;
    const connection = connectionOf(open);
    const latest = now + (burst - 1) * interval;
    if (open.arrival > latest) {
      open.refusals += 1;
      return { connection, wait: (open.arrival - latest) / 1000, refusals: open.refusals };
    }
    open.arrival = Math.max(open.arrival, now) + interval;
    return { connection };
  }

  async subscribe(
    { id, connectedAt }: Connection,
    subscription: Subscription,
    { expiresAt, limit }: SubscribeOptions,
  ): Promise<boolean> {
    const open = this.connections.get(id);
    if (open === undefined) return false;
    const { bucket, bucketId, prefix } = subscription;
    const before = open.subscriptions.get(bucket);
    if (before === undefined && open.subscriptions.size >= limit) return false;
    if (before !== undefined) this.drop(before.bucketId, id);
    open.subscriptions.set(bucket, subscription);
    const subscribers = this.byBucket.get(bucketId) ?? new Map<string, Subscriber>();
    this.byBucket.set(bucketId, subscribers);
    subscribers.set(id, { connectionId: id, prefix, connectedAt, ...expiry(expiresAt) });
    return true;
  }

  async setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void> {
    const subscribers = this.byBucket.get(bucketId);
    const subscriber = subscribers?.get(connectionId);
    if (!subscribers || !subscriber) return;
    const { expiresAt: _, ...others } = subscriber;
    subscribers.set(connectionId, { ...others, ...expiry(expiresAt) });
  }

  async unsubscribe(
    connectionId: string,
    { bucket, bucketId }: Pick<Subscription, 'bucket' | 'bucketId'>,
  ): Promise<void> {
    const open = this.connections.get(connectionId);
    if (open?.subscriptions.get(bucket)?.bucketId !== bucketId) return;
    open.subscriptions.delete(bucket);
    this.drop(bucketId, connectionId);
  }

  async close(
    connectionId: string,
    release?: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const open = this.connections.get(connectionId);
    if (open === undefined) return;
    for (const { bucketId } of open.subscriptions.values()) this.drop(bucketId, connectionId);
    await release?.(connectionOf(open));
    this.connections.delete(connectionId);
  }

  async closeMany(_keyId: string, connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) await this.close(id);
  }

  async subscribers(bucketId: string): Promise<readonly Subscriber[]> {
    return [...(this.byBucket.get(bucketId)?.values() ?? [])];
  }

  async removeSubscriber(bucketId: string, connectionId: string): Promise<void> {
    this.drop(bucketId, connectionId);
  }

  async connectionsOf(keyId: string): Promise<readonly string[]> {
    const all = [...this.connections.values()].map(({ connection }) => connection);
    return all.filter((connection) => connection.keyId === keyId).map(({ id }) => id);
  }

  async addTicket(id: string, ticket: Ticket): Promise<void> {
    for (const [other, { expiresAt }] of this.tickets) {
      // In the order of their creation, so about that of their expiry.
      if (expiresAt > this.clock.now()) break;
      this.tickets.delete(other);
    }
    this.tickets.set(id, ticket);
  }

  async ticket(id: string, now: number): Promise<Ticket | undefined> {
    const ticket = this.tickets.get(id);
    return ticket && ticket.expiresAt > now ? ticket : undefined;
  }

  async redeemTicket(id: string): Promise<boolean> {
    return this.tickets.delete(id);
  }

  private drop(bucketId: string, connectionId: string): void {
    const subscribers = this.byBucket.get(bucketId);
    subscribers?.delete(connectionId);
    if (subscribers?.size === 0) this.byBucket.delete(bucketId);
  }
}

function connectionOf({ connection, subscriptions }: Open): Connection {
  return { ...connection, subscriptions: new Map(subscriptions) };
}

function expiry(expiresAt: number | undefined) {
  return expiresAt === undefined ? {} : { expiresAt };
}
