import {
  compareSequences,
  type Shard,
  type StreamRecord,
  type StreamSource,
  shardId,
} from '../../src/services/events/stream-source';

export const STREAM = 'arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/S';

/** `ageSeconds`: the age of the change. */
export function record(sequence: number, ageSeconds = 0): StreamRecord {
  return {
    eventID: `event-${sequence}`,
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    eventSourceARN: STREAM,
    dynamodb: {
      ApproximateCreationDateTime: Date.now() / 1000 - ageSeconds,
      Keys: { id: { N: String(sequence) } },
      SequenceNumber: String(sequence),
      SizeBytes: 10,
      StreamViewType: 'KEYS_ONLY',
    },
  };
}

/**
 * A stream whose records the test chooses. The streams of the DynamoDB service are tested with
 * their consumers in emulator/test/runtime.
 */
export class MemoryStream implements StreamSource {
  readonly records: StreamRecord[] = [];
  readonly checkpoints = new Map<string, string>();
  failReads = 0;
  private onRecord: (() => void) | undefined;

  shards(streamArn: string) {
    return [{ streamArn, shardId: shardId(1) }];
  }

  async read(_shard: Shard, after: string | undefined, limit: number) {
    if (this.failReads > 0) {
      this.failReads--;
      throw new Error('the stream is unavailable');
    }
    return this.records
      .filter(
        ({ dynamodb }) =>
          after === undefined || compareSequences(dynamodb.SequenceNumber, after) > 0,
      )
      .slice(0, limit);
  }

  async arrival(_shard: Shard, after: string | undefined, signal: AbortSignal) {
    const latest = this.records.at(-1)?.dynamodb.SequenceNumber ?? '';
    if (compareSequences(latest, after ?? '') > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.onRecord = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.onRecord = undefined;
  }

  get isAwaited(): boolean {
    return this.onRecord !== undefined;
  }

  add(...records: readonly StreamRecord[]): void {
    this.records.push(...records);
    this.onRecord?.();
  }

  async latest() {
    return this.records.at(-1)?.dynamodb.SequenceNumber;
  }

  async checkpoint(_shard: Shard, consumer: string) {
    return this.checkpoints.get(consumer);
  }

  async saveCheckpoint(_shard: Shard, consumer: string, sequence: string) {
    this.checkpoints.set(consumer, sequence);
  }
}
