/** One bucket on the fakes, and the two things that one does with it. */

import { BucketIds } from '../../core/buckets/bucket-ids';
import { createBucket } from '../../core/buckets/buckets';
import { sha256Base64 } from '../../core/http/digests';
import type { JanitorDeps } from '../../core/maintenance/janitor-deps';
import { deleteObject, putObject } from '../../core/objects/objects';
import { createFakes, type Fakes } from './fakes/fakes';

export const BUCKET = 'photos';
export const DAY = 86_400_000;

export type World = Fakes & JanitorDeps & { readonly bucketIds: BucketIds };

const unconditional = { conditions: () => undefined, conditional: false };

export async function openBucket() {
  const fakes = createFakes();
  const deps: World = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    retentionSeconds: (7 * DAY) / 1000,
  };
  const bucket = await createBucket(deps, BUCKET);
  if (!bucket) throw new Error('no bucket');
  return { deps, bucket };
}

export async function put(
  deps: World,
  key: string,
  text: string,
  metadata: Readonly<Record<string, string>> = {},
) {
  const body = Buffer.from(text);
  const content = {
    body,
    contentType: 'a/b',
    headers: {},
    metadata,
    checksumSha256: sha256Base64(body),
  };
  const outcome = await putObject(deps, { bucket: BUCKET, key }, content, unconditional);
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  return outcome.object;
}

export const remove = (deps: World, key: string) =>
  deleteObject(deps, { bucket: BUCKET, key }, unconditional);

/** Puts a blob that no commit names. */
export const storeBlob = (deps: World, blob: string, text = 'x') =>
  deps.blobs.put(blob, Buffer.from(text), {
    contentType: 'text/plain',
    headers: {},
    metadata: {},
    checksumSha256: sha256Base64(Buffer.from(text)),
  });

export const blobsOf = (deps: World) => [...deps.state.blobs.keys()];
