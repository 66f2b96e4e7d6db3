/** The fields of a page of changes. */
import { changesPage, type PageRequest, pageText } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { changeView } from '../../../core/log/change-view';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

async function open(changes: number, published = changes) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < changes; n++) await put(deps, `k${n}`, 'x');
  await publishChanges(deps, BUCKET, { upTo: published });
  const ask = (request: Partial<PageRequest> = {}) =>
    changesPage(deps, { bucket: BUCKET, prefix: '', limit: 100, wait: 0, ...request }, NEVER_WAITS);
  return { deps, bucket, ask };
}

const DIGEST = { sha256: expect.any(String), since: 0 };

describe('a page', () => {
  test('has its range, the head, the digest and the changes', async () => {
    const { deps, bucket, ask } = await open(2);
    const { page, ...answer } = await ask({ cursor: 0 });
    const range = { bucket: BUCKET, bucket_id: bucket.id, from: 0, to: 2, head: 2 };
    expect(answer).toEqual({ head: 2 });
    if (!page) throw new Error('no page');
    const entries = await deps.changeLog.read(bucket.id, 0, 2);
    const views = entries.flatMap((entry) => (entry.type === 'noop' ? [] : [changeView(entry)]));
    expect(JSON.parse(pageText(page))).toEqual({
      ...{ ...range, has_more: false, digest: DIGEST },
      changes: JSON.parse(JSON.stringify(views)),
    });
  });

  test.each([
    [
      { cursor: 0, limit: 1 },
      { from: 0, to: 1, head: 2, has_more: true },
    ],
    [
      { cursor: 0, limit: 2 },
      { from: 0, to: 2, head: 2, has_more: true, digest: DIGEST },
    ],
    [
      { cursor: 0, limit: 2, prefix: 'k' },
      { from: 0, to: 2, head: 2, has_more: true },
    ],
    [
      { cursor: 0, prefix: 'k' },
      { from: 0, to: 3, head: 3, has_more: false },
    ],
    [{ cursor: 3 }, { from: 3, to: 3, head: 3, has_more: false }],
    [{}, { from: 3, to: 3, head: 3, has_more: false }],
  ])('for %j has the fields %j', async (request, fields) => {
    const { bucket, ask } = await open(3, 2);
    const { page } = await ask(request);
    const { changes, ...rest } = page ?? { changes: [] };
    expect(rest).toEqual({ bucket: BUCKET, bucket_id: bucket.id, ...fields });
    expect(changes).toHaveLength(fields.to - fields.from);
  });
});
