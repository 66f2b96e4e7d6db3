/** Copies that take longer than a request, on the real adapters: requested, made, committed. */
import { copyObjects } from '../../../core/maintenance/copy-objects';
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { newKey } from '../../support/samples';
import { type Service, startService } from '../../support/service';
import { BYTES, bucketWithFilm, LEASES_END_MS, lowerLimits } from './world';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
lowerLimits();

/** Another test may have left copies. */
beforeEach(async () => {
  const { pendingCopies } = service.open();
  for (const { id } of await pendingCopies.list()) await pendingCopies.remove(id);
});

const DAY = 86_400_000;

test('a large copy has the bytes of its source and what the change sets, as a new object', async () => {
  const { keyId, ask, bucket, bucketId, commit, runs, state, read, deps } =
    await bucketWithFilm(service);
  const begun = await commit({
    content_type: 'video/webm',
    expires_at: '2099-01-01T00:00:00.000Z',
  });
  expect(begun.status).toBe(202);
  const { upload_id: id } = begun.json();
  expect(begun.json()).toEqual({ upload_id: id, bucket, key: 'copy', state: 'pending' });
  expect(await state(id)).toEqual(begun.json());
  expect((await ask({ path: `/objects/${bucket}/copy` })).status).toBe(404);

  await runs();

  const committed = { bucket, key: 'copy', version: 1, cursor: 2 };
  expect(await state(id)).toMatchObject({ state: 'committed', object: committed });
  expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
  const query = { view: 'descriptor' };
  expect((await ask({ path: `/objects/${bucket}/copy`, query })).json()).toMatchObject({
    ...committed,
    size: BYTES.length,
    content_type: 'video/webm',
    metadata: { camera: 'x100' },
    expires_at: '2099-01-01T00:00:00.000Z',
  });
  const record = await deps.objects.get(bucketId, 'copy');
  expect(record).toMatchObject({ headers: { 'cache-control': 'no-cache' }, by: keyId });
  expect(await deps.pendingCopies.list()).toEqual([]);
});

test('a commit that does more than a large copy is refused, and says to send it alone', async () => {
  const { ask, bucket, deps, commit } = await bucketWithFilm(service);
  const copy = { op: 'copy', key: 'copy', from: { key: 'film' } };
  const other = { op: 'put', key: 'b', content: '' };
  const both = JSON.stringify({ bucket, changes: [copy, other] });
  const move = JSON.stringify({ bucket, changes: [{ ...copy, op: 'move' }] });
  const refused = [
    await ask({ method: 'POST', path: '/commits', body: both }),
    await ask({ method: 'POST', path: '/commits', body: move }),
    await commit({}, { if_cursor: 1 }),
  ];
  for (const response of refused) {
    expect(response.status).toBe(413);
    expect(response.json()).toMatchObject({
      error: { message: expect.stringContaining('in a commit of its own, without if_cursor') },
    });
  }
  expect(await deps.pendingCopies.list()).toEqual([]);
});

test('a request that is repeated under its Idempotency-Key begins one copy', async () => {
  const { commit, deps } = await bucketWithFilm(service);
  const headers = { 'idempotency-key': 'one' };
  const responses = await Promise.all([commit({}, {}, headers), commit({}, {}, headers)]);
  const [first, second] = responses.map((response) => response.json());
  expect(first).toEqual(second);
  expect(await deps.pendingCopies.list()).toHaveLength(1);
});

test('conditions are checked by the request, and again when the copy is committed', async () => {
  const { ask, bucket, deps, commit, runs, state, read } = await bucketWithFilm(service);
  expect((await commit({ key: 'film', from: { key: 'film' }, if_none_match: '*' })).status).toBe(
    412,
  );
  const begun = await commit({ if_none_match: '*' });
  expect(begun.status).toBe(202);
  await ask({ method: 'PUT', path: `/objects/${bucket}/copy`, body: 'meanwhile' });
  await runs();
  const { upload_id: id } = begun.json();
  expect(await state(id)).toMatchObject({ state: 'discarded', reason: 'precondition_failed' });
  expect((await read('copy'))?.toString()).toBe('meanwhile');
  expect(await deps.pendingCopies.list()).toEqual([]);
});

test.each(['PUT', 'DELETE'])(
  'a %s of the source meanwhile leaves the copy as it was',
  async (method) => {
    const { ask, bucket, commit, runs, read } = await bucketWithFilm(service);
    expect((await commit({})).status).toBe(202);
    await ask({
      method,
      path: `/objects/${bucket}/film`,
      ...(method === 'PUT' && { body: 'x' }),
    });
    await runs();
    expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
  },
);

test('a copy whose source is no longer kept is discarded, and its parts are removed', async () => {
  const { bucketId, deps, commit, runs, state } = await bucketWithFilm(service);
  const { upload_id: id } = (await commit({})).json();
  const source = await deps.objects.get(bucketId, 'film');
  if (source?.state !== 'live') throw new Error('there is no source');
  await deps.blobs.remove([source.blob]);
  const upload = await deps.uploads.get(String(id));
  await runs();
  expect(await state(id)).toMatchObject({ state: 'discarded', reason: 'source_deleted' });
  expect(await deps.pendingCopies.list()).toEqual([]);
  const place = { blob: upload?.blob ?? '', multipartId: upload?.multipartId ?? '' };
  expect(await deps.partCopies.list(place)).toBeUndefined();
});

test('two concurrent runs make one copy', async () => {
  const { deps, commit, runs, read } = await bucketWithFilm(service);
  expect((await commit({})).status).toBe(202);
  await Promise.all([copyObjects(deps, NEVER_STOP), copyObjects(deps, NEVER_STOP)]);
  await runs();
  expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
  expect(await deps.pendingCopies.list()).toEqual([]);
});

test('a run that has no time left leaves the copy to the next one', async () => {
  const { clock, commit, deps, runs, read } = await bucketWithFilm(service);
  expect((await commit({})).status).toBe(202);
  let looks = 0;
  await copyObjects(
    deps,
    stopWhen(() => ++looks > 1),
  );
  expect(await read('copy')).toBeUndefined();
  clock.advance(1);
  await runs();
  expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
});

test('a copy whose report was lost is committed by the janitor', async () => {
  const { commit, deps, read } = await bucketWithFilm(service);
  expect((await commit({})).status).toBe(202);
  await copyObjects(deps, NEVER_STOP);
  await copyObjects(deps, NEVER_STOP);
  expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
  expect(await deps.pendingCopies.list()).toEqual([]);
});

test('a copy needs write of its key at the end, but not sign', async () => {
  const { keyId, commit, runs, state } = await bucketWithFilm(service);
  const key = (actions: readonly ('read' | 'write')[]) =>
    service.putKey({ ...newKey({ id: keyId }), permissions: [{ buckets: ['*'], actions }] });
  await key(['read', 'write']);
  const first = (await commit({})).json();
  await runs();
  expect(await state(first.upload_id)).toMatchObject({ state: 'committed' });
  const second = (await commit({})).json();
  await key(['read']);
  await runs();
  expect(await state(second.upload_id)).toMatchObject({ state: 'discarded', reason: 'forbidden' });
});

test('no URL is signed for the parts of a copy', async () => {
  const { ask, bucket, commit } = await bucketWithFilm(service);
  const { upload_id } = (await commit({})).json();
  const body = { bucket, key: 'copy', method: 'PUT', multipart: { upload_id } };
  const request = { method: 'POST', path: '/signed-url', body: JSON.stringify(body) };
  expect((await ask(request)).status).toBe(404);
});

test('a copy that is not made in time is discarded as expired', async () => {
  const { clock, commit, deps, runs, state } = await bucketWithFilm(service);
  const { upload_id: id } = (await commit({})).json();
  clock.advance(6 * DAY + LEASES_END_MS);
  await settleUploads(deps, NEVER_STOP);
  expect(await state(id)).toMatchObject({ state: 'discarded', reason: 'expired' });
  await runs();
  expect(await deps.pendingCopies.list()).toEqual([]);
});
