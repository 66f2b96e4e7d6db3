/** What the domain needs from the machine that it runs on: time, unique names, a log, counters. */

/** Milliseconds since the epoch, and a way to wait. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Unique, unguessable names. */
export interface Ids {
  /** 12 characters of base62: identifies one incarnation of a bucket. */
  bucketId(): string;
  /** 26 characters, sorted by time (ULID): identifies a blob, an upload, a transaction. */
  ulid(): string;
}

/** The metrics of the domain: docs/operations.md, "Metrics". */
export type Measure =
  | 'Throttles'
  | 'CommitRetries'
  | 'GapFills'
  | 'PublishLag'
  | 'ConsumerLag'
  | 'PushFailures'
  | 'AbandonedTasks'
  | 'OrphanBytes';

/** Reports metrics to the operator. Never called with a name that a client chose. */
export interface Meter {
  /**
   * Adds to what the present invocation reports. `of`: the dimension of a measure that has one; its
   * few values are known when the stack is synthesized.
   */
  add(measure: Measure, amount: number, of?: string): void;
}

/** One JSON line per event. Never called with a secret or a signed URL. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}
