/** The events of a mirror, by the lists and the changes that it gets, and how it ends. */
import { type ObjectDescriptor, StowageError, type SubscriptionEvent } from '../../../client';
import { type MirrorEvent, type MirrorOptions, mirror } from '../../../client/mirror';

type Deps = Parameters<typeof mirror>[2];

const object = (key: string, cursor = 1) => ({ key, cursor }) as ObjectDescriptor;
const page = (bucketId: string, cursor: number, more: object = {}) => ({
  ...{ bucket_id: bucketId, cursor, objects: [object('a')], prefixes: [], ...more },
});
const at = (cursor: number) =>
  ({ type: 'cursor', bucket: 'photos', bucketId: 'one', cursor, head: cursor }) as const;
const put = (key: string, cursor: number) =>
  ({ ...at(cursor), type: 'put', object: object(key, cursor) }) as never as SubscriptionEvent;
const RESET = { type: 'reset', bucket: 'photos', bucketId: 'one', reason: 'start' };
const SNAPSHOT = { type: 'snapshot', bucket: 'photos', bucketId: 'one', object: object('a') };
const TOKEN = { next_page_token: 't' };

interface World {
  /** Each answers one request for a list; the last one answers all further requests. */
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
  const areAborted = () => signals.every(({ aborted }) => aborted);
  return { deps, asked, followed, areAborted };
}

async function all(events: AsyncIterable<MirrorEvent>): Promise<MirrorEvent[]> {
  const seen: MirrorEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** The events of a mirror, and from where it followed the bucket. */
async function mirrored(parts: World, options: MirrorOptions = {}) {
  const { deps, ...asked } = world(parts);
  return { events: await all(mirror('photos', options, deps)), ...asked };
}

const failing = (error: Error) => () => {
  throw error;
};

test('a mirror lists all pages below its prefix, and follows from their cursor', async () => {
  const lists = [() => page('one', 5, TOKEN), () => page('one', 5)];
  const options = { prefix: 'a/', consumer: 'copy' };
  const { events, asked, followed } = await mirrored({ lists }, options);
  expect(events).toEqual([RESET, SNAPSHOT, SNAPSHOT, at(5)]);
  expect(asked).toMatchObject([{ prefix: 'a/' }, { prefix: 'a/', pageToken: 't' }]);
  expect(followed).toStrictEqual([{ bucketId: 'one', cursor: 5, prefix: 'a/', consumer: 'copy' }]);
});

test('a mirror without options lists and follows every key', async () => {
  const { followed } = await mirrored({});
  expect(followed).toStrictEqual([{ bucketId: 'one', cursor: 5, prefix: '' }]);
});

test('a mirror of a saved copy continues at its cursor, without a list', async () => {
  const copy = { cursor: 0, bucketId: 'one', digest: { sha256: 's', since: 0 } };
  const { events, asked, followed } = await mirrored({ changes: [[at(8)]] }, copy);
  expect([events, asked]).toEqual([[at(8)], []]);
  expect(followed).toStrictEqual([{ ...copy, prefix: '' }]);
});

test('a mirror of a copy behind the retention starts over with a list', async () => {
  const ends = { oldest: 7, head: 9 };
  const reset = { type: 'reset', bucket: 'photos', reason: 'cursor_expired', ...ends } as const;
  const copy = { cursor: 2, digest: { sha256: 's', since: 0 } };
  const { events, followed } = await mirrored({ changes: [[reset, at(99)], [at(9)]] }, copy);
  expect(events).toEqual([{ ...RESET, reason: 'cursor_expired' }, SNAPSHOT, at(5), at(9)]);
  expect(followed[1]).toStrictEqual({ bucketId: 'one', cursor: 5, prefix: '' });
});

test('a mirror returns changes and cursors, not the status of its connection', async () => {
  const status = { type: 'status', status: 'connected', transport: 'poll', buckets: [] } as const;
  const change = { ...at(6), type: 'delete', object: object('a') } as never as SubscriptionEvent;
  const { events } = await mirrored({ changes: [[status, change, at(6)]] }, { cursor: 5 });
  expect(events).toEqual([change, at(6)]);
});

test('a mirror that has shown a later version of a key does not go back to an earlier one', async () => {
  const lists = [() => page('one', 5, { objects: [object('a', 3), object('b', 8)] })];
  const changes = [put('b', 6), at(6), put('a', 7), at(7), put('b', 8), put('b', 9), at(9)];
  const { events } = await mirrored({ lists, changes: [changes] });
  // No cursor is announced before 8: the copy is ahead of it.
  expect(events.slice(3)).toEqual([put('a', 7), put('b', 9), at(9)]);
});

test('a mirror announces the cursor of its list when the list shows nothing newer', async () => {
  const { events } = await mirrored({
    lists: [() => page('one', 5, { objects: [object('a', 5)] })],
    changes: [[put('a', 6), at(6)]],
  });
  expect(events.slice(2)).toEqual([at(5), put('a', 6), at(6)]);
});

test.each<[string, () => object]>([
  ['are of two incarnations', () => page('two', 1)],
  ['have a token that is refused', failing(new StowageError('invalid_request', 'page_token'))],
])('a mirror starts over when the pages of its list %s', async (_what, second) => {
  const lists = [() => page('old', 5, TOKEN), second, () => page('one', 6)];
  const { events } = await mirrored({ lists });
  expect(events).toEqual([
    ...[
      { ...RESET, bucketId: 'old' },
      { ...SNAPSHOT, bucketId: 'old' },
    ],
    ...[{ ...RESET, reason: 'bucket_replaced' }, SNAPSHOT, at(6)],
  ]);
});

test('a mirror throws the error of its bucket', async () => {
  const error = new StowageError('forbidden', 'no');
  const ended = { type: 'ended', bucket: 'photos', error } as const;
  await expect(mirrored({ changes: [[ended, at(9)]] })).rejects.toBe(error);
});

test.each([
  [1, new StowageError('not_found', 'no bucket')],
  [1, new StowageError('invalid_request', 'a malformed prefix')],
  [1, new TypeError('a fault of the program')],
  [2, new StowageError('forbidden', 'no')],
])('a mirror throws the error of page %i of its list: %s', async (count, error) => {
  const lists = [() => page('one', 5, TOKEN), failing(error)].slice(2 - count);
  await expect(mirrored({ lists })).rejects.toBe(error);
});

test('a mirror lists again when its list fails for a moment', async () => {
  const busy = failing(new StowageError('unavailable', 'busy'));
  const { events } = await mirrored({ lists: [busy, busy, () => page('one', 5)] });
  expect(events).toEqual([RESET, SNAPSHOT, at(5)]);
});

test('a mirror that is aborted before it begins asks for nothing', async () => {
  const { events, asked } = await mirrored({}, { signal: AbortSignal.abort() });
  expect([events, asked]).toEqual([[], []]);
});

test('a mirror that is aborted ends its requests, and throws nothing', async () => {
  const stop = new AbortController();
  const busy = () => {
    stop.abort();
    throw new StowageError('unavailable', 'busy');
  };
  const { events, areAborted } = await mirrored({ lists: [busy] }, { signal: stop.signal });
  expect([events, areAborted()]).toEqual([[], true]);
});

test('a mirror whose reader leaves ends its requests', async () => {
  const { deps, areAborted } = world({ changes: [[at(6), at(7)]] });
  const events = mirror('photos', { cursor: 5 }, deps);
  expect((await events.next()).value).toEqual(at(6));
  expect(areAborted()).toBe(false);
  await events.return();
  expect(areAborted()).toBe(true);
});
