/** A bucket on the fakes whose objects expire. */

import { commitObjects } from '../../../../core/commits/commit-objects';
import { sha256Base64 } from '../../../../core/http/digests';
import { putObject, type WriteDeps } from '../../../../core/objects/objects';
import type { LiveObject } from '../../../../core/store/objects';
import { BUCKET, type World } from '../../../support/bucket-world';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The time so many milliseconds from now. */
export const inFuture = ({ clock }: World, milliseconds: number) =>
  new Date(clock.now() + milliseconds).toISOString();

export async function putExpiring(
  deps: WriteDeps,
  key: string,
  expiresAt?: string,
  bucket = BUCKET,
): Promise<LiveObject> {
  const body = Buffer.from(key);
  const checksumSha256 = sha256Base64(body);
  const content = { body, contentType: 'a/b', headers: {}, metadata: {}, checksumSha256 };
  const outcome = await putObject(
    deps,
    { bucket, key },
    { ...content, ...(expiresAt !== undefined && { expiresAt }) },
    { conditions: () => undefined, conditional: false },
  );
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  return outcome.object as LiveObject;
}

/** null: the object no longer expires. */
export async function patchExpiry(deps: World, key: string, expiresAt: string | null) {
  const content = { headers: {}, expiresAt };
  const changes = [{ op: 'patch' as const, key, content }];
  return commitObjects(
    deps,
    { bucket: BUCKET, changes },
    { by: 'k', conditions: () => undefined, mayCommit: async () => true },
  );
}

/** The keys of the objects, in order. */
export const liveKeys = (deps: World, bucketId: string) =>
  [...deps.state.objectsOf(bucketId).values()]
    .flatMap((record) => (record.state === 'live' ? [record.key] : []))
    .sort();
