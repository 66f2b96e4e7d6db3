/** How far a bucket is followed, and what of it is stored for its consumer. */
import { LogPosition } from '../../../client/channel/log-position';
import { sha256 } from '../../../client/channel/sha256';

type ChangeRange = Parameters<LogPosition['take']>[0];

const range = (from: number, to: number, more: object = {}): ChangeRange => ({
  ...{ bucket: 'photos', bucket_id: 'one', from, to, head: to, changes: [] },
  ...more,
});

const follow = (options: object = {}) =>
  new LogPosition('photos', { cursor: 2, bucketId: 'one', ...options });

test('a bucket without a cursor takes no range, even of its incarnation', () => {
  const followed = follow({ cursor: undefined });
  expect(followed.take(range(0, 2))).toEqual({ verdict: 'foreign', events: [] });
  expect([followed.cursor, followed.head]).toEqual([undefined, 0]);
});

test('a bucket begins at the cursor of the service, or keeps its own', () => {
  const fresh = new LogPosition('photos');
  expect([fresh.begin('one', 4, 9), fresh.cursor, fresh.head]).toEqual([true, 4, 9]);
  expect([fresh.begin('two', 5, 10), fresh.cursor, fresh.head]).toEqual([false, 4, 9]);
  const own = follow();
  expect([own.begin('one', 4, 1), own.cursor, own.head, own.isBehind]).toEqual([true, 2, 1, false]);
  own.learnHead(3);
  own.learnHead(2);
  expect([own.head, own.isBehind]).toEqual([3, true]);
});

test('early ranges are applied in their order, each once', () => {
  const followed = follow();
  for (const [from, to] of [
    [4, 6],
    [5, 6],
    [6, 8],
  ] as const) {
    expect(followed.take(range(from, to)).verdict).toBe('gap');
  }
  const { events } = followed.take(range(2, 4));
  expect(events.map((event) => 'cursor' in event && event.cursor)).toEqual([4, 6, 8]);
});

test('the 33rd early range is not kept', () => {
  const followed = follow({ cursor: 0 });
  for (let from = 40; from >= 8; from--) followed.take(range(from, from + 1));
  followed.take(range(0, 8));
  expect(followed.cursor).toBe(8);
  followed.take(range(8, 9));
  expect(followed.cursor).toBe(41);
});

const begin = Buffer.from(sha256(new TextEncoder().encode('one')));
const digest = { sha256: begin.toString('base64'), since: 0 };
const OTHER = { ...digest, sha256: Buffer.from(sha256(begin)).toString('base64') };

test('a digest of another cursor, or of a bucket with a prefix, is not compared', () => {
  const followed = follow({ cursor: 0 });
  expect([followed.compare(1, OTHER), followed.compare(0, undefined)]).toEqual([[], []]);
  const below = follow({ cursor: 0, prefix: 'a/' });
  expect(below.compare(0, OTHER)).toEqual([]);
  expect(below.take(range(0, 1, { digest: OTHER }))).toMatchObject({
    ...{ verdict: 'applied', events: [{ type: 'cursor', cursor: 1 }] },
  });
  expect([followed.hasEnded, below.hasEnded]).toEqual([false, false]);
});

test('a digest is returned once at each cursor, and ends the bucket when it is another one', () => {
  const followed = follow({ cursor: 0 });
  followed.learnHead(7);
  const at = { type: 'cursor', bucket: 'photos', bucketId: 'one', cursor: 0, head: 7 };
  expect(followed.compare(0, digest)).toEqual([{ ...at, digest }]);
  expect(followed.compare(0, digest)).toEqual([]);
  expect(followed.compare(0, OTHER)).toMatchObject([
    { type: 'ended', bucket: 'photos', error: { code: 'digest_mismatch', details: { cursor: 0 } } },
  ]);
  expect(followed.hasEnded).toBe(true);
});

test('an old range whose end is the cursor is compared, and applied no more', () => {
  const followed = follow({ cursor: 0 });
  const { verdict, events } = followed.take(range(0, 0, { digest }));
  expect([verdict, events]).toEqual(['old', [expect.objectContaining({ cursor: 0, digest })]]);
});

test('a range whose digest is another one is applied without its changes', () => {
  const change = { cursor: 1, type: 'put', object: { key: 'a' } };
  const followed = follow({ cursor: 0 });
  const { verdict, events } = followed.take(range(0, 1, { changes: [change], digest: OTHER }));
  expect([verdict, events.map(({ type }) => type)]).toEqual(['applied', ['ended']]);
});

test('a reader that saved a digest compares with it', () => {
  expect(follow({ digest }).compare(2, OTHER)).toMatchObject([{ type: 'ended' }]);
  expect(follow({ digest }).compare(2, digest)).toEqual([]);
});

test('a bucket without a consumer stores nothing', () => {
  const followed = follow();
  expect([followed.storeAt, followed.isToStore(1e15), followed.takeConsumed(0)]).toEqual([
    ...[Number.POSITIVE_INFINITY, false, undefined],
  ]);
});

test('a consumer is stored when its reader is done with more, at most each 31 s', () => {
  const followed = follow({ consumer: 'indexer', cursor: undefined });
  followed.begin('one', 4, 9);
  expect([followed.isToStore(1_000), followed.takeConsumed(1_000)]).toEqual([false, undefined]);
  expect(followed.storeAt).toBe(32_000);
  followed.consumed = 6;
  expect([followed.isToStore(31_999), followed.isToStore(32_000)]).toEqual([false, true]);
  // Until it was sent.
  expect(followed.isToStore(32_001)).toBe(true);
  expect([followed.takeConsumed(33_000), followed.storeAt]).toEqual([6, 64_000]);
  expect([followed.isToStore(64_000), followed.storeAt]).toEqual([false, 95_000]);
  followed.consumed = 7;
  expect([followed.isToStore(94_999), followed.isToStore(95_000)]).toEqual([false, true]);
});

test('a consumer moves on from where the bucket began, or from what is further', () => {
  const followed = follow({ consumer: 'indexer', cursor: undefined });
  followed.begin('one', 4, 9);
  expect([3, 4, 5].map((stored) => followed.mayMoveFrom(stored))).toEqual([false, true, true]);
  const own = follow({ consumer: 'indexer' });
  own.begin('one', 4, 9);
  expect(own.mayMoveFrom(0)).toBe(true);
});
