/** Copies that count as large: the limits are lowered, down to what S3 allows of parts. */
import { randomBytes } from 'node:crypto';
import { systemIds } from '../../../adapters/system';
import { sha256Base64 } from '../../../core/http/digests';
import { LIMITS } from '../../../core/limits';
import { copyObjects } from '../../../core/maintenance/copy-objects';
import { NEVER_STOP } from '../../../core/stop-signal';
import { ingestBlob } from '../../../core/uploads/uploads';
import { createApi } from '../../../service/storage-api';
import { FakeClock } from '../../support/fakes/clock';
import { send, type TestRequest } from '../../support/requests';
import { newKey } from '../../support/samples';
import type { Service, ServiceDeps } from '../../support/service';

const MiB = 1024 * 1024;

/** Longer than any lease of a copy. */
export const LEASES_END_MS = 20 * 60_000;

export type Body = Readonly<Record<string, unknown>>;

/** Of the file's tests: more than 8 MiB is large, and is copied in parts of 5 MiB. */
export function lowerLimits(): void {
  beforeEach(() => {
    jest.replaceProperty(LIMITS, 'copyBytes', 8 * MiB);
    jest.replaceProperty(LIMITS, 'largeCopyPartBytes', 5 * MiB);
  });
  afterEach(() => jest.restoreAllMocks());
}

/** Two whole parts and the beginning of a third. */
export const BYTES = randomBytes(10 * MiB + 1000);

let buckets = 0;

/** A bucket with an object `film` of three parts, by an upload that S3 has reported. */
export async function bucketWithFilm(service: Service, clock = new FakeClock(Date.now())) {
  const deps = service.open({ clock });
  const bucket = `films-${++buckets}`;
  // The clocks of the tests differ, and so do their keys' tokens.
  const keyId = `of-${bucket}`;
  await service.putKey(newKey({ id: keyId }));
  const ask = (request: TestRequest, by: ServiceDeps = deps) =>
    send(createApi(by), { keyId, ...request });
  await ask({ method: 'POST', path: '/buckets', body: JSON.stringify({ name: bucket }) });
  const { id: bucketId = '' } = (await deps.buckets.get(bucket)) ?? {};
  const upload = async (key: string, body: Buffer) => {
    const id = systemIds.ulid();
    const blob = `uploads/${bucket}.${bucketId}/${key}/${id}`;
    const content = {
      contentType: 'video/mp4',
      headers: { 'cache-control': 'no-cache' },
      metadata: { camera: 'x100' },
      checksumSha256: sha256Base64(body),
    };
    await deps.blobs.put(blob, body, content);
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    const ttl = Math.ceil(clock.now() / 1000) + 86_400;
    const row = { id, bucket, bucketId, key, blob, expiresAt, ttl };
    await deps.uploads.create({ ...row, state: 'pending' });
    await ingestBlob(deps, blob);
  };
  await upload('film', BYTES);
  const commit = (change: Body, more: Body = {}, headers: Readonly<Record<string, string>> = {}) =>
    ask(copyRequest(bucket, change, more, headers));
  /** Each run of the janitor is followed by S3's report of what it has completed. */
  const runs = async (count = 2) => {
    for (let run = 0; run < count; run++) {
      await copyObjects(deps, NEVER_STOP);
      for (const blob of service.reported) {
        if (blob.startsWith(`uploads/${bucket}.`)) await ingestBlob(deps, blob);
      }
    }
  };
  const state = async (id: unknown) => (await ask({ path: `/uploads/${id}` })).json();
  const read = async (key: string) => {
    const record = await deps.objects.get(bucketId, key);
    const body = record?.state === 'live' ? await deps.blobs.get(record.blob) : undefined;
    return body && Buffer.concat(await body.toArray());
  };
  return { ask, keyId, bucket, bucketId, clock, deps, upload, commit, runs, state, read };
}

/** A commit of one change, by default the copy of `film` to `copy`. */
export function copyRequest(
  bucket: string,
  change: Body = {},
  more: Body = {},
  headers: Readonly<Record<string, string>> = {},
): TestRequest {
  const changes = [{ op: 'copy', key: 'copy', from: { key: 'film' }, ...change }];
  const body = JSON.stringify({ bucket, changes, ...more });
  return { method: 'POST', path: '/commits', body, headers };
}
