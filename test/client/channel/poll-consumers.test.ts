/** The cursor of a consumer, read and stored over HTTP. */
import { continueConsumer, storeConsumed } from '../../../client/channel/consumer-cursor';
import { LogPosition } from '../../../client/channel/log-position';
import { httpOf } from '../http/requests-of-http';
import { ID } from './open-channel';

const FOUND = { name: 'indexer', cursor: 4, bucket_id: ID };
const PATH = 'https://files.example/api/v2/storage/buckets/photos/consumers/indexer';
const MINE = { consumer: 'indexer' };

function world(found: unknown, options: object = MINE) {
  const { http, sent } = httpOf(() => Response.json(found));
  const { signal } = new AbortController();
  const followed = new LogPosition('photos', options);
  const begin = () => continueConsumer({ http, signal }, followed);
  const store = (now = 0) => storeConsumed(http, followed, now);
  const requests = () => sent.map(({ url, init }) => [init.method, url]);
  const bodies = () => sent.flatMap(({ init }) => (init.body ? [JSON.parse(`${init.body}`)] : []));
  return { followed, begin, store, requests, bodies };
}

test('a bucket begins at the cursor of its consumer', async () => {
  const { followed, begin, requests } = world(FOUND);
  await begin();
  expect(followed).toMatchObject({ cursor: 4, bucketId: ID, head: 4 });
  expect(requests()).toEqual([['GET', PATH]]);
});

test('a bucket whose incarnation is known keeps it: the service compares it with the cursor', async () => {
  const { followed, begin } = world(FOUND, { ...MINE, bucketId: 'known' });
  await begin();
  expect(followed).toMatchObject({ cursor: 4, bucketId: 'known' });
});

test('a bucket begins at its consumer only when both have the same prefix', async () => {
  const options = { ...MINE, prefix: 'a/' };
  const same = world({ ...FOUND, prefix: 'a/' }, options);
  await same.begin();
  expect(same.followed.cursor).toBe(4);
  for (const other of [world(FOUND, options), world({ ...FOUND, prefix: 'a/' })]) {
    await expect(other.begin()).rejects.toMatchObject({
      ...{ code: 'invalid_request', details: { field: 'prefix' } },
    });
    expect(other.followed.cursor).toBeUndefined();
  }
});

test.each<[string, unknown]>([
  ['no object', [FOUND]],
  ['no cursor', { ...FOUND, cursor: '4' }],
  ['no incarnation', { ...FOUND, bucket_id: undefined }],
])('a response with %s is rejected as a consumer', async (_what, found) => {
  const { begin, followed } = world(found);
  await expect(begin()).rejects.toMatchObject({ code: 'invalid_answer' });
  expect(followed.cursor).toBeUndefined();
});

/** A bucket whose reader is done with everything up to `consumed`, and began at 4. */
async function consumedUntil(consumed: number | undefined, found: unknown = FOUND, options = MINE) {
  const { followed, store, requests, bodies } = world(found, options);
  followed.begin(ID, 4, 9);
  followed.consumed = consumed;
  await store();
  expect(requests().every(([, url]) => url === PATH)).toBe(true);
  return { methods: requests().map(([method]) => method), bodies: bodies() };
}

test('a cursor is stored only if the stored cursor has not moved', async () => {
  expect(await consumedUntil(6)).toEqual({
    methods: ['GET', 'PUT'],
    bodies: [{ cursor: 6, if_cursor: 4, prefix: '', bucket_id: ID }],
  });
  const below = { ...MINE, prefix: 'a/' };
  const found = { ...FOUND, cursor: 5, prefix: 'a/' };
  expect((await consumedUntil(6, found, below)).bodies).toEqual([
    { cursor: 6, if_cursor: 5, prefix: 'a/', bucket_id: ID },
  ]);
});

test.each<[string, unknown]>([
  ['is at the same cursor', { ...FOUND, cursor: 6 }],
  ['is at a later cursor', { ...FOUND, cursor: 7 }],
  ['was moved back', { ...FOUND, cursor: 3 }],
  ['has another prefix', { ...FOUND, prefix: 'a/' }],
  ['has no cursor', { ...FOUND, cursor: '5' }],
  ['is a list', [FOUND]],
])('a cursor is not stored when the consumer %s', async (_what, found) => {
  expect(await consumedUntil(6, found)).toEqual({ methods: ['GET'], bodies: [] });
});

test('nothing is stored without a consumer, or before the reader is done with anything', async () => {
  expect((await consumedUntil(undefined)).methods).toEqual([]);
  expect((await consumedUntil(6, FOUND, {} as never)).methods).toEqual([]);
});

test('storing a cursor throws nothing when the service cannot be reached', async () => {
  const { http, sent } = httpOf(() => Promise.reject(new TypeError('fetch failed')));
  const followed = new LogPosition('photos', { ...MINE, cursor: 4 });
  await expect(storeConsumed(http, followed, 0)).resolves.toBeUndefined();
  expect(sent).toHaveLength(1);
});

test.each([1, 2])(
  'storing a cursor gives up some seconds after request %i gets no response',
  async (silent) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const { http, sent } = httpOf(({ init: { signal } }, count) =>
        count === silent
          ? new Promise((_, reject) =>
              signal?.addEventListener('abort', () => reject(signal.reason)),
            )
          : Response.json(FOUND),
      );
      const followed = new LogPosition('photos', { ...MINE, cursor: 6 });
      let isDone = false;
      void storeConsumed(http, followed, 0).then(() => (isDone = true));
      await jest.advanceTimersByTimeAsync(2_000);
      expect([isDone, sent.length]).toEqual([false, silent]);
      await jest.advanceTimersByTimeAsync(8_000);
      expect(isDone).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  },
);
