import { consumerCursor, storeCursor, storeLast } from '../../../core/channel/consumer-cursor';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

/** A bucket at cursor 3, and a consumer of `a/` at cursor 1. */
async function open() {
  const { deps, bucket } = await openBucket();
  for (const key of ['a/1', 'a/2', 'a/3']) await put(deps, key, 'x');
  const id = { bucketId: bucket.id, name: 'indexer' };
  const updatedAt = deps.clock.iso();
  await deps.consumers.put({ ...id, prefix: 'a/', cursor: 1, updatedAt }, undefined);
  deps.clock.advance(60_000);
  const followed = { bucket: BUCKET, bucketId: bucket.id, prefix: 'a/' };
  const stored = async () => (await deps.consumers.get(id))?.cursor;
  return { deps, followed, own: { ...followed, consumer: 'indexer' }, stored };
}

test('a subscription begins at the cursor of its consumer, if it has one', async () => {
  const { deps, followed, own } = await open();
  expect(await consumerCursor(deps, own)).toBe(1);
  expect(await consumerCursor(deps, followed)).toBeUndefined();
  await expect(consumerCursor(deps, { ...own, consumer: 'other' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(consumerCursor(deps, { ...own, prefix: '' })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'prefix' },
  });
});

test('the last cursor is stored soon after another one, which is not', async () => {
  const { deps, own, stored } = await open();
  await storeCursor(deps, own, 2);
  await storeCursor(deps, own, 3);
  expect(await stored()).toBe(2);
  await storeLast(deps, own, 3);
  expect(await stored()).toBe(3);
});

test('nothing is read or stored for a subscription without a consumer', async () => {
  const { deps, followed, stored } = await open();
  const read = jest.spyOn(deps.buckets, 'get');
  await storeCursor(deps, followed, 3);
  await storeLast(deps, followed, 3);
  expect(read).not.toHaveBeenCalled();
  expect(await stored()).toBe(1);
});

test('a last cursor that the bucket does not have is not stored', async () => {
  const { deps, own, stored } = await open();
  await storeLast(deps, own, 4);
  await storeLast(deps, { ...own, bucket: 'none' }, 2);
  expect(await stored()).toBe(1);
  jest.spyOn(deps.buckets, 'get').mockRejectedValue(new Error('no response'));
  await expect(storeLast(deps, own, 2)).rejects.toThrow('no response');
});
