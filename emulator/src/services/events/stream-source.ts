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
    /** Decimal digits; rises within the stream. Compare it with compareSequences. */
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

/** The id of the only shard of a stream, in the form of AWS's. */
export const SHARD_ID = 'shardId-00000000000000000001-00000001';

/**
 * The streams of the tables, one shard each. Implemented by the DynamoDB service. Records and
 * checkpoints survive kill -9; after it a record may appear twice, but is never missing. The ARN is
 * the `StreamArn` attribute of the table.
 */
export interface StreamSource {
  /**
   * Returns the records after that sequence number, in order, at most `limit`. undefined: from the
   * oldest record on (TRIM_HORIZON).
   */
  read(
    streamArn: string,
    afterSequence: string | undefined,
    limit: number,
  ): Promise<readonly StreamRecord[]>;
  /**
   * Returns the newest sequence number, for a consumer that starts at LATEST. undefined: the stream
   * is empty.
   */
  latest(streamArn: string): Promise<string | undefined>;
  /**
   * Returns the last sequence number that a consumer has completed. A consumer is named by the
   * logical id of its event source mapping.
   */
  checkpoint(streamArn: string, consumer: string): Promise<string | undefined>;
  saveCheckpoint(streamArn: string, consumer: string, sequence: string): Promise<void>;
}

/** Negative, zero or positive, as for Array.sort: sequence numbers are decimal and not padded. */
export function compareSequences(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
