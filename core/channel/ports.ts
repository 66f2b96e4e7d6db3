/**
 * What the change channel needs from outside. Each port has an AWS adapter and an in-memory fake
 * that pass one contract suite (`test/contract`).
 */
import type { Restriction } from '../access/ports';

/** The bucket or prefix whose changes a connection receives. */
export interface Subscription {
  readonly bucket: string;
  /** The incarnation of the bucket. */
  readonly bucketId: string;
  /** Only changes of keys that begin with this; '' = all. */
  readonly prefix: string;
  /** The name of the consumer whose cursor the client's pings move. */
  readonly consumer?: string;
}

/** An open channel, and its subscriptions. */
export interface Connection {
  /** API Gateway's connection id. */
  readonly id: string;
  /** The API key that opened it. */
  readonly keyId: string;
  /** The generation of the secret that opened it, see `ofGeneration`. Absent: 0. */
  readonly generation?: number;
  /** Present if a temporary key opened it. */
  readonly restriction?: Restriction;
  /** Epoch milliseconds. */
  readonly connectedAt: number;
  /**
   * Present for a connection opened with a ticket: the only bucket and prefix it may subscribe to.
   */
  readonly scope?: { readonly bucket: string; readonly prefix: string };
  /** The subscriptions by bucket name. */
  readonly subscriptions: ReadonlyMap<string, Subscription>;
}

/** A connection to which the changes of a bucket are pushed. */
export interface Subscriber {
  readonly connectionId: string;
  readonly prefix: string;
  /** Epoch milliseconds. */
  readonly connectedAt: number;
  /** When its API key expires; epoch milliseconds. */
  readonly expiresAt?: number;
}

/** A one-use permission to open a channel without an API key. */
export interface Ticket {
  readonly keyId: string;
  /** The generation of the secret that it was created with. Absent: 0. */
  readonly generation?: number;
  /** Present if a temporary key created it. */
  readonly restriction?: Restriction;
  readonly bucket: string;
  readonly prefix: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Whether a message of a client is accepted. `wait` is the time in seconds until the next one would
 * be accepted, `refusals` the number of messages refused so far.
 */
export type MessageAdmission =
  | { readonly connection: Connection; readonly wait?: undefined }
  | { readonly connection: Connection; readonly wait: number; readonly refusals: number };

/** The rate of messages that one connection may send (GCRA). */
export interface MessageRate {
  /** Milliseconds per message. */
  readonly interval: number;
  /** Messages that are accepted at once. */
  readonly burst: number;
}

export interface SubscribeOptions {
  /** When the API key expires; epoch milliseconds. */
  readonly expiresAt?: number;
  /** Maximum number of subscriptions of one connection. */
  readonly limit: number;
}

export interface Subscriptions {
  /**
   * Stores a connection without subscriptions. It expires by itself when API Gateway must have
   * closed it.
   */
  open(connection: Omit<Connection, 'subscriptions'>): Promise<void>;
  get(connectionId: string): Promise<Connection | undefined>;
  /** Counts a message and returns its connection, or undefined when there is no such connection. */
  admitMessage(
    connectionId: string,
    now: number,
    rate: MessageRate,
  ): Promise<MessageAdmission | undefined>;
  /**
   * Stores the subscription in place of the connection's earlier one to the same bucket name. When
   * it resolves, the subscription is durable, and every later call of `subscribers` returns it.
   * Returns false when the connection is gone, or has `limit` other subscriptions.
   */
  subscribe(
    connection: Connection,
    subscription: Subscription,
    options: SubscribeOptions,
  ): Promise<boolean>;
  /**
   * Stores when the subscriber's API key expires, undefined = never. Does nothing if the connection
   * is not subscribed.
   */
  setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void>;
  /** Ends a subscription; does nothing if there is none to that incarnation of the bucket. */
  unsubscribe(
    connectionId: string,
    subscription: Pick<Subscription, 'bucket' | 'bucketId'>,
  ): Promise<void>;
  /**
   * Removes a connection with its subscriptions. Safe to repeat. Calls `release` once nothing is
   * pushed to the connection any more; if `release` fails, a repetition calls it again.
   */
  close(connectionId: string, release?: (connection: Connection) => Promise<void>): Promise<void>;
  /**
   * Removes connections of a revoked key with their subscriptions, without a `release`. Safe to
   * repeat. A subscription that is stored concurrently may remain: `subscribe` finds the key
   * revoked and removes it.
   */
  closeMany(keyId: string, connectionIds: readonly string[]): Promise<void>;
  /** Returns the connections that are subscribed to the bucket. Consistent. */
  subscribers(bucketId: string): Promise<readonly Subscriber[]>;
  /** Removes a subscriber whose connection is gone. */
  removeSubscriber(bucketId: string, connectionId: string): Promise<void>;
  /** Returns the ids of the connections that were opened with an API key. Consistent. */
  connectionsOf(keyId: string): Promise<readonly string[]>;
  /** Stores a ticket. `id` is a hash; the text of the ticket is not stored. */
  addTicket(id: string, ticket: Ticket): Promise<void>;
  /** Returns the ticket, or undefined when it is unknown, used, or expired at `now`. Consistent. */
  ticket(id: string, now: number): Promise<Ticket | undefined>;
  /** Uses a ticket up. Returns true for one caller only. */
  redeemTicket(id: string): Promise<boolean>;
}

/**
 * `sent`: the gateway accepted the message, which does not prove that the client received it.
 * `gone`: the connection is closed, or not open yet; Pusher then removes the subscriber. `busy`:
 * the connection accepts nothing at the moment, because its client does not read or the gateway
 * throttles.
 */
export type PostOutcome = 'sent' | 'gone' | 'busy';

export interface Channels {
  /** Posts a message of at most 128 KiB. */
  post(connectionId: string, message: string): Promise<PostOutcome>;
  /** Reports whether the gateway knows the connection as open. */
  isOpen(connectionId: string): Promise<boolean>;
  /** Closes the connection. Safe to repeat. */
  disconnect(connectionId: string): Promise<void>;
}

/** A subscription that was requested in the handshake, when nothing can be posted yet. */
export interface PendingSubscription {
  readonly connectionId: string;
  readonly bucket: string;
  readonly bucketId?: string;
  readonly cursor?: number;
  readonly prefix?: string;
  readonly consumer?: string;
}

/**
 * A task to publish the bucket's changes again and to fill gaps up to `upTo`, which was allocated
 * before the task was queued.
 */
export interface Advance {
  readonly bucket: string;
  readonly id: string;
  readonly upTo: number;
  /**
   * The number of earlier tasks for the same `upTo`, each of which queued its successor. Absent: 0.
   */
  readonly looks?: number;
}

export type DeferredTask = { readonly advance: Advance } | { readonly begin: PendingSubscription };

export interface DeferredTasks {
  /** Queues a task, which is performed at least once after `delaySeconds` (0-900), in any order. */
  add(task: DeferredTask, delaySeconds: number): Promise<void>;
}
