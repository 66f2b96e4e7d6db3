/**
 * Stops the writer before and after every AWS call of PUT, DELETE, commits and ingest, on the real
 * adapters. Afterwards the test repairs what the schedules would repair, and checks all invariants.
 */
import { commitChanges } from '../../core/log/commit';
import { ingestBlob, uploadIdOf } from '../../core/uploads/uploads';
import { createApi } from '../../service/storage-api';
import { deleteIntent, putIntent } from '../support/commits';
import { type Action, everyPoint, FAULTS, noteAck } from '../support/crash-points';
import type { Acknowledged } from '../support/invariants';
import { send } from '../support/requests';
import { newKey } from '../support/samples';
import { type Service, type ServiceDeps, startService } from '../support/service';

let service: Service;

/** Uploads by signed URL, and returns the blob that S3 has reported. */
async function upload(
  deps: ServiceDeps,
  bucket: string,
  keyId: string,
  more: object = {},
): Promise<string> {
  const body = JSON.stringify({ bucket, key: 'a', method: 'PUT', ...more });
  const minted = await send(createApi(deps), { method: 'POST', path: '/signed-url', body, keyId });
  const { url, headers } = minted.json<{ url: string; headers: Record<string, string> }>();
  expect((await fetch(url, { method: 'PUT', headers, body: 'up' })).status).toBe(200);
  return service.reported.at(-1) ?? '';
}

const put = (deps: ServiceDeps, bucket: string, body: string) =>
  send(createApi(deps), { method: 'PUT', path: `/objects/${bucket}/a`, body });

/** Deletes the object `a` and puts `b` and `c`, if nothing has changed since it was put. */
async function commitThree(deps: ServiceDeps, name: string, acks: Acknowledged[]): Promise<void> {
  const bucket = await deps.buckets.get(name);
  if (!bucket) throw new Error(`no bucket ${name}`);
  const puts = await Promise.all(['b', 'c'].map((key) => putIntent(deps, bucket, key, key)));
  const intents = [deleteIntent(bucket, 'a'), ...puts];
  const found = await deps.objects.getMany(bucket.id, ['a', 'b', 'c']);
  const reads = intents.map(({ key }) => found.find((record) => record.key === key));
  const outcome = await commitChanges(deps, { bucket, intents, ifCursor: bucket.cursor }, reads);
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  for (const { object } of outcome.changes) {
    const { key, version, cursor } = object;
    acks.push({ key, version, cursor, ...(object.state === 'live' && { etag: object.etag }) });
  }
}

describe.each(FAULTS)('a writer that is $kind $when a call', (fault) => {
  const points = (...[act, prepare, after]: [Action['act'], Action['prepare'], Action['after']?]) =>
    everyPoint(service, fault, { act, prepare, ...(after && { after }) });
  // One for each test: the reconciler reads the blobs of all buckets.
  beforeEach(async () => {
    service = await startService();
    await service.putKey(newKey({ id: 'key-1' }));
  });
  afterEach(() => service.stop());

  test('leaves a consistent bucket in a PUT of a new key', async () => {
    const made = await points(
      (writer, { name }) => put(writer, name, 'new'),
      async () => undefined,
    );
    expect(made).toBeGreaterThanOrEqual(5);
  });

  test('leaves a consistent bucket in a PUT that replaces an object', async () => {
    const made = await points(
      (writer, { name }) => put(writer, name, 'new'),
      async ({ deps, name, acks }) => noteAck(acks, await put(deps, name, 'old')),
    );
    expect(made).toBeGreaterThanOrEqual(5);
  });

  test('leaves a consistent bucket in a DELETE', async () => {
    const made = await points(
      (writer, { name }) =>
        send(createApi(writer), { method: 'DELETE', path: `/objects/${name}/a` }),
      async ({ deps, name, acks }) => noteAck(acks, await put(deps, name, 'old')),
    );
    expect(made).toBeGreaterThanOrEqual(4);
  });

  test('leaves all or nothing of a commit of three changes', async () => {
    const made = await points(
      async (writer, { name, acks }) => {
        await commitThree(writer, name, acks);
        return undefined;
      },
      async ({ deps, name, acks }) => noteAck(acks, await put(deps, name, 'old')),
      async ({ deps, name }) => {
        const { id = '' } = (await deps.buckets.get(name)) ?? {};
        const records = await deps.objects.getMany(id, ['a', 'b', 'c']);
        expect([1, 3]).toContain(records.length);
      },
    );
    expect(made).toBeGreaterThanOrEqual(6);
  });

  test('leaves all of a commit or nothing', async () => {
    const made = await points(
      async (writer, { name }) => {
        const changes = [
          { op: 'put', key: 'new', content: 'AAAA' },
          { op: 'copy', key: 'copy', from: { key: 'a' } },
          { op: 'move', key: 'there', from: { key: 'b' } },
          { op: 'patch', key: 'a', metadata: { c: 'd' } },
        ];
        const body = JSON.stringify({ bucket: name, changes });
        await send(createApi(writer), { method: 'POST', path: '/commits', body });
        return undefined;
      },
      async ({ deps, name, acks }) => {
        noteAck(acks, await put(deps, name, 'old'));
        const other = { method: 'PUT', path: `/objects/${name}/b`, body: 'moved' };
        await send(createApi(deps), other);
      },
      async ({ deps, name }) => {
        const seen: unknown[] = [];
        for (const key of ['new', 'copy', 'there', 'b', 'a']) {
          const found = await send(createApi(deps), { path: `/objects/${name}/${key}` });
          seen.push(found.status, found.headers['x-object-meta-c']);
        }
        const statuses = (...each: number[]) => each.flatMap((status) => [status, undefined]);
        const nothing = statuses(404, 404, 404, 200, 200);
        const all = [...statuses(200, 200, 200, 404), 200, 'd'];
        expect([nothing, all]).toContainEqual(seen);
      },
    );
    expect(made).toBeGreaterThanOrEqual(7);
  });

  test('leaves an upload that the next report of S3 commits once', async () => {
    let blob = '';
    const made = await points(
      async (writer) => {
        await ingestBlob(writer, blob);
        return undefined;
      },
      async ({ deps, name }) => {
        blob = await upload(deps, name, 'key-1');
      },
      async ({ deps, name }) => {
        await ingestBlob(deps, blob);
        const seen = await send(createApi(deps), { path: `/objects/${name}/a` });
        expect([seen.status, seen.body.toString(), seen.headers['x-object-version']]).toEqual([
          200,
          'up',
          '1',
        ]);
      },
    );
    expect(made).toBeGreaterThanOrEqual(5);
  });

  test('leaves an upload that awaits a commit staged by the next report of S3', async () => {
    let blob = '';
    let id = '';
    const made = await points(
      async (writer) => {
        await ingestBlob(writer, blob);
        return undefined;
      },
      async ({ deps, name }) => {
        blob = await upload(deps, name, 'key-1', { commit: false });
        id = uploadIdOf(blob) ?? '';
      },
      async ({ deps, name }) => {
        await ingestBlob(deps, blob);
        expect((await deps.uploads.get(id))?.state).toBe('staged');
        expect((await send(createApi(deps), { path: `/objects/${name}/a` })).status).toBe(404);
        // So that no blob is left.
        await deps.uploads.refuse(id, 'expired');
      },
    );
    expect(made).toBeGreaterThanOrEqual(5);
  });

  test('leaves an upload of a revoked key that the next report of S3 discards', async () => {
    let blob = '';
    const made = await points(
      async (writer) => {
        await ingestBlob(writer, blob);
        return undefined;
      },
      async ({ deps, name }) => {
        const key = newKey({ id: `${name}-key` });
        await service.putKey(key);
        blob = await upload(deps, name, key.id);
        await service.putKey({ ...key, revokedAt: new Date().toISOString() });
      },
      async ({ deps, name }) => {
        expect(await ingestBlob(deps, blob)).toBe('refused');
        expect(await deps.blobs.head(blob)).toBeUndefined();
        expect((await send(createApi(deps), { path: `/objects/${name}/a` })).status).toBe(404);
      },
    );
    expect(made).toBeGreaterThanOrEqual(6);
  });
});
