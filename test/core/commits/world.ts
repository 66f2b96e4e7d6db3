/** Commits of several changes in the bucket of a test. */
import { commitObjects } from '../../../core/commits/commit-objects';
import type {
  CommitRequest,
  ContentFields,
  RequestedChange,
} from '../../../core/commits/commit-request';
import { BUCKET, openBucket, type World } from '../../support/bucket-world';

export type Options = Partial<Parameters<typeof commitObjects>[2]>;

const ANYTHING = { by: 'writer', conditions: () => undefined, mayCommit: async () => true };

export const PLAIN: ContentFields = { headers: {} };

export const putOf = (key: string, text: string, content = PLAIN): RequestedChange => {
  return { op: 'put', key, body: Buffer.from(text), content };
};

export function commitIn(
  deps: World,
  changes: readonly RequestedChange[],
  more: Partial<CommitRequest> = {},
  options: Options = {},
) {
  return commitObjects(deps, { bucket: BUCKET, changes, ...more }, { ...ANYTHING, ...options });
}

/** The changes that were committed. */
export async function committed(...parameters: Parameters<typeof commitIn>) {
  const outcome = await commitIn(...parameters);
  if (outcome.result !== 'committed') throw new Error(outcome.result);
  return outcome.changes.map(({ object }) => object);
}

/** A bucket with the objects, each of which contains its key. */
export async function openWith(...keys: readonly string[]) {
  const { deps, bucket } = await openBucket();
  if (keys.length > 0) {
    await committed(
      deps,
      keys.map((key) => putOf(key, key)),
    );
  }
  const recordOf = (key: string) => deps.objects.get(bucket.id, key);
  const textOf = async (key: string) => {
    const record = await recordOf(key);
    if (record?.state !== 'live') return record?.state;
    return deps.state.blobs.get(record.blob)?.bytes.toString();
  };
  return { deps, bucket, recordOf, textOf };
}

/** The same ports, of which some operations of one are replaced. */
export function replaced<P extends 'blobs' | 'commits' | 'objects' | 'uploads' | 'buckets'>(
  deps: World,
  port: P,
  operations: Partial<World[P]>,
): World {
  return { ...deps, [port]: Object.assign(Object.create(deps[port]), operations) };
}
