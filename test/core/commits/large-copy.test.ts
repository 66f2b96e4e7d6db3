/** Copies of more bytes than a commit copies. */

import { LIMITS } from '../../../core/limits';
import { commitIn, openWith, PLAIN } from './world';

const COPIES = [
  { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN },
  { op: 'copy', key: 'd', from: { key: 'c' }, content: PLAIN },
] as const;

/** Commits copies of two objects whose records have these sizes. */
async function copyBoth(sizes: Readonly<Record<'a' | 'c', number>>) {
  const { deps, bucket } = await openWith('a', 'c');
  const records = deps.state.objectsOf(bucket.id);
  for (const [key, size] of Object.entries(sizes)) {
    const record = records.get(key);
    if (record?.state === 'live') records.set(key, { ...record, size });
  }
  return commitIn(deps, COPIES);
}

test('a commit copies 5 GiB in all, and is refused for one byte more', async () => {
  const half = LIMITS.copyBytes / 2;
  expect(await copyBoth({ a: half, c: half })).toMatchObject({ result: 'committed' });
  await expect(copyBoth({ a: half, c: half + 1 })).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { bytes: LIMITS.copyBytes + 1, limit: LIMITS.copyBytes },
  });
});
