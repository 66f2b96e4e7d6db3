/** Follows buckets by long polling where no WebSocket opens, by the rule of log-position.ts. */
import { linkedTo } from '../abort';
import { StowageError } from '../errors';
import type { Http } from '../http';
import { type ChangeRange, isCursor, isRecord, parseChangeRange } from '../resources';
import { type Random, sleep, waitAfter } from '../retry';
import { continueConsumer, storeConsumed } from './consumer-cursor';
import type { SubscriptionEvent } from './events';
import type { LogPosition } from './log-position';
import { MessageRate } from './message-rate';

export interface PollDeps {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly emit: (event: SubscriptionEvent) => void;
  /** Resolves when the reader can take more events. */
  readonly waitForRoom: () => Promise<void>;
  readonly now: () => number;
  readonly random: Random;
}

/** The longest time for which the service waits for a change. */
const WAIT_SECONDS = 20;
const RESPONSE_MS = 15_000;
const LIMIT = 500;
/** The interval of requests for one bucket where the service does not wait. */
const MIN_INTERVAL_MS = 1_000;
/**
 * Requests with `wait` per second, for all buckets together: half of what the default tier allows a
 * key. Further requests are sent without `wait`.
 */
const WAITS_PER_SECOND = 10;

/**
 * Follows the buckets until `until` (milliseconds on the clock of `now`), or until all have ended.
 * Returns false when the service could not be reached at all. Throws `unauthorized` when the
 * service does not accept the key.
 */
export async function poll(
  positions: readonly LogPosition[],
  deps: PollDeps,
  until = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const active = positions.filter((position) => !position.hasEnded);
  const stop = linkedTo(deps.signal);
  const loop: PollLoop = {
    ...deps,
    signal: stop.signal,
    reportStatus: statusReport(active, deps),
    waits: new MessageRate(WAITS_PER_SECOND, WAITS_PER_SECOND),
    intervalMs: Math.max(MIN_INTERVAL_MS, (active.length * 1000) / WAITS_PER_SECOND),
  };
  try {
    const results = await Promise.all(active.map((position) => pollOne(position, loop, until)));
    return results.includes(true);
  } finally {
    // When one throws, the others end too.
    stop.abort();
    stop.detach();
  }
}

type ReportStatus = (status: 'connected' | 'disconnected', reason?: string) => void;

/** Returns a function that emits one status event for all buckets when the status changes. */
function statusReport(positions: readonly LogPosition[], { emit }: PollDeps): ReportStatus {
  const buckets = positions.map(({ bucket }) => bucket);
  let reported: 'connected' | 'disconnected' | undefined;
  return (status, reason) => {
    if (status === reported) return;
    reported = status;
    const event = { type: 'status', status, transport: 'poll', buckets } as const;
    emit(reason === undefined ? event : { ...event, reason });
  };
}

interface PollLoop extends PollDeps {
  readonly reportStatus: ReportStatus;
  /** The rate of requests with `wait`, for all buckets together. */
  readonly waits: MessageRate;
  /** Time between two requests for a bucket without changes, when the service does not wait. */
  readonly intervalMs: number;
}

/** Returns whether any request has succeeded, or the bucket has ended. */
async function pollOne(position: LogPosition, deps: PollLoop, until: number): Promise<boolean> {
  let hasWorked = false;
  let failures = 0;
  let isAtHead = false;
  while (!position.hasEnded && !deps.signal.aborted && deps.now() < until) {
    await deps.waitForRoom();
    const started = deps.now();
    try {
      if (position.cursor === undefined && position.consumer !== undefined) {
        await continueConsumer(deps, position);
      }
      if (position.isToStore(started)) await storeConsumed(deps.http, position, started);
      // Behind the head, the service has a page at once.
      const wait = isAtHead && deps.waits.take(started) ? secondsUntil(until, started) : 0;
      const { range, hasMore, retryAfter = 0 } = await fetchRange(position, deps, wait);
      deps.reportStatus('connected');
      const hasAdvanced = apply(position, range, deps);
      hasWorked = true;
      failures = 0;
      const hasCaughtUp = !isAtHead && !hasMore;
      isAtHead = !hasMore;
      const next = hasCaughtUp ? 0 : started + deps.intervalMs - deps.now();
      const rest = Math.max(next, retryAfter * 1000);
      if (!hasAdvanced && rest > 0) await sleep(rest, deps.signal);
    } catch (error) {
      if (deps.signal.aborted) break;
      if (!(error instanceof StowageError)) throw error;
      if (endOnPermanentError(error, position, deps.emit)) return true;
      if (error.code !== 'rate_limited') {
        deps.reportStatus('disconnected', error.message);
        // Polling without a time limit continues. With one, the caller tries something else.
        if (!hasWorked && until !== Number.POSITIVE_INFINITY) return false;
      }
      await waitAfter(error, failures, deps);
      failures += 1;
    }
  }
  return hasWorked;
}

interface Fetched {
  readonly range: ChangeRange;
  readonly hasMore: boolean;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

function secondsUntil(until: number, now: number): number {
  return Math.min(WAIT_SECONDS, Math.max(0, Math.ceil((until - now) / 1000)));
}

/** `wait`: seconds for which the service may wait for a change. 0: it answers at once. */
async function fetchRange(position: LogPosition, deps: PollDeps, wait: number): Promise<Fetched> {
  const { value, retryAfter } = await deps.http.answer({
    path: 'sync',
    query: { ...queryOf(position), limit: LIMIT, wait: wait > 0 ? wait : undefined },
    timeoutMs: wait * 1000 + RESPONSE_MS,
    signal: deps.signal,
  });
  const range = parseChangeRange(value);
  const hasMore = isRecord(value) && value.has_more === true;
  if (range) return { range, hasMore, retryAfter };
  throw new StowageError('invalid_answer', 'the response of the service is not a page of changes');
}

/** Requests one change to find out whether the key may follow the bucket. Throws StowageError. */
export async function checkAccess(
  position: LogPosition,
  { http, signal }: Pick<PollDeps, 'http' | 'signal'>,
): Promise<void> {
  const query = { ...queryOf(position), limit: 1 };
  await http.json({ path: 'sync', query, signal, timeoutMs: RESPONSE_MS });
}

function queryOf({ bucket, cursor, prefix, bucketId }: LogPosition) {
  return {
    bucket,
    cursor,
    prefix: prefix === '' ? undefined : prefix,
    bucket_id: bucketId,
  };
}

/**
 * Returns whether the cursor advanced. Throws StowageError when the range is not the requested one.
 */
function apply(position: LogPosition, range: ChangeRange, { emit }: PollDeps): boolean {
  const { bucket } = position;
  if (range.bucket !== bucket) throw mismatch(`bucket ${range.bucket} instead of ${bucket}`);
  const isFirst = position.cursor === undefined || position.bucketId === undefined;
  if (isFirst) position.begin(range.bucket_id, range.from, range.head);
  const { verdict, events } = position.take(range);
  if (verdict === 'gap') throw mismatch('changes after a later cursor than the requested one');
  if (verdict === 'foreign') throw mismatch('changes of another incarnation of the bucket');
  if (isFirst && events.length === 0) {
    const { bucket_id: bucketId, to: cursor, head } = range;
    emit({ type: 'cursor', bucket, bucketId, cursor, head });
  }
  events.forEach(emit);
  return verdict === 'applied';
}

function mismatch(what: string): StowageError {
  return new StowageError('invalid_answer', `the service returned ${what}`);
}

/**
 * Ends the bucket and emits the reason if the error is permanent. Returns whether it did. Throws
 * `unauthorized`, which ends every bucket.
 */
export function endOnPermanentError(
  error: StowageError,
  position: LogPosition,
  emit: (event: SubscriptionEvent) => void,
): boolean {
  if (error.code === 'unauthorized') throw error;
  if (error.isTemporary) return false;
  position.hasEnded = true;
  const { bucket } = position;
  if (error.code !== 'cursor_expired') {
    emit({ type: 'ended', bucket, error });
    return true;
  }
  const { reason, oldest, head } = error.details;
  emit({
    type: 'reset',
    bucket,
    reason: reason === 'bucket_replaced' ? reason : 'cursor_expired',
    oldest: isCursor(oldest) ? oldest : 0,
    head: isCursor(head) ? head : 0,
  });
  return true;
}
