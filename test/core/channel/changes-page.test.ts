import { changesPage } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { BUCKET, openBucket } from '../../support/bucket-world';

const ENTRIES = 1_100;

/** A bucket whose log has that many entries. */
async function openLog() {
  const { deps, bucket } = await openBucket();
  const at = deps.clock.iso();
  for (let n = 0; n < ENTRIES; n++) {
    const cursor = await deps.commits.allocate(bucket);
    if (cursor === undefined) throw new Error('the bucket is gone');
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
  }
  return deps;
}

test.each([
  [500, 500, 1],
  [501, 501, 2],
  [1000, 1000, 2],
])('a page with limit=%d covers %d entries in %d reads of the log', async (limit, to, reads) => {
  const deps = await openLog();
  const read = jest.spyOn(deps.changeLog, 'read');
  const request = { bucket: BUCKET, prefix: '', cursor: 0, limit, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ from: 0, to, has_more: true });
  expect(read).toHaveBeenCalledTimes(reads);
});

test('the last page of a long log ends at the head', async () => {
  const deps = await openLog();
  const request = { bucket: BUCKET, prefix: '', cursor: 400, limit: 1000, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ from: 400, to: ENTRIES, head: ENTRIES, has_more: false });
});
