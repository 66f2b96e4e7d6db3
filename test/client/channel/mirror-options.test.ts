/** What a mirror asks for, and how it ends. */
import { getEventListeners } from 'node:events';
import { type ObjectDescriptor, StowageError, type SubscriptionEvent } from '../../../client';
import { type MirrorEvent, type MirrorOptions, mirror } from '../../../client/mirror';

type Deps = Parameters<typeof mirror>[2];

const object = (key: string, cursor = 1) => ({ key, cursor }) as ObjectDescriptor;
const page = (bucketId: string, cursor: number, more: object = {}) => ({
  ...{ bucket_id: bucketId, cursor, objects: [object('a')], prefixes: [], ...more },
});
const at = (cursor: number) =>
  ({ type: 'cursor', bucket: 'photos', bucketId: 'one', cursor, head: cursor }) as const;
const RESET = { type: 'reset', bucket: 'photos', bucketId: 'one', reason: 'start' };
const SNAPSHOT = { type: 'snapshot', bucket: 'photos', bucketId: 'one', object: object('a') };

interface World {
  /** Each answers one request for a list; the last one all further ones. */
  readonly lists?: readonly (() => object)[];
  /** The events of each subscription. */
  readonly changes?: readonly (readonly SubscriptionEvent[])[];
}

function world({ lists = [() => page('one', 5)], changes = [] }: World) {
  const asked: object[] = [];
  const followed: object[] = [];
  const signals: AbortSignal[] = [];
  const deps: Deps = {
    list: async ({ signal, ...options }) => {
      signals.push(signal);
      const answer = lists[Math.min(asked.length, lists.length - 1)];
      asked.push(options);
      return answer?.() as never;
    },
    follow: async function* (from, signal) {
      signals.push(signal);
      const events = changes[followed.length] ?? [];
      followed.push(from);
      yield* events;
    },
    random: () => 0,
  };
  return { deps, asked, followed, signals };
}

async function all(events: AsyncIterable<MirrorEvent>): Promise<MirrorEvent[]> {
  const seen: MirrorEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

test('a mirror lists pages of 1000 below its prefix, and follows from their cursor', async () => {
  const pages = [() => page('one', 5, { next_page_token: 't' }), () => page('one', 5)];
  const { deps, asked, followed } = world({ lists: pages });
  const options = { prefix: 'a/', consumer: 'copy' };
  const events = await all(mirror('photos', options, deps));
  expect(events).toEqual([RESET, SNAPSHOT, SNAPSHOT, at(5)]);
  expect(asked).toStrictEqual([
    { prefix: 'a/', limit: 1000 },
    { prefix: 'a/', limit: 1000, pageToken: 't' },
  ]);
  expect(followed).toStrictEqual([{ bucketId: 'one', cursor: 5, prefix: 'a/', consumer: 'copy' }]);
});

test('a mirror without options lists and follows every key', async () => {
  const { deps, asked, followed } = world({});
  await all(mirror('photos', {}, deps));
  expect(asked).toStrictEqual([{ prefix: '', limit: 1000 }]);
  expect(followed).toStrictEqual([{ bucketId: 'one', cursor: 5, prefix: '' }]);
});

test('a mirror of a copy continues at its cursor, without a list', async () => {
  const { deps, asked, followed } = world({ changes: [[at(8)]] });
  const copy = { cursor: 0, bucketId: 'one', digest: { sha256: 's', since: 0 } };
  expect(await all(mirror('photos', copy, deps))).toEqual([at(8)]);
  expect(asked).toEqual([]);
  expect(followed).toStrictEqual([{ ...copy, prefix: '' }]);
});

test('a mirror of a copy behind the retention begins anew, from the list', async () => {
  const ends = { oldest: 7, head: 9 };
  const reset = { type: 'reset', bucket: 'photos', reason: 'cursor_expired', ...ends } as const;
  const { deps, followed } = world({ changes: [[reset, at(99)], [at(9)]] });
  const digest = { sha256: 's', since: 0 };
  const events = await all(mirror('photos', { cursor: 2, digest }, deps));
  expect(events).toEqual([{ ...RESET, reason: 'cursor_expired' }, SNAPSHOT, at(5), at(9)]);
  expect(followed[1]).toStrictEqual({ bucketId: 'one', cursor: 5, prefix: '' });
});

test('a mirror returns changes and cursors, not the status of its connection', async () => {
  const status = { type: 'status', status: 'connected', transport: 'poll', buckets: [] } as const;
  const change = { ...at(6), type: 'delete', object: object('a') } as never as SubscriptionEvent;
  const { deps } = world({ changes: [[status, change, at(6)]] });
  expect(await all(mirror('photos', { cursor: 5 }, deps))).toEqual([change, at(6)]);
});

test('a mirror returns no cursor until its copy has no newer object than that', async () => {
  const put = (key: string, cursor: number) =>
    ({ ...at(cursor), type: 'put', object: object(key) }) as never as SubscriptionEvent;
  const lists = [() => page('one', 5, { objects: [object('a', 6), object('b', 8)] })];
  const { deps } = world({ lists, changes: [[put('a', 6), at(6), put('b', 9), at(9)]] });
  const events = await all(mirror('photos', {}, deps));
  expect(events.slice(3)).toEqual([put('b', 9), at(9)]);
});

test('a mirror whose newest object is at the cursor of the list announces that cursor', async () => {
  const { deps } = world({ lists: [() => page('one', 5, { objects: [object('a', 5)] })] });
  expect((await all(mirror('photos', {}, deps))).slice(2)).toEqual([at(5)]);
});

test('a mirror that ends on an error throws it', async () => {
  const error = new StowageError('forbidden', 'no');
  const { deps } = world({ changes: [[{ type: 'ended', bucket: 'photos', error }, at(9)]] });
  await expect(all(mirror('photos', {}, deps))).rejects.toBe(error);
});

const failing = (error: Error) => () => {
  throw error;
};

test.each([
  new StowageError('not_found', 'no bucket'),
  new StowageError('invalid_request', 'a malformed prefix'),
  new TypeError('a fault of the program'),
])('a mirror whose first list fails throws its error: %s', async (error) => {
  const { deps, asked } = world({ lists: [failing(error)] });
  await expect(all(mirror('photos', {}, deps))).rejects.toBe(error);
  expect(asked).toHaveLength(1);
});

test('a mirror lists again when its list fails for a moment', async () => {
  const busy = failing(new StowageError('unavailable', 'busy'));
  const { deps } = world({ lists: [busy, busy, () => page('one', 5)] });
  expect(await all(mirror('photos', {}, deps))).toEqual([RESET, SNAPSHOT, at(5)]);
});

test('a mirror begins anew when the service refuses the token of a page', async () => {
  const refused = failing(new StowageError('invalid_request', 'page_token'));
  const first = () => page('one', 5, { next_page_token: 't' });
  const { deps } = world({ lists: [first, refused, () => page('one', 6)] });
  expect(await all(mirror('photos', {}, deps))).toEqual([
    ...[RESET, SNAPSHOT],
    ...[{ ...RESET, reason: 'bucket_replaced' }, SNAPSHOT, at(6)],
  ]);
});

test('a mirror throws what another page of its list fails with', async () => {
  const error = new StowageError('forbidden', 'no');
  const first = () => page('one', 5, { next_page_token: 't' });
  const { deps } = world({ lists: [first, failing(error), first] });
  await expect(all(mirror('photos', {}, deps))).rejects.toBe(error);
});

/** A mirror with a signal of its reader, and what is left of it. */
function stoppable(parts: World, options: MirrorOptions = {}) {
  const stop = new AbortController();
  const { deps, signals, ...rest } = world(parts);
  const events = mirror('photos', { ...options, signal: stop.signal }, deps);
  const left = () => [
    getEventListeners(stop.signal, 'abort').length,
    ...signals.map(({ aborted }) => aborted),
  ];
  return { ...rest, stop, events, left };
}

test('a mirror that is aborted before it begins asks for nothing', async () => {
  const { stop, events, asked } = stoppable({});
  stop.abort();
  expect([await all(events), asked]).toEqual([[], []]);
});

test('a mirror ends without an error when it is aborted, and ends its requests', async () => {
  const reset = failing(new StowageError('unavailable', 'busy'));
  const { stop, events, left } = stoppable({
    lists: [
      () => {
        stop.abort();
        return reset();
      },
    ],
  });
  expect(await all(events)).toEqual([]);
  expect(left()).toEqual([0, true]);
});

test('a mirror whose reader leaves ends its requests, and leaves the signal alone', async () => {
  const { events, left, stop } = stoppable({ changes: [[at(6), at(7)]] }, { cursor: 5 });
  expect((await events.next()).value).toEqual(at(6));
  expect(left()).toEqual([1, false]);
  await events.return();
  expect(left()).toEqual([0, true]);
  expect(stop.signal.aborted).toBe(false);
});
