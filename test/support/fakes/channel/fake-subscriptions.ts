import type {
  Connection,
  MessageAdmission,
  MessageRate,
  Subscriber,
  Subscription,
  Subscriptions,
  Ticket,
} from '../../../../core/channel/ports';
import { copy, type FakeState } from '../state';
import type { StoredConnection } from '../stored';

/** The Subscriptions port in memory. */
export class FakeSubscriptions implements Subscriptions {
  constructor(private readonly state: FakeState) {}

  async open(connection: Omit<Connection, 'subscriptions'>): Promise<void> {
    const { id, keyId, generation, restriction, connectedAt, scope } = connection;
    this.state.connections.set(id, {
      connection: copy({ id, keyId, generation, restriction, connectedAt, scope }),
      subscriptions: new Map(),
      arrival: 0,
      refusals: 0,
    });
  }

  async get(connectionId: string): Promise<Connection | undefined> {
    const stored = this.state.connections.get(connectionId);
    return stored && connectionOf(stored);
  }

  async admitMessage(
    connectionId: string,
    now: number,
    { interval, burst }: MessageRate,
  ): Promise<MessageAdmission | undefined> {
    const stored = this.state.connections.get(connectionId);
    if (stored === undefined) return undefined;
    const connection = connectionOf(stored);
    const latest = now + (burst - 1) * interval;
    if (stored.arrival > latest) {
      const refusals = stored.refusals + 1;
      this.state.connections.set(connectionId, { ...stored, refusals });
      return { connection, wait: (stored.arrival - latest) / 1000, refusals };
    }
    const arrival = Math.max(stored.arrival, now) + interval;
    this.state.connections.set(connectionId, { ...stored, arrival });
    return { connection };
  }

  async subscribe(
    { id, connectedAt }: Connection,
    followed: Subscription,
    { expiresAt, limit }: { readonly expiresAt?: number; readonly limit: number },
  ): Promise<boolean> {
    const stored = this.state.connections.get(id);
    if (stored === undefined) return false;
    const before = stored.subscriptions.get(followed.bucket);
    if (before === undefined && stored.subscriptions.size >= limit) return false;
    if (before !== undefined) this.state.followersOf(before.bucketId).delete(id);
    const { bucket, bucketId, prefix } = followed;
    const subscriptions = new Map(stored.subscriptions).set(bucket, copy(followed));
    this.state.connections.set(id, { ...stored, subscriptions });
    const subscriber = copy({ connectionId: id, prefix, connectedAt, expiresAt });
    this.state.followersOf(bucketId).set(id, subscriber);
    return true;
  }

  async setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void> {
    const followers = this.state.followersOf(bucketId);
    const follower = followers.get(connectionId);
    if (follower) followers.set(connectionId, copy({ ...follower, expiresAt }));
  }

  async unsubscribe(
    connectionId: string,
    { bucket, bucketId }: Pick<Subscription, 'bucket' | 'bucketId'>,
  ): Promise<void> {
    const stored = this.state.connections.get(connectionId);
    if (stored?.subscriptions.get(bucket)?.bucketId !== bucketId) return;
    const subscriptions = new Map(stored.subscriptions);
    subscriptions.delete(bucket);
    this.state.connections.set(connectionId, { ...stored, subscriptions });
    this.state.followersOf(bucketId).delete(connectionId);
  }

  async close(
    connectionId: string,
    release?: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const stored = this.state.connections.get(connectionId);
    for (const { bucketId } of stored?.subscriptions.values() ?? []) {
      this.state.followersOf(bucketId).delete(connectionId);
    }
    if (stored) await release?.(connectionOf(stored));
    this.state.connections.delete(connectionId);
  }

  async closeMany(_keyId: string, connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) await this.close(id);
  }

  async subscribers(bucketId: string): Promise<readonly Subscriber[]> {
    return [...this.state.followersOf(bucketId).values()].map(copy);
  }

  async removeSubscriber(bucketId: string, connectionId: string): Promise<void> {
    this.state.followersOf(bucketId).delete(connectionId);
  }

  async connectionsOf(keyId: string): Promise<readonly string[]> {
    const all = [...this.state.connections.values()].map(({ connection }) => connection);
    return all.filter((connection) => connection.keyId === keyId).map(({ id }) => id);
  }

  async addTicket(id: string, ticket: Ticket): Promise<void> {
    this.state.tickets.set(id, copy(ticket));
  }

  async ticket(id: string, now: number): Promise<Ticket | undefined> {
    const ticket = this.state.tickets.get(id);
    return ticket && ticket.expiresAt > now ? copy(ticket) : undefined;
  }

  async redeemTicket(id: string): Promise<boolean> {
    return this.state.tickets.delete(id);
  }
}

function connectionOf({ connection, subscriptions }: StoredConnection): Connection {
  return { ...copy(connection), subscriptions: new Map(subscriptions) };
}
