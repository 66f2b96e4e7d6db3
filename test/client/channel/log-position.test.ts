/** Which changes of a range a follower applies, and when the cursor of its consumer is stored. */
import { LogPosition } from '../../../client/channel/log-position';
import { sha256 } from '../../../client/channel/sha256';

type ChangeRange = Parameters<LogPosition['take']>[0];

/** A put for each cursor of (from, to]. */
function range(from: number, to: number, more: object = {}): ChangeRange {
  const cursors = Array.from({ length: to - from }, (_, n) => from + 1 + n);
  const changes = cursors.map((cursor) => ({ cursor, type: 'put', object: { cursor } }));
  return { bucket: 'photos', bucket_id: 'one', from, to, head: to, changes, ...more } as never;
}

function positionAt(options: object = {}) {
  const position = new LogPosition('photos', { cursor: 2, bucketId: 'one', ...options });
  const take = (...message: Parameters<typeof range>) => {
    const { verdict, events } = position.take(range(...message));
    return [verdict, ...events.map((event) => ('cursor' in event ? event.cursor : event.type))];
  };
  return { position, take };
}

test.each([
  [2, 4, ['applied', 3, 4, 4]],
  [0, 4, ['applied', 3, 4, 4]],
  [1, 3, ['applied', 3, 3]],
  [1, 2, ['old']],
  [0, 1, ['old']],
  [3, 4, ['gap']],
  [4, 6, ['gap']],
])('of a range from %i to %i a follower at 2 applies the changes after 2', (from, to, expected) => {
  const { position, take } = positionAt();
  expect(take(from, to)).toEqual(expected);
  expect(position.cursor).toBe(expected[0] === 'applied' ? to : 2);
});

test('a range of another incarnation, or before there is a cursor, is not applied', () => {
  const { position, take } = positionAt();
  expect(take(2, 4, { bucket_id: 'two' })).toEqual(['foreign']);
  expect(position.cursor).toBe(2);
  const fresh = positionAt({ cursor: undefined });
  expect(fresh.take(0, 2)).toEqual(['foreign']);
  expect([fresh.position.cursor, fresh.position.head]).toEqual([undefined, 0]);
});

test('the changes of a commit are returned with it, before the next cursor event', () => {
  const commit = { from: 3, to: 4 };
  const changes = range(2, 4).changes.map((change) => ({ ...change, commit }));
  const { events } = positionAt().position.take(range(2, 4, { changes }));
  expect(events).toMatchObject([{ commit }, { commit }, { type: 'cursor', cursor: 4 }]);
});

test('early ranges are applied after the range before them, each once', () => {
  const { position, take } = positionAt();
  for (const [from, to] of [
    [6, 8],
    [4, 6],
    [5, 7],
  ] as const) {
    expect(take(from, to)).toEqual(['gap']);
  }
  expect(take(4, 6, { bucket_id: 'two' })).toEqual(['foreign']);
  expect(take(2, 4)).toEqual(['applied', 3, 4, 4, 5, 6, 6, 7, 8, 8]);
  expect(position.cursor).toBe(8);
  expect(take(4, 6)).toEqual(['old']);
});

test('a follower keeps at most 32 early ranges', () => {
  const { position, take } = positionAt({ cursor: 0 });
  for (let from = 40; from >= 1; from--) take(from, from + 1);
  take(0, 1);
  expect(position.cursor).toBe(1);
  take(1, 9);
  expect(position.cursor).toBe(41);
});

test('a follower begins at the cursor of the service, or keeps its own', () => {
  const fresh = new LogPosition('photos');
  expect([fresh.begin('one', 4, 9), fresh.cursor, fresh.head]).toEqual([true, 4, 9]);
  expect([fresh.begin('two', 5, 10), fresh.cursor, fresh.head]).toEqual([false, 4, 9]);
  const { position: own } = positionAt();
  expect([own.begin('one', 4, 1), own.cursor, own.head, own.isBehind]).toEqual([true, 2, 1, false]);
  own.learnHead(3);
  own.learnHead(2);
  expect([own.head, own.isBehind]).toEqual([3, true]);
});

const begin = Buffer.from(sha256(new TextEncoder().encode('one')));
const digest = { sha256: begin.toString('base64'), since: 0 };
const OTHER = { ...digest, sha256: Buffer.from(sha256(begin)).toString('base64') };

test('a digest of another cursor, or of a bucket with a prefix, is not compared', () => {
  const { position } = positionAt({ cursor: 0 });
  expect([position.compare(1, OTHER), position.compare(0, undefined)]).toEqual([[], []]);
  const { position: below } = positionAt({ cursor: 0, prefix: 'a/' });
  expect(below.compare(0, OTHER)).toEqual([]);
  const { verdict, events } = below.take(range(0, 1, { digest: OTHER, changes: [] }));
  expect([verdict, events]).toMatchObject(['applied', [{ type: 'cursor', cursor: 1 }]]);
  expect([position.hasEnded, below.hasEnded]).toEqual([false, false]);
});

test('a digest is returned once for each cursor, and ends the bucket when it differs', () => {
  const { position } = positionAt({ cursor: 0 });
  position.learnHead(7);
  const at = { type: 'cursor', bucket: 'photos', bucketId: 'one', cursor: 0, head: 7 };
  expect(position.compare(0, digest)).toEqual([{ ...at, digest }]);
  expect(position.compare(0, digest)).toEqual([]);
  expect(position.compare(0, OTHER)).toMatchObject([
    { type: 'ended', bucket: 'photos', error: { code: 'digest_mismatch', details: { cursor: 0 } } },
  ]);
  expect(position.hasEnded).toBe(true);
});

test('the digest of an old range is compared when the range ends at the cursor', () => {
  const { verdict, events } = positionAt({ cursor: 0 }).position.take(range(0, 0, { digest }));
  expect([verdict, events]).toEqual(['old', [expect.objectContaining({ cursor: 0, digest })]]);
});

test('the changes of a range whose digest differs are not returned', () => {
  expect(positionAt({ cursor: 0 }).take(0, 1, { digest: OTHER })).toEqual(['applied', 'ended']);
});

test('a follower without a consumer stores nothing', () => {
  const { position } = positionAt();
  expect([position.isToStore(1e15), position.takeConsumed(0)]).toEqual([false, undefined]);
});

test('a consumer is stored when its reader is done with more, at most once in 30 s', () => {
  const { position } = positionAt({ consumer: 'indexer', cursor: undefined });
  position.begin('one', 4, 9);
  expect([position.isToStore(0), position.takeConsumed(0)]).toEqual([false, undefined]);
  position.consumed = 6;
  expect([position.isToStore(30_000), position.isToStore(position.storeAt)]).toEqual([false, true]);
  expect(position.takeConsumed(40_000)).toBe(6);
  expect(position.isToStore(120_000)).toBe(false);
  position.consumed = 7;
  expect([position.isToStore(140_000), position.isToStore(160_000)]).toEqual([false, true]);
});

test('a consumer moves on from where the follower began, or from a later cursor', () => {
  const { position } = positionAt({ consumer: 'indexer', cursor: undefined });
  position.begin('one', 4, 9);
  expect([3, 4, 5].map((stored) => position.mayMoveFrom(stored))).toEqual([false, true, true]);
  const { position: own } = positionAt({ consumer: 'indexer' });
  own.begin('one', 4, 9);
  expect(own.mayMoveFrom(0)).toBe(true);
});
