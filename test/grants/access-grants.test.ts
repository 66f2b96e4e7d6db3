/** The grants of the function that principals invoke without an API key. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemIds } from '../../adapters/system';
import { sha256Base64 } from '../../core/http/digests';
import { putObject } from '../../core/objects/objects';
import type { AccessReport } from '../../emulator/src/iam/access-report';
import { newUpload } from '../support/samples';
import { useTemporaryFolder } from '../support/temporary-folder';
import { type Access, startAccess } from '../system/access/service';
import { openStores } from '../system/support/local-service';
import { abortsCopy } from './objects';

const reportFile = path.join(useTemporaryFolder('report'), 'iam.json');
let access: Access;
beforeAll(async () => {
  access = await startAccess(['--iam-report', reportFile]);
});
afterAll(() => access.stop());

test('the function has exactly the grants that its calls need', async () => {
  const { as, status, service } = access;
  const internal = access.internalStores();
  const operator = openStores(access.folder);
  const bucket = 'needed';
  const body = JSON.stringify({ name: bucket });
  expect(await status('writer', 'POST', '/buckets', { body })).toBe(201);
  expect(await status('writer', 'GET', '/buckets', { query: { limit: '1' } })).toBe(200);
  const rules = JSON.stringify({ lifecycle: [{ expire_after_days: 1 }] });
  expect(await status('writer', 'PATCH', `/buckets/${bucket}`, { body: rules })).toBe(200);
  const at = `/objects/${bucket}/x`;
  const headers = { 'Idempotency-Key': 'once' };
  for (const text of ['one', 'two']) {
    expect(await status('writer', 'PUT', at, { body: text })).toBeLessThan(300);
  }
  expect(await status('writer', 'PUT', at, { body: 'three', headers })).toBe(200);
  expect(await status('writer', 'GET', at, { query: { version: '1' } })).toBe(200);

  const commit = (change: object) =>
    status('writer', 'POST', '/commits', { body: JSON.stringify({ bucket, changes: [change] }) });
  expect(await commit({ op: 'put', key: 'committed', content: '' })).toBe(201);
  expect(await commit({ op: 'delete', key: 'committed' })).toBe(201);
  await abortsCopy(internal, bucket);
  const consumer = `/buckets/${bucket}/consumers/indexer`;
  const cursor = JSON.stringify({ cursor: 1 });
  expect(await status('writer', 'PUT', consumer, { body: cursor })).toBe(403);
  const followed = '/buckets/photos/consumers/indexer';
  const begin = JSON.stringify({ cursor: 0, prefix: 'public/' });
  expect(await status('follower', 'PUT', followed, { body: begin })).toBe(201);
  expect(await status('follower', 'GET', '/buckets/photos/consumers')).toBe(200);
  expect(await status('follower', 'DELETE', followed)).toBe(204);

  const upload = { do: 'upload', bucket, key: 'uploaded', body: 'by URL' } as const;
  expect(await as('writer', upload)).toEqual({ value: 200 });
  while ((await status('writer', 'HEAD', `/objects/${bucket}/uploaded`)) !== 200) await wait(50);
  expect(await status('writer', 'GET', `/objects/${bucket}/uploaded`)).toBe(200);
  const parts = { size: 10_000 * 5_242_880, part_size: 5_242_880 };
  const tooMany = JSON.stringify({ method: 'PUT', bucket, key: 'parts', multipart: parts });
  expect(await status('writer', 'POST', '/signed-url', { body: tooMany })).toBe(400);
  const again = JSON.stringify({ method: 'PUT', bucket, key: 'p', multipart: { size: 6e6 } });
  expect(await status('writer', 'POST', '/signed-url', { body: again })).toBe(201);

  const { id } = await internal.bucketIds.refresh(bucket);
  const staged = newUpload({ id: systemIds.ulid(), bucket, bucketId: id, key: 'staged' });
  await operator.uploads.create(staged);
  const stagedContent = { size: 0, etag: 'abc', contentType: 'a/b', headers: {}, metadata: {} };
  await operator.uploads.stage(
    staged.id,
    stagedContent,
    new Date(Date.now() + 60_000).toISOString(),
  );
  expect(await commit({ op: 'put', key: 'staged', upload_id: staged.id })).toBe(201);

  // A missing blob is distinguished from a forbidden one.
  const record = await operator.objects.get(id, 'x');
  if (record?.state !== 'live') throw new Error('x is not there');
  await operator.blobs.remove([record.blob]);
  expect(await status('writer', 'GET', at)).toBe(404);

  for (const key of ['x', 'uploaded', 'staged']) {
    expect(await as('writer', { do: 'delete', bucket, key })).toMatchObject({ value: {} });
  }
  for (const caller of ['reader', 'follower'] as const) {
    expect(await as(caller, { do: 'list', bucket: 'photos' })).toMatchObject({
      value: ['public/a'],
    });
  }
  // An unused cursor, whose gap the deletion of the bucket must fill.
  await operator.commits.allocate({ name: bucket, id });
  expect(await status('writer', 'DELETE', `/buckets/${bucket}`)).toBe(204);
  // A writer that has cached the deleted bucket removes the blob that it stored.
  const text = Buffer.from('x');
  const content = { body: text, contentType: 'text/plain', headers: {}, metadata: {} };
  const late = putObject(
    internal,
    { bucket: bucket, key: 'late' },
    { ...content, checksumSha256: sha256Base64(text) },
    { conditions: () => undefined, conditional: false },
  );
  await expect(late).rejects.toMatchObject({ code: 'not_found' });
  internal.close();
  operator.close();

  expect(await service.interrupt()).toBe(0);
  const { roles }: AccessReport = JSON.parse(readFileSync(reportFile, 'utf8'));
  const grantsOf = (role: string) =>
    Object.entries(roles).find(([name]) => name.startsWith(role))?.[1] ?? {
      grants: [],
      refused: [],
    };
  const own = grantsOf('StorageAccessInternalRole');
  expect(own.grants.length).toBeGreaterThan(20);
  expect(own.grants.filter(({ neededBy }) => neededBy === undefined)).toEqual([]);
  expect(own.refused).toEqual([]);
  for (const caller of ['reader', 'writer', 'follower']) {
    const { grants } = grantsOf(`${caller}ServiceRole`);
    const invocations = grants.filter(({ action }) => action === 'lambda:InvokeFunction');
    expect(invocations).toEqual([expect.objectContaining({ neededBy: expect.any(String) })]);
  }
});
