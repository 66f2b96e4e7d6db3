import { BucketIds } from '../../core/buckets/bucket-ids';
import { ServiceError } from '../../core/errors';
import { sha256Base64 } from '../../core/http/digests';
import { findVersion } from '../../core/log/history';
import { putObject } from '../../core/objects/objects';
import { ingestBlob } from '../../core/uploads/uploads';
import type { Stores } from './roles';
import type { World } from './world';

type As = (functionName: string) => Stores;

/** Only a caller that may list the bucket can distinguish a missing blob from a forbidden one. */
export async function blobsAreMissing(world: World, as: As): Promise<void> {
  const bucket = 'grants-missing';
  const id = await world.bucket(bucket);
  await world.storage('PUT', `/objects/${bucket}/x`, { body: 'x' });
  const body = { bucket, key: 'x', method: 'GET' };
  const { url } = (await world.storage('POST', '/signed-url', { body })).json;
  await world.operator.blobs.remove([await world.blobOf(id, 'x')]);
  const { status } = await fetch(url);
  if (status !== 404) throw new Error(`a missing blob returns ${status}`);
  await world.storage('GET', `/objects/${bucket}/x`, { status: 404 });

  const ingest = as('Ingest');
  const wanted = { bucket, key: 'never-sent', method: 'PUT' };
  const signed = (await world.storage('POST', '/signed-url', { body: wanted })).json;
  const [, , ...blob] = new URL(signed.url).pathname.split('/');
  if ((await ingestBlob(ingest, blob.join('/'))) !== 'nothing') throw new Error('committed');
  ingest.close();
}

/**
 * A key that begins with a slash may be routed to function api, which then reads old versions as
 * download does.
 */
export async function versionsAreRead(world: World, as: As): Promise<void> {
  const bucket = 'grants-versions';
  const id = await world.bucket(bucket);
  for (const body of ['one', 'two']) await world.storage('PUT', `/objects/${bucket}/x`, { body });
  const api = as('Api');
  const current = await api.objects.get(id, 'x');
  const found = current && (await findVersion(api.changeLog, id, current, 1));
  if (found?.version !== 1) throw new Error('version 1 was not found');
  api.close();
}

/** A writer that has cached an earlier incarnation of the bucket fails after its blob is stored. */
export async function writeIsUndone(world: World, as: As): Promise<void> {
  const bucket = 'grants-undone';
  await world.bucket(bucket);
  const api = as('Api');
  const bucketIds = new BucketIds(api.buckets);
  await bucketIds.resolve(bucket);
  await world.storage('DELETE', `/buckets/${bucket}`);
  const body = Buffer.from('x');
  const content = { body, contentType: 'text/plain', headers: {}, metadata: {} };
  const checksumSha256 = sha256Base64(body);
  const outcome = await putObject(
    { ...api, bucketIds },
    { bucket, key: 'x' },
    { ...content, checksumSha256 },
    { conditions: () => undefined, conditional: false },
  ).catch((error: unknown) => error);
  api.close();
  if (!(outcome instanceof ServiceError && outcome.code === 'not_found')) throw outcome;
}

export async function copyIsAborted(world: World, as: As): Promise<void> {
  const bucket = 'grants-copy';
  await world.bucket(bucket);
  const api = as('Api');
  await abortsCopy(api, bucket);
  api.close();
}

/** A copy in parts that fails is aborted: the source is gone before its first part is copied. */
export async function abortsCopy(
  { blobs, buckets }: Pick<Stores, 'blobs' | 'buckets'>,
  bucket: string,
): Promise<void> {
  const { id } = (await buckets.get(bucket)) ?? {};
  const source = { blob: `objects/${bucket}.${id}/gone/x`, size: 300 * 1024 ** 2, etag: 'abc' };
  const blob = `objects/${bucket}.${id}/copy/x`;
  const content = { contentType: 'text/plain', headers: {}, metadata: {} };
  const copied = await blobs.copy(source, blob, content);
  if (copied) throw new Error('a blob that does not exist was copied');
}
