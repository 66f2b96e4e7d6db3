/**
 * What invokes functions besides requests: the stream of a table, a queue, schedules. Events come
 * at least once and late; those of one shard in order.
 */
import type { StreamRecord as StreamRecordOfAws } from 'aws-lambda';
import type { SeededRandom } from '../machine/random';
import type { LambdaFunction, Outcome } from './lambda-function';
import type { Simulation } from './simulation';

/** The shards of a stream: partitions of the table share them. */
export const SHARDS = 4;

/** Milliseconds until a record reaches the function; a late one takes seconds. */
const STREAM_LATENCY = [40, 250] as const;
const LATE_MS = [1_000, 20_000] as const;

/** As in lib/functions/fanout.ts. */
const BATCH = 100;

/** What a function reads of a record, without its sequence number. */
export interface StreamRecord {
  readonly eventName: 'INSERT' | 'MODIFY';
  readonly dynamodb: Pick<StreamRecordOfAws, 'Keys' | 'NewImage'>;
}

type Sequenced = StreamRecord & { readonly dynamodb: { readonly SequenceNumber: string } };

/** https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html: one batch a shard at a time. */
export class StreamConsumer<R> {
  private readonly shards = Array.from({ length: SHARDS }, (): Sequenced[] => []);
  private readonly busy = new Set<number>();
  private readonly random: SeededRandom;
  private sequence = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly consumer: LambdaFunction<never, R>,
    /** Whether the function has processed the batch. */
    private readonly isDone: (outcome: Outcome<R>) => boolean,
    name: string,
  ) {
    this.random = simulation.random(`stream ${name}`);
  }

  get isEmpty(): boolean {
    return this.shards.every((records) => records.length === 0);
  }

  /** DynamoDB has a change of an item in a partition of that shard. */
  add(shard: number, { eventName, dynamodb }: StreamRecord): void {
    this.sequence += 1;
    const SequenceNumber = String(this.sequence);
    this.shards[shard]?.push({ eventName, dynamodb: { ...dynamodb, SequenceNumber } });
    this.schedule(shard, this.random.between(...STREAM_LATENCY));
  }

  private schedule(shard: number, delay: number): void {
    if (this.busy.has(shard)) return;
    this.busy.add(shard);
    const late = this.simulation.faults.draw(['event late'], this.random);
    const wait = late ? this.random.between(...LATE_MS) : delay;
    this.simulation.time.after(wait, () => this.deliver(shard));
  }

  private deliver(shard: number): void {
    const records = this.shards[shard] ?? [];
    const batch = records.slice(0, BATCH);
    this.consumer.invoke({ Records: batch } as never, (outcome) => {
      this.busy.delete(shard);
      const isRepeated = this.simulation.faults.draw(['event repeated'], this.random);
      const isDone = this.isDone(outcome) && !isRepeated;
      if (isDone) records.splice(0, batch.length);
      if (records.length > 0) this.schedule(shard, isDone ? 5 : this.random.between(500, 3_000));
    });
  }
}

/** The stream of the table Changes. */
export function changeStream<R>(
  simulation: Simulation,
  consumer: LambdaFunction<never, R>,
  { name, isDone }: { readonly name: string; readonly isDone: (outcome: Outcome<R>) => boolean },
): StreamConsumer<R> {
  const stream = new StreamConsumer(simulation, consumer, isDone, name);
  simulation.onEntry.push((bucket, bucketId, cursor) => {
    const NewImage = { bucket: { S: bucket }, bucket_id: { S: bucketId } };
    stream.add((cursor % 8) % SHARDS, { eventName: 'INSERT', dynamodb: { NewImage } });
  });
  return stream;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html: at least once, in any order. */
export class TaskQueue<R> {
  private readonly random: SeededRandom;
  private messages = 0;
  /** Tasks that no function has performed yet. */
  pending = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly consumer: LambdaFunction<never, R>,
    private readonly isDone: (outcome: Outcome<R>) => boolean,
  ) {
    this.random = simulation.random('queue');
    simulation.onTask = (body, delayMs) => {
      this.pending += 1;
      this.deliver(body, delayMs + this.random.between(20, 300));
    };
  }

  private deliver(body: string, delay: number): void {
    const { faults, time } = this.simulation;
    const late = faults.draw(['event late'], this.random);
    time.after(delay + (late ? this.random.between(...LATE_MS) : 0), () => {
      this.messages += 1;
      const event = { Records: [{ messageId: `m${this.messages}`, body }] };
      this.consumer.invoke(event as never, (outcome) => {
        const isRepeated = faults.draw(['event repeated'], this.random);
        // The message becomes visible again.
        if (isRepeated || !this.isDone(outcome)) this.deliver(body, 60_000);
        else this.pending -= 1;
      });
    });
  }
}
