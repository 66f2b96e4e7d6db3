/** Following by long polling: the same rule over plain HTTP, where no WebSocket gets through. */
import { StowageError } from '../errors';
import type { Http } from '../http';
import { type ChangeRange, isCursor, parseChangeRange } from '../resources';
import { fullJitter, type Random } from './backoff';
import type { SubscriptionEvent } from './events';
import type { Follower } from './follower';
import { sleep } from './sleep';

export interface PollDeps {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly emit: (event: SubscriptionEvent) => void;
  /** Resolves when the consumer can take more. */
  readonly room: () => Promise<void>;
  readonly now: () => number;
  readonly random: Random;
}

/** The longest that the service waits for something to come. */
const WAIT_SECONDS = 20;
const ANSWER_MS = 15_000;
const LIMIT = 500;
/** Where the service does not wait, we do. */
const SHORTEST_ROUND_MS = 1_000;

/**
 * Follows each of these until `until` (milliseconds, on the clock of `now`), or until none is left.
 * False: the service could not be reached at all. Throws when the key is not accepted.
 */
export async function poll(
  followers: readonly Follower[],
  deps: PollDeps,
  until = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const live = followers.filter((follower) => !follower.hasEnded);
  const buckets = live.map(({ bucket }) => bucket);
  const controller = new AbortController();
  const abort = () => controller.abort();
  deps.signal.addEventListener('abort', abort, { once: true });
  if (deps.signal.aborted) abort();
  let told: 'connected' | 'disconnected' | undefined;
  const status = (status: 'connected' | 'disconnected', reason?: string) => {
    if (status === told) return;
    told = status;
    const event = { type: 'status', status, transport: 'poll', buckets } as const;
    deps.emit(reason === undefined ? event : { ...event, reason });
  };
  try {
    const round = { ...deps, signal: controller.signal, status };
    const results = await Promise.all(live.map((follower) => pollOne(follower, round, until)));
    return results.includes(true);
  } finally {
    // Where one throws, the others end too.
    controller.abort();
    deps.signal.removeEventListener('abort', abort);
  }
}

interface Round extends PollDeps {
  readonly status: (status: 'connected' | 'disconnected', reason?: string) => void;
}

async function pollOne(follower: Follower, deps: Round, until: number): Promise<boolean> {
  let hasWorked = false;
  let failures = 0;
  while (!follower.hasEnded && !deps.signal.aborted && deps.now() < until) {
    await deps.room();
    const started = deps.now();
    try {
      const range = await page(follower, deps, until);
      deps.status('connected');
      const isNew = take(follower, range, deps);
      hasWorked = true;
      failures = 0;
      const rest = started + SHORTEST_ROUND_MS - deps.now();
      if (!isNew && rest > 0) await sleep(rest, deps.signal);
    } catch (error) {
      if (deps.signal.aborted) break;
      if (!(error instanceof StowageError)) throw error;
      if (endsWith(error, follower, deps.emit)) return true;
      deps.status('disconnected', error.message);
      // A forever of polling goes on; a limited one lets its caller try something else.
      if (!hasWorked && until !== Number.POSITIVE_INFINITY) return false;
      const wait = fullJitter(failures, deps.random);
      await sleep(Math.max(wait, (error.retryAfter ?? 0) * 1000), deps.signal);
      failures += 1;
    }
  }
  return hasWorked;
}

async function page(follower: Follower, deps: PollDeps, until: number): Promise<ChangeRange> {
  const wait = Math.min(WAIT_SECONDS, Math.max(0, Math.ceil((until - deps.now()) / 1000)));
  const answer = await deps.http.json({
    path: 'sync',
    query: { ...questionOf(follower), limit: LIMIT, wait },
    timeoutMs: wait * 1000 + ANSWER_MS,
    signal: deps.signal,
  });
  const range = parseChangeRange(answer);
  if (!range) throw new StowageError('invalid_answer', 'the service did not answer with changes');
  return range;
}

/** Asks for nothing but whether the follower would be served. Throws StowageError. */
export async function checkAccess(
  follower: Follower,
  { http, signal }: Pick<PollDeps, 'http' | 'signal'>,
): Promise<void> {
  const query = { ...questionOf(follower), limit: 1 };
  await http.json({ path: 'sync', query, signal, timeoutMs: ANSWER_MS });
}

function questionOf({ bucket, cursor, prefix, bucketId }: Follower) {
  return {
    bucket,
    cursor,
    prefix: prefix === '' ? undefined : prefix,
    bucket_id: bucketId,
  };
}

/** True: the cursor moved. */
function take(follower: Follower, range: ChangeRange, { emit }: PollDeps): boolean {
  const { bucket } = follower;
  if (range.bucket !== bucket) throw contradiction(`is about ${range.bucket}`);
  const isNews = follower.cursor === undefined || follower.bucketId === undefined;
  if (isNews) follower.begin(range.bucket_id, range.from, range.head);
  const { verdict, events } = follower.take(range);
  if (verdict === 'gap' || verdict === 'foreign') throw contradiction('does not begin there');
  if (isNews && events.length === 0) {
    const { bucket_id: bucketId, to: cursor, head } = range;
    emit({ type: 'cursor', bucket, bucketId, cursor, head });
  }
  events.forEach(emit);
  return verdict === 'applied';
}

function contradiction(what: string): StowageError {
  return new StowageError('invalid_answer', `the service was asked for a cursor, its page ${what}`);
}

/**
 * Whether the failure is the end of this bucket's following, which it then tells. Throws what ends
 * all of them.
 */
export function endsWith(
  error: StowageError,
  follower: Follower,
  emit: (event: SubscriptionEvent) => void,
): boolean {
  if (error.code === 'unauthorized') throw error;
  if (error.isTemporary) return false;
  follower.hasEnded = true;
  const { bucket } = follower;
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
