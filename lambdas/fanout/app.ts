/**
 * Publishes the change logs. A record of the Changes stream only says which bucket changed, so
 * records may come twice, late or out of order. The queue holds deferred tasks.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { parseDeferredTask } from '../../adapters/sqs/deferred-tasks';
import { RateLimiter, type RateLimiterDeps } from '../../core/access/rate-limiter';
import type { DeferredTask } from '../../core/channel/ports';
import { Publisher, type PublisherDeps } from '../../core/channel/publisher';
import { type StopSignal, stopAt } from '../../core/stop-signal';

export type FanoutDeps = Omit<PublisherDeps, 'limiter'> & RateLimiterDeps;

export interface FanoutEvent {
  readonly Records: readonly (DynamoDBRecord | SQSRecord)[];
}

/**
 * Time budget for pushing out of the function's minute, so that many subscribers do not stop the
 * log.
 */
const PUSH_MS = 30_000;

/** The work of one record. */
interface Job {
  /** Of the record that is repeated if the job fails. */
  readonly id: string;
  readonly run: () => Promise<void>;
  /** It concerns a single connection and may take long, so no other job waits for it. */
  readonly isConcurrent?: boolean;
}

/** AWS calls: those of Publisher.publish for each bucket in a batch, or of Publisher.perform. */
export function createFanout(deps: FanoutDeps) {
  const publisher = new Publisher({ ...deps, limiter: new RateLimiter(deps) });
  return async (event: FanoutEvent): Promise<DynamoDBBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    const perform = async ({ id, run }: Job) => {
      try {
        await run();
      } catch (error) {
        deps.log.error('fanout_failed', { id, error });
        batchItemFailures.push({ itemIdentifier: id });
      }
    };
    const signal = stopAt(deps.clock, deps.clock.now() + PUSH_MS);
    const jobs = [...jobsOf(publisher, event.Records, signal)];
    const inOrder = async () => {
      for (const job of jobs) if (!job.isConcurrent) await perform(job);
    };
    const concurrent = jobs.filter(({ isConcurrent }) => isConcurrent).map(perform);
    await Promise.all([inOrder(), ...concurrent]);
    return { batchItemFailures };
  };
}

/** `signal`: aborts when pushing has to end. */
function* jobsOf(
  publisher: Publisher,
  records: FanoutEvent['Records'],
  signal: StopSignal,
): Generator<Job> {
  /** Sequence number of the first record of each bucket. */
  const changed = new Map<string, string>();
  for (const record of records) {
    if ('messageId' in record) {
      yield deferredJob(publisher, record, signal);
      continue;
    }
    const bucket = record.dynamodb?.NewImage?.bucket?.S;
    const sequence = record.dynamodb?.SequenceNumber;
    if (bucket === undefined || sequence === undefined || changed.has(bucket)) continue;
    changed.set(bucket, sequence);
  }
  // The changes of another bucket must not wait for the next push of the first one.
  const paces = changed.size === 1;
  for (const [bucket, id] of changed) {
    yield { id, run: () => publisher.publish(bucket, signal, paces) };
  }
}

function deferredJob(
  publisher: Publisher,
  { messageId: id, body }: SQSRecord,
  signal: StopSignal,
): Job {
  let task: DeferredTask;
  try {
    task = parseDeferredTask(body);
  } catch (error) {
    return { id, run: () => Promise.reject(error) };
  }
  return { id, run: () => publisher.perform(task, signal), isConcurrent: 'begin' in task };
}
