/** Pushes a run of changes to every subscriber of the bucket. */
import { forEachConcurrently } from '../concurrency';
import type { PushLease } from '../log/push-lease';
import type { Run } from '../log/reader';
import { NEVER_STOP, type StopSignal } from '../stop-signal';
import type { BucketRecord, LogDigest } from '../store/buckets';
import type { Clock, Log, Meter } from '../system';
import { type ReviewDeps, reviewChannel } from './closing';
import { changesMessages, goodbyeMessage, serializeChanges } from './messages';
import type { Channels, Subscriber } from './ports';

export type PushDeps = ReviewDeps & { readonly log: Log; readonly meter: Meter };

/** API Gateway closes every connection after two hours. */
const LIFETIME_MS = 2 * 3600 * 1000;
/** Time before the end of a connection at which the client is asked to reconnect. */
const NOTICE_MS = 10 * 60 * 1000;
/** Time between the client's deadline (`reconnect_before`) and the end of the connection. */
const NOTICE_MARGIN_MS = 60 * 1000;

/** Connections to which an instance posts concurrently. */
const CONCURRENT_POSTS = 64;

/**
 * Time for which a busy connection is skipped. The client's next ping fetches the missed changes.
 */
const SKIP_MS = 30_000;
/** Busy connections, and connections whose end was announced, that an instance remembers. */
const MAX_KNOWN = 10_000;

/**
 * Interval between the beginnings of two pushes of a bucket: per subscriber, and at most. With a
 * hundred subscribers of a busy bucket each receives at most four messages a second, which carry
 * more changes. With fewer than ten subscribers there is no pause.
 */
const PAUSE_PER_SUBSCRIBER_MS = 2.5;
const MAX_PAUSE_MS = 250;
const PAUSE_FROM = 10;

export interface PushOptions {
  /** Aborted when pushing has to end. Default: never. */
  readonly signal?: StopSignal;
  /**
   * The lease to take before the first post. By default pushes without a lease, as other instances
   * may.
   */
  readonly lease?: PushLease;
}

/**
 * Pushes changes. Skips a connection for a while after it was busy, so that a client that never
 * reads seldom delays the others.
 */
export class Pusher {
  /** Maps a connection id to the time until which it is skipped, epoch milliseconds. */
  private readonly skippedUntil = new Map<string, number>();
  private readonly announced = new Set<string>();
  /** Index of the first subscriber to serve. A push that did not serve all subscribers moves it. */
  private firstTurn = 0;

  constructor(private readonly deps: PushDeps) {}

  /**
   * Sends each subscriber the visible changes of the run, in order. Resolves when every subscriber
   * was served or skipped. Subscribers that are not served when `signal` aborts catch up with their
   * next ping, so that slow connections do not hold up the log. Ends early when another instance
   * has the lease. AWS calls: 4 Query for the subscribers, which are read after the log (see
   * `subscribe`); if there are any, 1 UpdateItem for the lease, another each two seconds, and 1
   * POST per subscriber and message of at most 32 KiB. Returns the time at which the next push
   * should begin, epoch milliseconds.
   */
  async push(
    record: BucketRecord,
    from: number,
    run: Run & { readonly digest?: LogDigest },
    { signal = NEVER_STOP, lease }: PushOptions = {},
  ): Promise<number> {
    const { clock, log, meter, subscriptions } = this.deps;
    const found = signal.aborted ? [] : await subscriptions.subscribers(record.id);
    const pause = found.length < PAUSE_FROM ? 0 : PAUSE_PER_SUBSCRIBER_MS * found.length;
    const next = clock.now() + Math.min(pause, MAX_PAUSE_MS);
    if (found.length === 0) return next;
    if (lease && !(await lease.acquire(record, from))) return next;
    const to = from + run.entries.length;
    const messages = new SharedMessages(record, {
      from,
      to,
      ...(run.digest && { digest: run.digest }),
      changes: serializeChanges(run.entries),
    });
    const first = this.firstTurn % found.length;
    const subscribers = [...found.slice(first), ...found.slice(0, first)];
    const reviews: Promise<void>[] = [];
    let left = 0;
    await forEachConcurrently(subscribers, CONCURRENT_POSTS, async (subscriber) => {
      // Another instance pushes to all of them.
      if (lease && !(await lease.keep())) return;
      if (signal.aborted) {
        left += 1;
        return;
      }
      const own = messages.of(subscriber.prefix);
      const post = () => this.post(record.id, subscriber, own, { signal, lease });
      if (isKeyValid(subscriber, clock.now())) await this.containFailure(subscriber, post);
      // A review may take a second, so the other subscribers do not wait for it.
      else reviews.push(this.containFailure(subscriber, () => this.review(subscriber, post)));
    });
    await Promise.all(reviews);
    if (left === 0) return next;
    meter.add('PushFailures', left);
    this.firstTurn = first + subscribers.length - left;
    log.info('push_cut_short', { bucket: record.name, to, left });
    return next;
  }

  /**
   * Reviews a subscriber whose stored key expiry has passed; the key may have a later expiry by
   * now.
   */
  private async review({ connectionId }: Subscriber, post: () => Promise<void>): Promise<void> {
    if (await reviewChannel(this.deps, connectionId)) await post();
  }

  /**
   * Contains the failure for one subscriber: it must not make the batch push to the others again.
   */
  private async containFailure(
    { connectionId }: Subscriber,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.log.error('push_failed', { connectionId, error });
      this.skip(connectionId);
    }
  }

  private async post(
    bucketId: string,
    { connectionId, connectedAt }: Subscriber,
    messages: Iterable<string>,
    { signal, lease }: PushOptions & { readonly signal: StopSignal },
  ): Promise<void> {
    const { channels, clock, subscriptions } = this.deps;
    if ((this.skippedUntil.get(connectionId) ?? 0) > clock.now()) return;
    for (const message of messages) {
      if ((lease && !(await lease.keep())) || signal.aborted) return;
      const outcome = await channels.post(connectionId, message);
      if (outcome === 'sent') continue;
      if (outcome === 'gone') await subscriptions.removeSubscriber(bucketId, connectionId);
      else this.skip(connectionId);
      return;
    }
    if (this.announced.has(connectionId)) return;
    if (await announceDisconnect(this.deps, connectionId, connectedAt)) {
      if (this.announced.size >= MAX_KNOWN) this.announced.clear();
      this.announced.add(connectionId);
    }
  }

  private skip(connectionId: string): void {
    this.deps.meter.add('PushFailures', 1);
    if (this.skippedUntil.size >= MAX_KNOWN) this.skippedUntil.clear();
    this.skippedUntil.set(connectionId, this.deps.clock.now() + SKIP_MS);
  }
}

/** Prefixes whose messages a push keeps; those of one prefix are at most as long as the run. */
const MAX_SHARED = 16;

/** The messages of a run, made once for all subscribers to the same prefix. */
class SharedMessages {
  private readonly made = new Map<string, Iterable<string>>();

  constructor(
    private readonly bucket: BucketRecord,
    private readonly run: Parameters<typeof changesMessages>[1],
  ) {}

  of(prefix: string): Iterable<string> {
    const made = this.made.get(prefix);
    if (made) return made;
    const messages = changesMessages(this.bucket, this.run, { prefix, head: this.run.to });
    if (this.made.size >= MAX_SHARED) return messages;
    const kept = replayable(messages);
    this.made.set(prefix, kept);
    return kept;
  }
}

/** Makes each message when the first reader needs it. */
function replayable(messages: Iterator<string>): Iterable<string> {
  const made: string[] = [];
  return {
    *[Symbol.iterator]() {
      for (let n = 0; ; n++) {
        let message = made[n];
        if (message === undefined) {
          const next = messages.next();
          if (next.done) return;
          message = next.value;
          made.push(message);
        }
        yield message;
      }
    },
  };
}

function isKeyValid({ expiresAt = Number.POSITIVE_INFINITY }: Subscriber, now: number): boolean {
  return expiresAt > now;
}

/**
 * Asks the client to reconnect when API Gateway is about to close the connection. Returns true when
 * it sent the request.
 */
export async function announceDisconnect(
  deps: { readonly channels: Channels; readonly clock: Pick<Clock, 'now'> },
  connectionId: string,
  connectedAt: number,
): Promise<boolean> {
  const end = connectedAt + LIFETIME_MS;
  if (deps.clock.now() < end - NOTICE_MS) return false;
  const reason = 'API Gateway ends every connection after two hours';
  const message = goodbyeMessage(1001, reason, end - NOTICE_MARGIN_MS);
  await deps.channels.post(connectionId, message);
  return true;
}
