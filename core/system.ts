/** What the domain needs from the machine that it runs on: time, unique names, a log, counters. */

/** Milliseconds since the epoch, and a way to wait. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** Unique, unguessable names. */
export interface Ids {
  /** 12 characters of base62: names one life of a bucket. */
  bucketId(): string;
  /** 26 characters, sorted by time (ULID): names a blob, an upload, a transaction. */
  ulid(): string;
}

/** What is counted while the domain works: docs/operations.md, "Metrics". */
export type Measure =
  | 'Throttles'
  | 'CommitRetries'
  | 'GapFills'
  | 'FeedLag'
  | 'PushFailures'
  | 'OrphanBytes';

/** Tells whoever runs the service how it goes. Never given a name that a client chose. */
export interface Meter {
  /**
   * Adds to what the present invocation reports. `of` says which, where a measure is told apart:
   * one of a few, known when the stack was made.
   */
  add(measure: Measure, amount: number, of?: string): void;
}

/** One JSON line per event. Never given a secret or a signed URL. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}
