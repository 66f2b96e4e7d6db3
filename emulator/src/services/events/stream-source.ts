/**
 * A record of a DynamoDB stream exactly as Lambda passes it to a function: values in DynamoDB's
 * JSON (`{"S": "x"}`). https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Readonly<Record<string, unknown>>;
    readonly NewImage?: Readonly<Record<string, unknown>>;
    readonly OldImage?: Readonly<Record<string, unknown>>;
    /** Decimal digits; rises within the shard. Compare it with compareSequences. */
    readonly SequenceNumber: string;
    /** Bytes. */
    readonly SizeBytes: number;
    readonly StreamViewType: string;
  };
  /** Present when DynamoDB itself removed the item (TTL). */
  readonly userIdentity?: {
    readonly type: 'Service';
    readonly principalId: 'dynamodb.amazonaws.com';
  };
}

/** A part of a stream. All records of one item are in one shard, in the order of their writes. */
export interface Shard {
  /** The `StreamArn` attribute of the table. */
  readonly streamArn: string;
  readonly shardId: string;
}

/** The id of a shard in the form of AWS's. `number`: 1, 2 … */
export function shardId(number: number): string {
  return `shardId-${String(number).padStart(20, '0')}-${String(number).padStart(8, '0')}`;
}

/**
 * The streams of the tables. Implemented by the DynamoDB service. Records and checkpoints survive
 * kill -9; after it a record may appear twice, but is never missing.
 */
export interface StreamSource {
  shards(streamArn: string): readonly Shard[];
  /**
   * Returns the records after that sequence number, in order, at most `limit`. undefined: from the
   * oldest record on (TRIM_HORIZON).
   */
  read(
    shard: Shard,
    afterSequence: string | undefined,
    limit: number,
  ): Promise<readonly StreamRecord[]>;
  /**
   * Resolves when the shard has a record after that sequence number, or when the signal is aborted.
   */
  arrival(shard: Shard, afterSequence: string | undefined, signal: AbortSignal): Promise<void>;
  /**
   * Returns the newest sequence number, for a consumer that starts at LATEST. undefined: the shard
   * is empty.
   */
  latest(shard: Shard): Promise<string | undefined>;
  /**
   * Returns the last sequence number that a consumer has completed. A consumer is named by the
   * logical id of its event source mapping.
   */
  checkpoint(shard: Shard, consumer: string): Promise<string | undefined>;
  saveCheckpoint(shard: Shard, consumer: string, sequence: string): Promise<void>;
}

/** Negative, zero or positive, as for Array.sort: sequence numbers are decimal and not padded. */
export function compareSequences(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
