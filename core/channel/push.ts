/** Pushing a run of changes to everyone who follows the bucket. */
import type { Run } from '../log/reader';
import type { BucketRecord } from '../objects/ports';
import { announceDisconnect, type ChannelDeps } from './channel';
import { changesMessages, serializeChanges } from './messages';
import type { Subscriber } from './ports';
import { type RevocationDeps, reviewChannel } from './revocation';

export type PushDeps = RevocationDeps & Pick<ChannelDeps, 'log' | 'meter'>;

/** Connections that are posted to at a time. */
const SLICES = 64;

/** How long a connection that takes nothing is passed over. Its client's ping makes up for it. */
const PASS_OVER_MS = 30_000;
const REMEMBERED = 10_000;

/**
 * Remembers, per function instance, who took nothing lately, so that one that never reads costs the
 * others a moment once in a while and not at every change.
 */
export class Pusher {
  private readonly passedOver = new Map<string, number>();
  private readonly warned = new Set<string>();
  /**
   * Who is served first: those that were left the last time, so that it is not always the same
   * ones.
   */
  private turn = 0;

  constructor(private readonly deps: PushDeps) {}

  /**
   * Sends each follower what it sees of the run, in order; answers when all were served or given
   * up. Those that are not served by `until` (epoch milliseconds) are left to their pings: the log
   * goes on. AWS calls: 4 Query for the followers, which are read after the log (see `subscribe`),
   * and 1 POST per follower and message of at most 32 KiB.
   */
  async push(
    record: BucketRecord,
    from: number,
    run: Run,
    until = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const isOver = () => this.deps.clock.now() >= until;
    const found = isOver() ? [] : await this.deps.subscriptions.subscribers(record.id);
    if (found.length === 0) return;
    const to = from + run.entries.length;
    const written = { from, to, changes: serializeChanges(run.entries) };
    const first = this.turn % found.length;
    const followers = [...found.slice(first), ...found.slice(0, first)];
    const queue = followers.values();
    const reviews: Promise<void>[] = [];
    let left = 0;
    const slice = async () => {
      for (const follower of queue) {
        if (isOver()) {
          left += 1;
          continue;
        }
        const options = { prefix: follower.prefix, head: to };
        const messages = changesMessages(record, written, options);
        const serve = () => this.serve(record.id, follower, messages, isOver);
        if (isKeyGood(follower, this.deps.clock.now())) await this.contained(follower, serve);
        // Takes a second, in which the others go on.
        else reviews.push(this.contained(follower, () => this.review(follower, serve)));
      }
    };
    await Promise.all(Array.from({ length: Math.min(SLICES, followers.length) }, slice));
    await Promise.all(reviews);
    if (left === 0) return;
    this.deps.meter.add('PushFailures', left);
    this.turn = first + followers.length - left;
    this.deps.log.info('push_cut_short', { bucket: record.name, to, left });
  }

  /** The key had expired by what was noted; its expiry may have been put off since. */
  private async review({ connectionId }: Subscriber, serve: () => Promise<void>): Promise<void> {
    if (await reviewChannel(this.deps, connectionId)) await serve();
  }

  /** Whatever fails for one follower is no reason to deliver the log to the others again. */
  private async contained({ connectionId }: Subscriber, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.log.error('push_failed', { connectionId, error });
      this.passOver(connectionId);
    }
  }

  private async serve(
    bucketId: string,
    follower: Subscriber,
    messages: Iterable<string>,
    isOver: () => boolean,
  ): Promise<void> {
    const { connectionId, connectedAt } = follower;
    if ((this.passedOver.get(connectionId) ?? 0) > this.deps.clock.now()) return;
    for (const text of messages) {
      if (isOver()) return;
      const outcome = await this.deps.channels.post(connectionId, text);
      if (outcome === 'sent') continue;
      if (outcome === 'gone')
        await this.deps.subscriptions.removeSubscriber(bucketId, connectionId);
      else this.passOver(connectionId);
      return;
    }
    if (
      !this.warned.has(connectionId) &&
      (await announceDisconnect(this.deps, connectionId, connectedAt))
    ) {
      if (this.warned.size >= REMEMBERED) this.warned.clear();
      this.warned.add(connectionId);
    }
  }

  private passOver(connectionId: string): void {
    this.deps.meter.add('PushFailures', 1);
    if (this.passedOver.size >= REMEMBERED) this.passedOver.clear();
    this.passedOver.set(connectionId, this.deps.clock.now() + PASS_OVER_MS);
  }
}

function isKeyGood({ expiresAt = Number.POSITIVE_INFINITY }: Subscriber, now: number): boolean {
  return expiresAt > now;
}
