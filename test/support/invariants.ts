/**
 * Checks the invariants of the protocol on the stored data through the ports. The same checks run
 * on the fakes, on the tables behind the adapters, and on the data of a killed service.
 */

import { commitOf } from '../../core/log/entries';
import type { ChangeEntry, ChangeLog } from '../../core/log/ports';
import { publishChanges } from '../../core/log/publish';
import type { JanitorDeps } from '../../core/maintenance/janitor-deps';
import { reconcile } from '../../core/maintenance/reconcile';
import { prefixRange } from '../../core/names';
import { NEVER_STOP } from '../../core/stop-signal';
import type { Blobs } from '../../core/store/blobs';
import type { BucketRecord, Buckets } from '../../core/store/buckets';
import type { ObjectRecord, Objects } from '../../core/store/objects';

export interface Stored {
  readonly buckets: Buckets;
  readonly objects: Objects;
  readonly changeLog: ChangeLog;
  readonly blobs: Pick<Blobs, 'list' | 'head'>;
}

/** A change that was acknowledged to a client: the change log must contain it unchanged. */
export interface Acknowledged {
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  /** undefined: a delete. */
  readonly etag?: string;
}

type Change = Exclude<ChangeEntry, { type: 'noop' }>;

/** Returns every entry of the bucket's change log, without filling gaps. */
export async function readLog(log: ChangeLog, bucket: BucketRecord): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = [];
  for (let after = 0; after < bucket.cursor; after += 1000) {
    entries.push(...(await log.read(bucket.id, after, Math.min(bucket.cursor, after + 1000))));
  }
  return entries;
}

export async function readObjects(objects: Objects, bucketId: string): Promise<ObjectRecord[]> {
  const records: ObjectRecord[] = [];
  let from = '';
  for (;;) {
    const page = await objects.list(bucketId, { ...prefixRange(''), from }, 1000);
    records.push(...page.items);
    const last = page.items.at(-1);
    if (!page.more || !last) return records;
    from = `${last.key}\u0000`;
  }
}

/** The names of the blobs in S3 that begin with the prefix. */
export async function* blobsBelow(
  blobs: Pick<Blobs, 'list'>,
  prefix: string,
): AsyncGenerator<string> {
  let startAfter: string | undefined;
  do {
    const page = await blobs.list(prefix, startAfter);
    for (const { blob } of page.items) yield blob;
    startAfter = page.more ? page.items.at(-1)?.blob : undefined;
  } while (startAfter !== undefined);
}

/**
 * Repairs the effects of crashes as the scheduled jobs would, then checks every invariant. Returns
 * the change log.
 */
export async function repairAndCheck(
  stored: Stored,
  janitor: JanitorDeps,
  bucketName: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly ChangeEntry[]> {
  await repair(janitor, [bucketName]);
  return check(stored, bucketName, acknowledged);
}

/** Repairs the effects of crashes in the buckets as the scheduled jobs would. */
export async function repair(janitor: JanitorDeps, bucketNames: readonly string[]): Promise<void> {
  for (const name of bucketNames) await publishChanges(janitor, name, { fillAllGaps: true });
  // Starts a new pass of the reconciler, even when the last one has just ended.
  await janitor.serviceState.save('reconcile', '');
  while ((await reconcile(janitor, NEVER_STOP)) !== 'complete');
}

/** Checks every invariant on a repaired bucket. Returns the change log. */
export async function check(
  stored: Stored,
  bucketName: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly ChangeEntry[]> {
  const bucket = await stored.buckets.get(bucketName);
  if (!bucket) throw new Error(`no bucket ${bucketName}`);
  const log = await readLog(stored.changeLog, bucket);
  const records = await readObjects(stored.objects, bucket.id);

  // 1 Dense: every cursor has exactly one entry.
  expect(log.map(({ cursor }) => cursor)).toEqual(
    Array.from({ length: bucket.cursor }, (_, i) => i + 1),
  );
  const changes = log.filter((entry): entry is Change => entry.type !== 'noop');

  // 3 Ordered per key, and 2 Atomic: the record is the last entry of its key, and neither exists
  // without the other.
  const last = new Map<string, ObjectRecord>();
  const ordered = changes.map((entry) => {
    const { object, cursor } = entry;
    const previous = last.get(object.key);
    last.set(object.key, object);
    const version = (previous?.version ?? 0) + 1;
    return { ...entry, object: { ...object, version, cursor }, previous };
  });
  expect(changes).toEqual(ordered);
  expect(new Map(records.map((record) => [record.key, record]))).toEqual(last);

  // A commit is whole: each of its cursors has an entry that names it.
  const commits = changes.flatMap(({ commit }) => commit ?? []);
  const named = ({ first, last: end }: (typeof commits)[number]) =>
    log.slice(first - 1, end).map(commitOf);
  expect(commits.map(named)).toEqual(
    commits.map((commit) => new Array(commit.last - commit.first + 1).fill(commit)),
  );

  // 4 Immutable content: each version in the log has its own blob with its bytes, except that a
  // patch, whose record overrides headers of the blob, may keep that of the version before it.
  const kept = new Set<string>();
  const contents: unknown[] = [];
  const immutable: unknown[] = [];
  for (const { object } of changes) {
    if (object.state !== 'live') continue;
    const { etag, size, isPatched = false } = object;
    const blob = await stored.blobs.head(object.blob);
    const isKnown = kept.has(object.blob);
    contents.push({ etag: blob?.etag, size: blob?.size, isKnown });
    immutable.push({ etag, size, isKnown: isKnown && isPatched });
    kept.add(object.blob);
  }
  expect(contents).toEqual(immutable);

  // 5 Acknowledged means durable and visible.
  const at = new Map(changes.map((entry) => [entry.cursor, entry.object]));
  const durable = acknowledged.map(({ cursor }) => {
    const object = at.get(cursor);
    const etag = object?.state === 'live' ? object.etag : undefined;
    return { key: object?.key, version: object?.version, cursor, etag };
  });
  expect(durable).toEqual(
    acknowledged.map(({ key, version, cursor, etag }) => ({ key, version, cursor, etag })),
  );

  // 7 No orphan blob remains after the reconciler, and the counters agree with the records.
  const orphans: string[] = [];
  for (const prefix of ['objects/', 'uploads/']) {
    for await (const blob of blobsBelow(stored.blobs, prefix)) {
      if (blob.includes(`.${bucket.id}/`) && !kept.has(blob)) orphans.push(blob);
    }
  }
  expect(orphans).toEqual([]);
  const live = records.filter((record) => record.state === 'live');
  const stats = await stored.buckets.stats(bucketName);
  expect(stats).toMatchObject({
    published: bucket.cursor,
    objectCount: live.length,
    totalSize: live.reduce((sum, record) => sum + record.size, 0),
  });
  return log;
}
