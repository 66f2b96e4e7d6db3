/**
 * The invariants of the protocol, checked on what is stored, through the ports: so the same check
 * judges the fakes, the tables behind the adapters, and what a killed service left.
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

/** What a client was told: it must be in the log, as it was told. */
export interface Acknowledged {
  readonly key: string;
  readonly version: number;
  readonly cursor: number;
  /** undefined: a delete. */
  readonly etag?: string;
}

type Change = Exclude<ChangeEntry, { type: 'void' }>;

/** Every entry of the bucket's log, with the holes as they are. */
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

/** Repairs what crashes left, as the schedules would, then checks everything. Answers the log. */
export async function repairAndCheck(
  stored: Stored,
  janitor: JanitorDeps,
  bucketName: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly ChangeEntry[]> {
  await publishChanges(janitor, bucketName, { fillAllGaps: true });
  // A round of its own, however short the last one is ago.
  await janitor.serviceState.save('reconcile', '');
  while ((await reconcile(janitor, NEVER_STOP)) !== 'complete');
  const bucket = await stored.buckets.get(bucketName);
  if (!bucket) throw new Error(`no bucket ${bucketName}`);
  const log = await readLog(stored.changeLog, bucket);
  const records = await readObjects(stored.objects, bucket.id);

  // 1 Dense: every number is exactly one entry.
  expect(log.map(({ cursor }) => cursor)).toEqual(
    Array.from({ length: bucket.cursor }, (_, i) => i + 1),
  );
  const changes = log.filter((entry): entry is Change => entry.type !== 'void');

  // 3 Ordered per key, and 2 Atomic: the record is its key's last entry, and there is none without
  // the other.
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

  // 4 Immutable content: each version that the log keeps has its bytes, and no two share them.
  const kept = new Set<string>();
  for (const { object } of changes) {
    if (object.state !== 'live') continue;
    expect(kept.has(object.blob)).toBe(false);
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

  // 7 Nothing is left over once the reconciler ran, and the counters tell what the records hold.
  for (const prefix of ['objects/', 'uploads/']) {
    let startAfter: string | undefined;
    do {
      const page = await stored.blobs.list(prefix, startAfter);
      const ours = page.items.filter(({ blob }) => blob.includes(`.${bucket.id}/`));
      for (const { blob } of ours) expect([blob, kept.has(blob)]).toEqual([blob, true]);
      startAfter = page.more ? page.items.at(-1)?.blob : undefined;
    } while (startAfter !== undefined);
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
