/** Storing a cursor while others do, and what a request may hold. */
import {
  advanceConsumer,
  noSuchConsumer,
  parseConsumerName,
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

test.each([
  ['another cursor', { cursor: 1 }],
  ['another time', { updatedAt: '2020-01-01T00:00:00.000Z' }],
])('what another request stored with %s is not its own', async (_name, change) => {
  const { deps, at, withPut } = await open();
  let puts = 0;
  const racing = withPut(async (consumer, previous) => {
    puts += 1;
    if (puts > 1) return deps.consumers.put(consumer, previous);
    await deps.consumers.put({ ...consumer, ...change }, previous);
    return 'changed';
  });
  expect(await putConsumer(racing, PLACE, request(2))).toEqual({ stored: at(2), isNew: false });
  expect(puts).toBe(2);
});

test('a consumer of another prefix that was made meanwhile is in conflict', async () => {
  const { deps, withPut } = await open();
  const racing = withPut(async (consumer, previous) => {
    await deps.consumers.put({ ...consumer, prefix: 'a/' }, previous);
    return 'changed';
  });
  await expect(putConsumer(racing, PLACE, request(2))).rejects.toMatchObject({ code: 'conflict' });
});

test.each([
  ['stored', { isNew: true }],
  ['duplicate', undefined],
] as const)('an idempotency record that is %s', async (outcome, result) => {
  const { withPut } = await open();
  const given: unknown[] = [];
  const record = { id: 'i', request: 'r', response: 's', expiresAt: 1 } as never;
  const answering = withPut(async (_consumer, _previous, idempotency) => {
    given.push(idempotency);
    return outcome;
  });
  const put = await putConsumer(answering, PLACE, request(2), () => record);
  expect(put && { isNew: put.isNew }).toEqual(result);
  expect(given).toEqual([record]);
});

test('a cursor that others keep moving is given up after five attempts', async () => {
  const { withPut } = await open();
  let puts = 0;
  const racing = withPut(async () => {
    puts += 1;
    return 'changed';
  });
  const moved = putConsumer(racing, PLACE, request(2));
  await expect(moved).rejects.toMatchObject({ code: 'unavailable' });
  expect(puts).toBe(5);
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

test.each([
  [
    { cursor: 1, ifCursor: null },
    { field: 'if_cursor', cursor: 2 },
  ],
  [{ cursor: 1 }, { field: 'if_cursor', cursor: 2 }],
  [
    { cursor: 2, ifCursor: 3 },
    { field: 'if_cursor', cursor: 2 },
  ],
])('%j of a consumer at 2 is refused with %j', async (change, details) => {
  const { deps, at } = await open();
  await deps.consumers.put(at(2), undefined);
  const refused = putConsumer(deps, PLACE, { ...request(1), ...change });
  await expect(refused).rejects.toMatchObject({ code: 'precondition_failed', details });
});

test('a condition on a consumer that is not there is refused without a cursor', async () => {
  const { deps } = await open();
  const refused = putConsumer(deps, PLACE, { ...request(1), ifCursor: 1 });
  await expect(refused).rejects.toMatchObject({ details: { field: 'if_cursor' } });
  await expect(refused).rejects.not.toMatchObject({ details: { cursor: expect.anything() } });
});

test('the errors of consumers name what they are about', async () => {
  const { deps, at } = await open();
  expect(noSuchConsumer('indexer')).toMatchObject({
    ...{ code: 'not_found', message: expect.stringContaining('indexer') },
  });
  await deps.consumers.put({ ...at(2), prefix: 'a/' }, undefined);
  await expect(putConsumer(deps, PLACE, request(2))).rejects.toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('another prefix') },
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

  test('is not the last one by default', async () => {
    const { deps, at, id } = await open();
    await deps.consumers.put(at(2), undefined);
    await advanceConsumer(deps, { ...id, prefix: '' }, 3);
    expect((await deps.consumers.get(id))?.cursor).toBe(2);
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

  test('without a cursor says that it is missing, one with a wrong cursor what it must be', () => {
    expect(() => parse({})).toThrow('cursor: is required');
    expect(() => parse({ cursor: 'a' })).toThrow('cursor: must be a whole number');
  });

  test('of a caller who lacks the permission for the prefix is parsed no further', () => {
    const denied = new Error('denied');
    const parsed = () =>
      parseConsumerRequest({ prefix: 'a/', cursor: 'x' }, (prefix) => {
        expect(prefix).toBe('a/');
        throw denied;
      });
    expect(parsed).toThrow(denied);
  });
});

test.each([
  ['a', true],
  ['A.b_c-9', true],
  ['x'.repeat(LIMITS.consumerNameLength), true],
  ['x'.repeat(LIMITS.consumerNameLength + 1), false],
  ['', false],
  ['-a', false],
  ['a b', false],
  [1, false],
])('the name %j is accepted: %j', (name, isAccepted) => {
  const parsed = () => parseConsumerName(name, 'consumer');
  if (isAccepted) expect(parsed()).toBe(name);
  else
    expect(parsed).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^consumer:/) }),
    );
});
