/**
 * Publishes the change logs of buckets that changed, and performs deferred tasks: a bucket whose
 * log has a gap, and subscriptions that were requested in a handshake. Each may be called twice,
 * late, or concurrently in several processes: the log is read from its published mark on.
 */
import { hasUnpublished, type PublishDeps, type Push, publishChanges } from '../log/publish';
import { PushLease, type PushLeaseDeps } from '../log/push-lease';
import { GAP_FILL_AFTER_MS } from '../log/reader';
import { type TrimDeps, trimBucket } from '../log/trim';
import type { StopSignal } from '../stop-signal';
import type { Ids } from '../system';
import type { ChannelDeps } from './channel';
import { startPendingSubscription } from './pending-subscription';
import type { Advance, DeferredTask, DeferredTasks } from './ports';
import { Pusher } from './push';

export type PublisherDeps = PublishDeps &
  TrimDeps &
  PushLeaseDeps &
  ChannelDeps & {
    readonly deferredTasks: DeferredTasks;
    readonly ids: Pick<Ids, 'ulid'>;
  };

/** Entries trimmed per bucket and batch, so that trimming spreads over the writes. */
const TRIM_ENTRIES = 500;

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

export class Publisher {
  private readonly pusher: Pusher;
  /** Bucket id -> when this instance last queued a task for it, epoch milliseconds. */
  private readonly taskQueuedAt = new Map<string, number>();
  /**
   * Names the instance in its push leases. It is the same in each invocation, so that a repeated
   * batch does not wait for the lease of the attempt that failed.
   */
  private readonly holder: string;

  constructor(private readonly deps: PublisherDeps) {
    this.pusher = new Pusher(deps);
    this.holder = deps.ids.ulid();
  }

  /**
   * Publishes and trims the log of a bucket. AWS calls: those of publishChanges, Pusher.push and
   * trimBucket: 3 GetItem, 12 Query and 1 UpdateItem for up to 500 entries when nothing is trimmed;
   * with subscribers 1 GetItem and 1 UpdateItem more, 2 of these from ten subscribers on, and 1
   * POST per subscriber and message; 1 SendMessage when it stops at a gap or finds another instance
   * pushing. `signal` aborts when pushing has to end.
   */
  async publish(bucket: string, signal: StopSignal, paces = false): Promise<void> {
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

  /**
   * Performs a deferred task. AWS calls when it finds everything published: 2 GetItem, and 1
   * SendMessage while an entry is unpublished.
   */
  perform(task: DeferredTask, signal: StopSignal): Promise<void> {
    return 'begin' in task
      ? startPendingSubscription(this.deps, task.begin)
      : this.advance(task.advance, signal);
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
   * died, and nothing else would look at these entries. An instance queues one task per bucket
   * within GAP_FILL_AFTER_MS; a task that finds newer unpublished entries queues the next.
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
