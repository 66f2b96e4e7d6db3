/** Copies of more bytes than a commit copies. */

import type { RequestedChange } from '../../../core/commits/commit-request';
import { beginCopy, type LargeCopy } from '../../../core/commits/large-copy';
import { LIMITS } from '../../../core/limits';
import { BUCKET } from '../../support/bucket-world';
import { newIdempotencyRecord } from '../../support/samples';
import { commitIn, openWith, PLAIN } from './world';

const COPY = { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN } as const;
const MOVE = { op: 'move', key: 'b', from: { key: 'a' } } as const;
const MORE = { op: 'copy', key: 'd', from: { key: 'c' }, content: PLAIN } as const;
const SIGNER = { keyId: 'signer', generation: 1 };

/** Objects whose records say that they have so many bytes. */
async function openWithSizes(sizes: Readonly<Record<string, number>>) {
  const opened = await openWith(...Object.keys(sizes));
  const { deps, bucket } = opened;
  for (const [key, size] of Object.entries(sizes)) {
    const records = deps.state.objectsOf(bucket.id);
    const record = records.get(key);
    if (record?.state === 'live') records.set(key, { ...record, size });
  }
  return opened;
}

test('a commit copies 5 GiB in all', async () => {
  const half = LIMITS.copyBytes / 2;
  const { deps } = await openWithSizes({ a: half, c: half });
  expect(await commitIn(deps, [COPY, MORE])).toMatchObject({ result: 'committed' });
});

test('a commit that only copies an object of more bytes is a large copy', async () => {
  const { deps, bucket, recordOf } = await openWithSizes({ a: LIMITS.copyBytes + 1 });
  expect(await commitIn(deps, [COPY])).toEqual({
    ...{ result: 'large', change: COPY, source: await recordOf('a') },
    bucket: { name: BUCKET, id: bucket.id },
  });
  expect((await deps.buckets.get(BUCKET))?.cursor).toBe(1);
});

test.each<[string, readonly RequestedChange[], object]>([
  ['with another copy', [COPY, MORE], {}],
  ['after another change', [{ op: 'delete', key: 'c', ifExists: false }, COPY], {}],
  ['that is a move', [MOVE], {}],
  ['with if_cursor', [COPY], { ifCursor: 2 }],
])('a commit %s copies no more', async (_, changes, more) => {
  const { deps } = await openWithSizes({ a: LIMITS.copyBytes, c: 1 });
  const records = deps.state.objectsOf((await deps.bucketIds.resolve(BUCKET)).id);
  const a = records.get('a');
  const isSum = changes.length > 1 && changes[0] === COPY;
  if (a?.state === 'live' && !isSum) records.set('a', { ...a, size: LIMITS.copyBytes + 1 });
  await expect(commitIn(deps, changes, more)).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { bytes: LIMITS.copyBytes + 1, limit: LIMITS.copyBytes },
  });
});

async function largeCopy(more: Partial<LargeCopy['change']> = {}) {
  const opened = await openWithSizes({ a: 6 * 1024 ** 3 });
  const outcome = await commitIn(opened.deps, [{ ...COPY, ...more }]);
  if (outcome.result !== 'large') throw new Error(outcome.result);
  return { ...opened, outcome };
}

test('a large copy begins as an upload of parts, described as the copy will be', async () => {
  const content = { headers: {}, metadata: { a: 'b' }, expiresAt: '2026-02-01T00:00:00.000Z' };
  const { deps, bucket, outcome } = await largeCopy({ ifMatch: '"e"', content });
  const upload = await beginCopy(deps, outcome, SIGNER);
  const { source } = outcome;
  expect(upload).toEqual({
    ...{ bucket: BUCKET, bucketId: bucket.id, key: 'b', state: 'pending', store: 'content' },
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    blob: `uploads/${BUCKET}.${bucket.id}/b/${upload?.id}`,
    ...{ signer: SIGNER, ifMatch: '"e"', ifNoneMatch: undefined },
    multipartId: expect.any(String),
    objectExpiresAt: content.expiresAt,
    copyOf: { blob: source.blob, etag: source.etag, size: source.size },
    ...{ size: 6 * 1024 ** 3, partSize: LIMITS.largeCopyPartBytes },
    expiresAt: '2026-01-06T00:00:00.000Z',
    ttl: Date.parse('2026-01-13T00:00:00.000Z') / 1000,
  });
  expect(await deps.uploads.get(upload?.id ?? '')).toMatchObject({ state: 'pending' });
  expect(deps.state.multiparts.get(upload?.multipartId ?? '')).toMatchObject({
    ...{ blob: upload?.blob, metadata: { a: 'b' } },
    contentType: source.contentType,
  });
});

test('a large copy does not expire unless it says so', async () => {
  const { deps, outcome } = await largeCopy({ ifNoneMatch: '*' });
  const upload = await beginCopy(deps, outcome, undefined);
  expect(upload).not.toHaveProperty('objectExpiresAt');
  expect(upload).toMatchObject({ ifNoneMatch: '*' });
});

test('a second large copy with an idempotency key leaves no parts', async () => {
  const { deps, outcome } = await largeCopy();
  const saved = newIdempotencyRecord({ expiresAt: 9e9 });
  const first = await beginCopy(deps, outcome, SIGNER, () => saved);
  expect(await beginCopy(deps, outcome, SIGNER, () => saved)).toBeUndefined();
  expect([...deps.state.multiparts.keys()]).toEqual([first?.multipartId]);
  expect(deps.state.uploads.size).toBe(1);
});
