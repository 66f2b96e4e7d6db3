import { systemIds } from '../../adapters/system';
import { parseApiKey } from '../../core/access/api-key';
import { sha256Base64 } from '../../core/http/digests';
import { publishChanges } from '../../core/log/publish';
import { trimBucket } from '../../core/log/trim';
import { copyObjects } from '../../core/maintenance/copy-objects';
import { expireObjects } from '../../core/maintenance/expire-objects';
import { maintainLogs } from '../../core/maintenance/maintain-logs';
import { reconcile } from '../../core/maintenance/reconcile';
import { settleUploads } from '../../core/maintenance/settle-uploads';
import { NEVER_STOP } from '../../core/stop-signal';
import type { Stores } from './roles';
import type { World } from './world';

type As = (functionName: string) => Stores;

/**
 * Uploads whose event was lost: a complete one, one of another size than declared, and one whose
 * bytes never arrived.
 */
export async function uploadsGetLost(world: World, as: As): Promise<void> {
  const bucket = 'grants-uploads';
  const id = await world.bucket(bucket);
  const stored = Buffer.from('stored');
  const lost = [undefined, stored.length + 1].map((declared) => {
    const uploadId = systemIds.ulid();
    return { declared, uploadId, blob: `uploads/${bucket}.${id}/lost/${uploadId}` };
  });
  for (const { blob } of lost) await put(world, blob, stored);
  // S3 reports these blobs before their rows exist, so that the reports have no effect. When this
  // later upload is committed, those reports have been processed.
  await world.upload(bucket, id, 'reported');
  for (const { declared, uploadId, blob } of lost) {
    const signer = { keyId: parseApiKey(world.apiKey)?.id ?? '', generation: 0 };
    const row = { id: uploadId, bucket, bucketId: id, key: 'lost', blob, signer, size: declared };
    const expiresAt = new Date().toISOString();
    const ttl = Math.floor(Date.now() / 1000) + 30 * 86_400;
    await world.operator.uploads.create({ ...row, state: 'pending', expiresAt, ttl });
  }
  const multipart = { size: 10_485_760 };
  const body = { bucket, key: 'parts', method: 'PUT', multipart };
  await world.storage('POST', '/signed-url', { body });
  const janitor = as('Janitor');
  await settleUploads(janitor, NEVER_STOP);
  janitor.close();
  if ((await world.operator.objects.get(id, 'lost')) === undefined)
    throw new Error('the upload was not committed');
}

/** A copy of two parts, whose bytes the janitor copies as if it were a large one. */
export async function largeCopyIsMade(world: World, as: As): Promise<void> {
  const bucket = 'grants-copies';
  const id = await world.bucket(bucket);
  const body = Buffer.alloc(6 * 1024 ** 2);
  const source = `objects/${bucket}.${id}/source/${systemIds.ulid()}`;
  await put(world, source, body);
  const { etag = '' } = (await world.operator.blobs.head(source)) ?? {};
  const uploadId = systemIds.ulid();
  const blob = `uploads/${bucket}.${id}/copy/${uploadId}`;
  const multipartId = await world.operator.blobs.createMultipart(blob, {});
  const row = { id: uploadId, bucket, bucketId: id, key: 'copy', blob, multipartId };
  const [size, partSize] = [body.length, 5 * 1024 ** 2];
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const ttl = Math.floor(Date.now() / 1000) + 30 * 86_400;
  const copyOf = { blob: source, etag, size };
  const upload = { ...row, copyOf, size, partSize, state: 'pending', expiresAt, ttl } as const;
  await world.operator.pendingCopies.begin(upload);
  const janitor = as('Janitor');
  await copyObjects(janitor, NEVER_STOP);
  await copyObjects(janitor, NEVER_STOP);
  janitor.close();
  if ((await world.operator.objects.get(id, 'copy')) === undefined)
    throw new Error('the copy was not committed');
}

/** Blobs that no record names; by the clock of the janitor here they are older than a day. */
export async function removeOrphans(world: World, as: As): Promise<void> {
  const bucket = 'grants-orphans';
  const id = await world.bucket(bucket);
  await world.storage('PUT', `/objects/${bucket}/x`, { body: 'kept' });
  const orphan = `objects/${bucket}.${id}/x/${systemIds.ulid()}`;
  await put(world, orphan, Buffer.from('orphan'));
  const janitor = as('Janitor');
  await reconcile(janitor, NEVER_STOP);
  janitor.close();
  if ((await world.operator.blobs.head(orphan)) !== undefined)
    throw new Error('the orphan was not removed');
}

/** An object that expires tomorrow, which is over by the clock of the janitor here. */
export async function objectsExpire(world: World, as: As): Promise<void> {
  const bucket = 'grants-expiry';
  const id = await world.bucket(bucket);
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const changes = [{ op: 'put', key: 'brief', content: '', expires_at: expiresAt }];
  await world.storage('POST', '/commits', { body: { bucket, changes } });
  const janitor = as('Janitor');
  // The last run was in the present.
  await janitor.serviceState.save('expiry', new Date().toISOString().slice(0, 13));
  await expireObjects(janitor, NEVER_STOP);
  janitor.close();
  const record = await world.operator.objects.get(id, 'brief');
  if (record?.state !== 'deleted') throw new Error('the object has not expired');
}

/**
 * Trims entries of superseded and deleted objects that are older than the retention, and finishes
 * the interrupted deletion of a bucket.
 */
export async function historyEnds(world: World, as: As): Promise<void> {
  const [fanout, janitor] = [as('Fanout'), as('Janitor')];
  const bucket = 'grants-fanout';
  await makeHistory(world, bucket);
  const record = await world.record(bucket);
  const stats = await world.operator.buckets.stats(bucket);
  const deps = { ...fanout, retentionSeconds: 1 };
  const gone = stats && (await trimBucket(deps, record, stats, { entries: 500 }));
  if (!gone) throw new Error('nothing was trimmed');

  await makeHistory(world, 'grants-janitor');
  const closing = await world.bucket('grants-closing');
  await world.operator.buckets.close(
    { name: 'grants-closing', id: closing },
    new Date().toISOString(),
  );
  // An unused cursor at the end of a change log without further writes.
  await world.operator.commits.allocate({ name: bucket, id: record.id });
  await maintainLogs({ ...janitor, retentionSeconds: 1 }, NEVER_STOP);
  fanout.close();
  janitor.close();
}

/** A blob of a PUT and one of an upload that were superseded, and a tombstone. */
async function makeHistory(world: World, bucket: string): Promise<void> {
  const id = await world.bucket(bucket);
  const at = (key: string) => `/objects/${bucket}/${key}`;
  for (const body of ['one', 'two']) await world.storage('PUT', at('put'), { body });
  await world.storage('DELETE', at('put'));
  await world.upload(bucket, id, 'uploaded');
  await world.storage('PUT', at('uploaded'), { body: 'instead' });
  // Only published entries may be trimmed.
  await publishChanges(world.operator, bucket);
}

async function put(world: World, blob: string, body: Buffer): Promise<void> {
  await world.operator.blobs.put(blob, body, {
    contentType: 'text/plain',
    headers: {},
    metadata: {},
    checksumSha256: sha256Base64(body),
  });
}
