/**
 * Publishes the change logs. A record of the Changes stream only says which bucket changed: the log
 * is read from its published mark on, pushed to the subscribers and counted, so records may come
 * twice, late or out of order. The queue holds deferred tasks: a bucket whose log has a gap, and
 * subscriptions that were requested in a handshake.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { parseDeferredTask } from '../../adapters/sqs/deferred-tasks';
import { RateLimiter, type RateLimiterDeps } from '../../core/access/rate-limiter';
import type { ChannelDeps } from '../../core/channel/channel';
import { startPendingSubscription } from '../../core/channel/pending-subscription';
import type { Advance, DeferredTask, DeferredTasks } from '../../core/channel/ports';
import { Pusher } from '../../core/channel/push';
import {
  hasUnpublished,
  type PublishDeps,
  type Push,
  publishChanges,
} from '../../core/log/publish';
import { PushLease, type PushLeaseDeps } from '../../core/log/push-lease';
import { GAP_FILL_AFTER_MS } from '../../core/log/reader';
import { type TrimDeps, trimBucket } from '../../core/log/trim';
import { type StopSignal, stopAt } from '../../core/stop-signal';
import type { Ids } from '../../core/system';

export type FanoutDeps = PublishDeps &
  TrimDeps &
  PushLeaseDeps &
  RateLimiterDeps &
  Omit<ChannelDeps, 'limiter'> & {
    readonly deferredTasks: DeferredTasks;
    readonly ids: Pick<Ids, 'ulid'>;
  };

export interface FanoutEvent {
  readonly Records: readonly (DynamoDBRecord | SQSRecord)[];
}

/** Entries trimmed per bucket and batch, so that trimming spreads over the writes. */
const TRIM_ENTRIES = 500;

/**
 * Time budget for pushing out of the function's minute, so that many subscribers do not stop the
 * log.
 */
const PUSH_MS = 30_000;

/**
 * Delay of a task that looks again, whole seconds. When it runs, each cursor that was allocated
 * before the task was queued has its entry or is old enough for a gap fill.
 */
const LOOK_AGAIN_SECONDS = GAP_FILL_AFTER_MS / 1000 + 1;

/**
 * How many tasks in a row look for the same cursor. The last of them runs two minutes after the
 * first, and the janitor publishes every log once a minute. The number is not exact: where an
 * instance does not queue a task because it has just queued another one for the bucket, the count
 * of that one continues.
 */
export const MAX_LOOKS = 40;

/** Buckets whose last queued task an instance remembers. */
const MAX_KNOWN_BUCKETS = 10_000;

/** The work of one record. */
interface Job {
  /** Of the record that is repeated if the job fails. */
  readonly id: string;
  readonly run: () => Promise<void>;
  /** It concerns a single connection and may take long, so no other job waits for it. */
  readonly isConcurrent?: boolean;
}

/**
 * AWS calls per bucket in a batch: those of publishChanges, Pusher.push and trimBucket: 3 GetItem,
 * 12 Query and 1 UpdateItem for up to 500 entries when nothing is trimmed; with subscribers 1
 * GetItem and 1 UpdateItem more, 2 of these from ten subscribers on, and 1 POST per subscriber and
 * message; 1 SendMessage when it stops at a gap or finds another instance pushing. A deferred task
 * that finds everything published: 2 GetItem, and 1 SendMessage while an entry is unpublished.
 */
export function createFanout(deps: FanoutDeps) {
  const fanout = new Fanout({ ...deps, limiter: new RateLimiter(deps) });
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
    const jobs = [...fanout.jobsOf(event.Records, stopAt(deps.clock, deps.clock.now() + PUSH_MS))];
    const inOrder = async () => {
      for (const job of jobs) if (!job.isConcurrent) await perform(job);
    };
    const concurrent = jobs.filter(({ isConcurrent }) => isConcurrent).map(perform);
    await Promise.all([inOrder(), ...concurrent]);
    return { batchItemFailures };
  };
}

class Fanout {
  private readonly pusher: Pusher;
  /** Bucket id -> when this instance last queued a task for it, epoch milliseconds. */
  private readonly taskQueuedAt = new Map<string, number>();
  /**
   * Names the instance in its push leases. It is the same in each invocation, so that a repeated
   * batch does not wait for the lease of the attempt that failed.
   */
  private readonly holder: string;

  constructor(private readonly deps: FanoutDeps & ChannelDeps) {
    this.pusher = new Pusher(deps);
    this.holder = deps.ids.ulid();
  }

  /** `signal`: aborts when pushing has to end. */
  *jobsOf(records: FanoutEvent['Records'], signal: StopSignal): Generator<Job> {
    /** Sequence number of the first record of each bucket. */
    const changed = new Map<string, string>();
    for (const record of records) {
      if ('messageId' in record) {
        yield this.deferredJob(record, signal);
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
      yield { id, run: () => this.publish(bucket, signal, paces) };
    }
  }

  private deferredJob({ messageId: id, body }: SQSRecord, signal: StopSignal): Job {
    let task: DeferredTask;
    try {
      task = parseDeferredTask(body);
    } catch (error) {
      return { id, run: () => Promise.reject(error) };
    }
    if ('begin' in task) {
      const pending = task.begin;
      return { id, run: () => startPendingSubscription(this.deps, pending), isConcurrent: true };
    }
    const { advance } = task;
    return { id, run: () => this.advance(advance, signal) };
  }

  private async publish(bucket: string, signal: StopSignal, paces = false): Promise<void> {
    const options = { ...this.pushing(signal), paces };
    const log = await publishChanges(this.deps, bucket, options);
    if (!log) return;
    const { record, stats } = log;
    if (hasUnpublished(record, stats)) {
      await this.lookAgain({ bucket, id: record.id, upTo: record.cursor });
    }
    try {
      await trimBucket(this.deps, record, stats, { entries: TRIM_ENTRIES });
    } catch (error) {
      // A later batch trims what is left; publishing must not be repeated because of it.
      this.deps.log.error('trim_failed', { bucket, error });
    }
  }

  /** Fills the gaps up to `upTo` first, then publishes what follows. */
  private async advance(task: Advance, signal: StopSignal): Promise<void> {
    const { bucket, id, upTo, looks = 0 } = task;
    let hasPushed = false;
    const { lease, push } = this.pushing(signal);
    const pushAndNote: Push = (...run) => {
      hasPushed = true;
      return push(...run);
    };
    const options = { id, fillAllGaps: true, upTo, lease, push: pushAndNote };
    const log = await publishChanges(this.deps, bucket, options);
    if (!log) return;
    const { record, stats } = log;
    // Another instance is pushing.
    if (stats.published < upTo) await this.lookAgain({ bucket, id, upTo, looks: looks + 1 });
    else if (hasPushed) await this.publish(bucket, signal);
    // Everything up to `upTo` was already published. Another instance may be publishing newer
    // entries, so check again later instead of pushing them twice.
    else if (hasUnpublished(record, stats)) {
      await this.lookAgain({ bucket, id, upTo: record.cursor });
    }
  }

  private pushing(signal: StopSignal): { readonly lease: PushLease; readonly push: Push } {
    const lease = new PushLease(this.deps, this.holder);
    const options = { lease, signal };
    const push: Push = (record, from, run) => this.pusher.push(record, from, run, options);
    return { lease, push };
  }

  /**
   * Queues a task for entries that this invocation did not publish, because they are behind a gap
   * or another instance holds the push lease. The writer of the gap, or that instance, may have
   * died, and nothing else would invoke fanout for these entries. An instance queues one task per
   * bucket within GAP_FILL_AFTER_MS; a task that finds newer unpublished entries queues the next.
   */
  private async lookAgain(advance: Advance): Promise<void> {
    const { id, looks = 0 } = advance;
    if (looks >= MAX_LOOKS) {
      this.deps.meter.add('AbandonedTasks', 1);
      this.deps.log.error('deferred_task_abandoned', { ...advance });
      return;
    }
    const now = this.deps.clock.now();
    if ((this.taskQueuedAt.get(id) ?? 0) > now - GAP_FILL_AFTER_MS) return;
    await this.deps.deferredTasks.add({ advance }, LOOK_AGAIN_SECONDS);
    if (this.taskQueuedAt.size > MAX_KNOWN_BUCKETS) this.taskQueuedAt.clear();
    this.taskQueuedAt.set(id, now);
  }
}
