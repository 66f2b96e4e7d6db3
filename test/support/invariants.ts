/**
 * Checks the invariants of the protocol on the stored data through the ports. The same checks run
 * on the fakes, on the tables behind the adapters, and on the data of a killed service.
 */

import type { ChangeEntry, ChangeLog } from '../../core/log/ports';
import { publishChanges } from '../../core/log/publish';
import type { JanitorDeps } from '../../core/maintenance/janitor-deps';
import { reconcile } from '../../core/maintenance/reconcile';
import type { Blobs } from '../../core/objects/blob-ports';
import { prefixRange } from '../../core/objects/names';
import type { BucketRecord, Buckets, ObjectRecord, Objects } from '../../core/objects/ports';
import { NEVER_STOP } from '../../core/stop-signal';

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
  const last = new Map<string, Change>();
  for (const entry of changes) {
    const before = last.get(entry.object.key);
    expect(entry.object.version).toBe((before?.object.version ?? 0) + 1);
    expect(entry.object.cursor).toBe(entry.cursor);
    expect(entry.previous).toEqual(before?.object);
    last.set(entry.object.key, entry);
  }
  expect(new Map(records.map((record) => [record.key, record]))).toEqual(
    new Map([...last].map(([key, entry]) => [key, entry.object])),
  );

  // A commit is whole: each of its cursors has an entry that names it.
  for (const { commit } of changes) {
    if (!commit) continue;
    const whole = log.slice(commit.first - 1, commit.last);
    expect(whole).toHaveLength(commit.last - commit.first + 1);
    for (const entry of whole) expect(entry).toMatchObject({ commit });
  }

  // 4 Immutable content: each version in the log has its own blob with its bytes, except that a
  // patch keeps that of the version before it.
  const kept = new Set<string>();
  for (const { object } of changes) {
    if (object.state !== 'live') continue;
    expect(kept.has(object.blob)).toBe(object.isPatched ?? false);
    kept.add(object.blob);
    const blob = await stored.blobs.head(object.blob);
    expect({ etag: blob?.etag, size: blob?.size }).toEqual({
      etag: object.etag,
      size: object.size,
    });
  }

  // 5 Acknowledged means durable and visible.
  const at = new Map(changes.map((entry) => [entry.cursor, entry]));
  for (const ack of acknowledged) {
    const object = at.get(ack.cursor)?.object;
    expect(object).toMatchObject({ key: ack.key, version: ack.version });
    expect(object?.state === 'live' ? object.etag : undefined).toBe(ack.etag);
  }

  // 7 No orphan blob is left after the reconciler, and the counters agree with the records.
  for (const prefix of ['objects/', 'uploads/']) {
    for await (const blob of blobsBelow(stored.blobs, prefix)) {
      if (blob.includes(`.${bucket.id}/`)) expect([blob, kept.has(blob)]).toEqual([blob, true]);
    }
  }
  const live = records.filter((record) => record.state === 'live');
  const stats = await stored.buckets.stats(bucketName);
  expect(stats).toMatchObject({
    published: bucket.cursor,
    objectCount: live.length,
    totalSize: live.reduce((sum, record) => sum + record.size, 0),
  });
  return log;
}
