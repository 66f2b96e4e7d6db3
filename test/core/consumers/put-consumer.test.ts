/** Storing a cursor while others do, and what a request may hold. */
import {
  advanceConsumer,
  parseConsumerRequest,
  putConsumer,
} from '../../../core/consumers/consumers';
import type { Consumers } from '../../../core/consumers/ports';
import { LIMITS } from '../../../core/limits';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

const PLACE = { bucket: BUCKET, name: 'indexer' };

async function open() {
  const { deps, bucket } = await openBucket();
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  const id = { bucketId: bucket.id, name: 'indexer' };
  const at = (cursor: number) => ({ ...id, prefix: '', cursor, updatedAt: deps.clock.iso() });
  /** The same ports, with another `put` of consumers. */
  const withPut = (change: Consumers['put']) => ({
    ...deps,
    consumers: Object.assign(Object.create(deps.consumers) as Consumers, { put: change }),
  });
  return { deps, id, at, withPut };
}

const request = (cursor: number) => ({ cursor, prefix: '' });

test('a write whose response was lost is found, and not repeated', async () => {
  const { deps, at, withPut } = await open();
  let puts = 0;
  const losing = withPut(async (consumer, previous) => {
    puts += 1;
    await deps.consumers.put(consumer, previous);
    return 'changed';
  });
  expect(await putConsumer(losing, PLACE, request(2))).toEqual({ stored: at(2), isNew: false });
  expect(puts).toBe(1);
});

test('one consumer more than a bucket may have is in conflict', async () => {
  const { withPut } = await open();
  const full = putConsumer(
    withPut(async () => 'full'),
    PLACE,
    request(2),
  );
  await expect(full).rejects.toMatchObject({
    ...{ code: 'conflict', details: { bucket: BUCKET } },
    message: expect.stringContaining(String(LIMITS.consumersPerBucket)),
  });
});

describe('advanceConsumer', () => {
  test.each([
    [29_999, false, 2],
    [30_000, false, 3],
    [0, true, 3],
  ])('after %j ms, as the last one: %j, leaves the cursor %j', async (age, isLast, cursor) => {
    const { deps, at, id } = await open();
    await deps.consumers.put(at(2), undefined);
    deps.clock.advance(age);
    await advanceConsumer(deps, { ...id, prefix: '' }, 3, isLast);
    expect((await deps.consumers.get(id))?.cursor).toBe(cursor);
  });
});

describe('a request', () => {
  const parse = (body: Record<string, unknown>) => parseConsumerRequest(body, () => undefined);

  test.each([
    [{ cursor: 0 }, { cursor: 0, prefix: '' }],
    [
      { cursor: 1, prefix: 'a/' },
      { cursor: 1, prefix: 'a/' },
    ],
    [
      { cursor: 1, if_cursor: null },
      { cursor: 1, prefix: '', ifCursor: null },
    ],
    [
      { cursor: 1, if_cursor: 0 },
      { cursor: 1, prefix: '', ifCursor: 0 },
    ],
    [
      { cursor: 1, bucket_id: 'b00000000001' },
      { cursor: 1, prefix: '', bucketId: 'b00000000001' },
    ],
  ])('%j is read as %j', (body, expected) => {
    expect(parse(body)).toStrictEqual(expected);
  });

  test.each([
    [{}, 'cursor'],
    [{ cursor: null }, 'cursor'],
    [{ cursor: -1 }, 'cursor'],
    [{ cursor: 1, if_cursor: -1 }, 'if_cursor'],
    [{ cursor: 1, prefix: null }, 'prefix'],
    [{ cursor: 1, bucket_id: 1 }, 'bucket_id'],
    [{ cursor: 1, bucket: 'a' }, 'bucket'],
  ])('%j is refused for its field %s', (body, field) => {
    const refusal = { code: 'invalid_request', details: expect.objectContaining({ field }) };
    expect(() => parse(body)).toThrow(expect.objectContaining(refusal));
  });
});
