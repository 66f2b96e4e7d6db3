/**
 * What the change channel needs from outside, beside core/ports.ts. Like there, every port has an
 * AWS adapter and an in-memory fake that pass one contract suite.
 */

/** What a subscription follows. */
export interface Subscription {
  readonly bucket: string;
  /** The life of the bucket that is followed. */
  readonly bucketId: string;
  /** Only keys that begin with this; '' = all. */
  readonly prefix: string;
}

/** An open channel, and what it follows. */
export interface Connection {
  /** API Gateway's connection id. */
  readonly id: string;
  /** The API key that opened it. */
  readonly keyId: string;
  /** Of the secret that opened it, see `ofGeneration`. Absent: 0. */
  readonly generation?: number;
  /** Epoch milliseconds. */
  readonly connectedAt: number;
  /** Opened with a ticket: it may follow this and nothing else. */
  readonly scope?: { readonly bucket: string; readonly prefix: string };
  /** By bucket name. */
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
  /** Of the secret that it was minted with. Absent: 0. */
  readonly generation?: number;
  readonly bucket: string;
  readonly prefix: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Whether a message of a client is taken. `wait`: seconds until the next one would be; `refusals`:
 * how many were refused so far.
 */
export type MessageAdmission =
  | { readonly connection: Connection; readonly wait?: undefined }
  | { readonly connection: Connection; readonly wait: number; readonly refusals: number };

/** The rate of messages that one connection may send (GCRA). */
export interface MessageRate {
  /** Milliseconds per message. */
  readonly interval: number;
  /** Messages that may come at once. */
  readonly burst: number;
}

export interface Subscriptions {
  /**
   * Records a connection that follows nothing yet. It vanishes by itself when it must have been
   * cut.
   */
  open(connection: Omit<Connection, 'subscriptions'>): Promise<void>;
  get(connectionId: string): Promise<Connection | undefined>;
  /** The connection, having counted one message of it. undefined: there is no such connection. */
  admitMessage(
    connectionId: string,
    now: number,
    rate: MessageRate,
  ): Promise<MessageAdmission | undefined>;
  /**
   * Makes the connection follow a bucket, instead of what it followed under that name before.
   * Durable and seen by every later `followers` when it resolves. False: the connection is gone, or
   * follows `limit` other buckets.
   */
  subscribe(
    connection: Connection,
    followed: Subscription,
    options: { readonly expiresAt?: number; readonly limit: number },
  ): Promise<boolean>;
  /**
   * Notes another time at which the follower's API key expires, undefined = never. Nothing happens
   * when it does not follow.
   */
  setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void>;
  /** Ends following; nothing happens when it did not follow that life of the bucket. */
  unsubscribe(
    connectionId: string,
    followed: Pick<Subscription, 'bucket' | 'bucketId'>,
  ): Promise<void>;
  /** Forgets a connection and all that it follows. Repeatable. */
  close(connectionId: string): Promise<void>;
  /** Those who follow the bucket. Consistent. */
  subscribers(bucketId: string): Promise<readonly Subscriber[]>;
  /** Forgets a follower whose connection is gone. */
  removeSubscriber(bucketId: string, connectionId: string): Promise<void>;
  /** Ids of the connections that were opened with an API key. Consistent. */
  connectionsOf(keyId: string): Promise<readonly string[]>;
  /** `id` is a hash: the ticket itself is stored nowhere. */
  addTicket(id: string, ticket: Ticket): Promise<void>;
  /** Takes the ticket away. undefined: there is none, or it was used, or has expired at `now`. */
  redeemTicket(id: string, now: number): Promise<Ticket | undefined>;
}

/**
 * `sent`: the gateway has it, which is no proof that the client got it. `gone`: the connection is
 * closed, or not open yet. `busy`: it takes nothing at the moment (its client does not read, or the
 * gateway throttles).
 */
export type PostOutcome = 'sent' | 'gone' | 'busy';

export interface Channels {
  /** At most 128 KiB. */
  post(connectionId: string, message: string): Promise<PostOutcome>;
  /** Does the gateway know the connection as open? */
  isOpen(connectionId: string): Promise<boolean>;
  /** Cuts the connection. Repeatable. */
  disconnect(connectionId: string): Promise<void>;
}

/** A subscription that was asked for in the handshake, when nothing can be posted yet. */
export interface PendingSubscription {
  readonly connectionId: string;
  readonly bucket: string;
  readonly bucketId?: string;
  readonly cursor?: number;
  readonly prefix?: string;
}

export type DeferredTask =
  /**
   * Look at the bucket's feed again: the numbers up to `upTo` were handed out before this was
   * queued.
   */
  | { readonly advance: { readonly bucket: string; readonly id: string; readonly upTo: number } }
  | { readonly begin: PendingSubscription };

export interface DeferredTasks {
  /** Delivered at least once, not before `delaySeconds` (0-900) have passed, in any order. */
  add(followUp: DeferredTask, delaySeconds: number): Promise<void>;
}
