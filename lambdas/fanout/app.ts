/**
 * Delivers the log: a record of the Changes stream is only a wake-up. For each bucket named in the
 * batch the log is read on from `delivered`, pushed and counted, so records may come twice, late or
 * out of order. From the queue come a bucket whose feed stopped at a hole, and subscriptions that
 * were asked for in a handshake.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { ChannelDeps } from '../../core/channel/channel';
import { startPendingSubscription } from '../../core/channel/pending-subscription';
import type { DeferredTask, DeferredTasks } from '../../core/channel/ports';
import { Pusher } from '../../core/channel/push';
import {
  hasUnpublished,
  type LogState,
  type PublishDeps,
  type Push,
  publishChanges,
} from '../../core/log/publish';
import { GAP_FILL_AFTER_MS } from '../../core/log/reader';
import { type TrimDeps, trimBucket } from '../../core/log/trim';
import { parseDeferredTask } from '../shared/sqs/deferred-tasks';

export type FanoutDeps = PublishDeps &
  TrimDeps &
  ChannelDeps & { readonly deferredTasks: DeferredTasks };

export interface FanoutEvent {
  readonly Records: readonly (DynamoDBRecord | SQSRecord)[];
}

/** Entries trimmed per bucket and batch, so that the work spreads over the writes. */
const TRIM_ENTRIES = 500;

/**
 * Of the function's minute: what pushing may take of it, so that the log moves on however many
 * follow.
 */
const PUSH_MS = 30_000;

/**
 * A number that was handed out before this wait has been used by its end, or loses it to a void.
 * Whole seconds.
 */
const FOLLOW_UP_SECONDS = GAP_FILL_AFTER_MS / 1000 + 1;

/**
 * AWS calls per bucket in a batch: those of advanceFeed, Pusher.push and trimBucket: 3 GetItem, 12
 * Query and 1 UpdateItem for up to 500 entries when nothing is trimmed, and 1 POST per follower and
 * message; 1 SendMessage when it stops at a hole. A look that finds no hole any more: 2 GetItem,
 * and 1 SendMessage while anything is behind.
 */
export function createFanout(deps: FanoutDeps) {
  const fanout = new Fanout(deps);
  return async (event: FanoutEvent): Promise<DynamoDBBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    const perform = async ({ id, work }: Work) => {
      try {
        await work();
      } catch (error) {
        deps.log.error('fanout_failed', { id, error });
        batchItemFailures.push({ itemIdentifier: id });
      }
    };
    const all = [...fanout.workOf(event.Records, deps.clock.now() + PUSH_MS)];
    const inTurn = async () => {
      for (const each of all) if (!each.isApart) await perform(each);
    };
    await Promise.all([inTurn(), ...all.filter(({ isApart }) => isApart).map(perform)]);
    return { batchItemFailures };
  };
}

interface Work {
  /** Of the record that is delivered again when the work fails. */
  readonly id: string;
  readonly work: () => Promise<void>;
  /** It has to do with one connection only, and may take long. */
  readonly isApart?: boolean;
}

class Fanout {
  private readonly pusher: Pusher;
  /** When this instance has last asked for another look at a bucket, by the bucket's id. */
  private readonly asked = new Map<string, number>();

  constructor(private readonly deps: FanoutDeps) {
    this.pusher = new Pusher(deps);
  }

  /** `until`: when pushing ends, epoch milliseconds. */
  *workOf(records: FanoutEvent['Records'], until: number): Generator<Work> {
    const seen = new Set<string>();
    for (const record of records) {
      if ('messageId' in record) {
        yield this.followUp(record, until);
        continue;
      }
      const bucket = record.dynamodb?.NewImage?.bucket?.S;
      const sequence = record.dynamodb?.SequenceNumber;
      if (bucket === undefined || sequence === undefined || seen.has(bucket)) continue;
      seen.add(bucket);
      yield { id: sequence, work: () => this.advance(bucket, until) };
    }
  }

  private followUp({ messageId: id, body }: SQSRecord, until: number): Work {
    let followUp: DeferredTask;
    try {
      followUp = parseDeferredTask(body);
    } catch (error) {
      return { id, work: () => Promise.reject(error) };
    }
    if ('begin' in followUp) {
      const { begin } = followUp;
      return { id, work: () => startPendingSubscription(this.deps, begin), isApart: true };
    }
    const { bucket, id: bucketId, upTo } = followUp.advance;
    const work = async () => {
      let isPushed = false;
      const push: Push = (...run) => {
        isPushed = true;
        return this.pusher.push(...run, until);
      };
      // First what is old enough to fence, then everything else.
      const feed = await publishChanges(this.deps, bucket, {
        id: bucketId,
        fillAllGaps: true,
        upTo,
        push,
      });
      if (isPushed) await this.advance(bucket, until);
      // The hole was none any more. Whoever is pushing what came since need not have it pushed
      // beside itself: another look in a while.
      else if (feed && hasUnpublished(feed.record, feed.stats)) await this.lookAgain(feed);
    };
    return { id, work };
  }

  private async advance(bucket: string, until: number): Promise<void> {
    const feed = await publishChanges(this.deps, bucket, { push: this.pushUntil(until) });
    if (!feed) return;
    if (feed.gap !== undefined) await this.lookAgain(feed);
    try {
      await trimBucket(this.deps, feed.record, feed.stats, { entries: TRIM_ENTRIES });
    } catch (error) {
      // What is not trimmed now is trimmed later; the delivery must not be repeated for it.
      this.deps.log.error('trim_failed', { bucket, error });
    }
  }

  private pushUntil(until: number): Push {
    return (record, from, run) => this.pusher.push(record, from, run, until);
  }

  /**
   * The writer that the feed waits for wakes fanout when it is done; if it died, nobody would. One
   * question at a time: the look that was asked for last sees this hole too.
   */
  private async lookAgain({ record }: LogState): Promise<void> {
    const { name: bucket, id, cursor: upTo } = record;
    const now = this.deps.clock.now();
    if ((this.asked.get(id) ?? 0) > now - GAP_FILL_AFTER_MS) return;
    await this.deps.deferredTasks.add({ advance: { bucket, id, upTo } }, FOLLOW_UP_SECONDS);
    if (this.asked.size > 10_000) this.asked.clear();
    this.asked.set(id, now);
  }
}
