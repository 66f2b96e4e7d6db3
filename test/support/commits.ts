/** Intents of commits, on the fakes or on the real adapters. */
import type { BucketRef } from '../../core/bucket-ref';
import { ServiceError } from '../../core/errors';
import { sha256Base64 } from '../../core/http/digests';
import { type CommitDeps, commitChanges, type KeyIntent } from '../../core/log/commit';
import type { IfCursorDeps } from '../../core/log/if-cursor';
import { liveRecord } from '../../core/objects/objects';
import type { Blobs } from '../../core/store/blobs';

type IntentDeps = Pick<CommitDeps, 'ids'> & { readonly blobs: Pick<Blobs, 'put'> };

/** Stores the bytes, and returns the intent to put them under the key. */
export async function putIntent(
  deps: IntentDeps,
  bucket: BucketRef,
  key: string,
  text: string,
): Promise<KeyIntent> {
  const body = Buffer.from(text);
  const blob = `objects/${bucket.name}.${bucket.id}/${key}/${deps.ids.ulid()}`;
  const content = {
    contentType: 'text/plain',
    headers: {},
    metadata: {},
    checksumSha256: sha256Base64(body),
  };
  const { etag } = await deps.blobs.put(blob, body, content);
  const fields = { bucket, key, blob, etag, size: body.length, ...content };
  return {
    key,
    check: () => undefined,
    build: (position, previous) => liveRecord(fields, position, previous),
  };
}

/** The intent to delete a key; it is refused when there is no object. */
export function deleteIntent({ name }: BucketRef, key: string): KeyIntent {
  return {
    key,
    check: (previous) => {
      if (previous?.state !== 'live') throw new ServiceError('not_found');
    },
    build: ({ version, cursor, at, ancestors }) => ({
      state: 'deleted',
      bucket: name,
      key,
      version,
      cursor,
      deletedAt: at,
      ancestors,
    }),
  };
}

/** Puts objects in one commit; returns its first and last cursor. */
export async function commitPuts(
  deps: CommitDeps & IfCursorDeps & IntentDeps,
  bucket: BucketRef,
  keys: readonly string[],
) {
  const intents = await Promise.all(keys.map((key) => putIntent(deps, bucket, key, key)));
  const reads = await Promise.all(keys.map((key) => deps.objects.get(bucket.id, key)));
  const outcome = await commitChanges(deps, { bucket, intents }, reads);
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  const cursors = outcome.changes.map(({ object }) => object.cursor);
  return { first: Math.min(...cursors), last: Math.max(...cursors) };
}

/** `a1`, `a2`, `a3` … */
export function keysNamed(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}
