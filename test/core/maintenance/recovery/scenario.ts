/** What the tests of a restore have in common: a bucket, its backup, and the invariants. */
import type { ChangeEntry } from '../../../../core/log/ports';
import { publishChanges } from '../../../../core/log/publish';
import { maintainLogs } from '../../../../core/maintenance/maintain-logs';
import { NEVER_STOP } from '../../../../core/stop-signal';
import type { ObjectRecord } from '../../../../core/store/objects';
import { BUCKET, openBucket, put, remove, type World } from '../../../support/bucket-world';
import { backUp } from '../../../support/restore-world';

export const HOUR = 3_600_000;

/** A bucket with changes before and after the backup of its tables. */
export async function setUp(changesSince: (deps: World, bucketId: string) => Promise<void>) {
  const { deps, bucket } = await openBucket();
  deps.clock.advance(HOUR);
  for (const key of ['kept', 'changed', 'deleted', 'recreated']) await put(deps, key, `${key} 1`);
  await put(deps, 'gone before', '1');
  deps.clock.advance(1000);
  await remove(deps, 'gone before');
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
  deps.clock.advance(HOUR);
  const moment = deps.clock.now();
  const backup = backUp(deps.state);
  deps.clock.advance(HOUR);
  await changesSince(deps, bucket.id);
  deps.clock.advance(HOUR);
  return { deps, bucket, moment, backup };
}

/** For `setUp`: a changed, a new, a deleted and a recreated key. */
export async function changesSinceBackup(deps: World): Promise<void> {
  await put(deps, 'changed', 'changed 2', { colour: 'red' });
  await put(deps, 'new', 'new 1');
  await remove(deps, 'deleted');
  await remove(deps, 'recreated');
  deps.clock.advance(1000);
  await put(deps, 'recreated', 'recreated 2');
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
}

type LiveObjects = Readonly<Record<string, readonly [etag: string, version: number]>>;

/** The live objects of a bucket by key. */
export const liveObjects = (deps: World, bucketId: string): LiveObjects =>
  Object.fromEntries(
    [...deps.state.objectsOf(bucketId).values()].flatMap((record) =>
      record.state === 'live' ? [[record.key, [record.etag, record.version] as const]] : [],
    ),
  );

/** Checks the invariants of the protocol for a change log that begins above `to`. */
export async function checkInvariants(deps: World, bucketId: string, to: number): Promise<void> {
  await maintainLogs({ ...deps, retentionSeconds: 1e9 }, NEVER_STOP);
  const record = await deps.buckets.get(BUCKET);
  const cursor = record?.cursor ?? 0;
  const entries = [...deps.state.changesOf(bucketId).values()].sort((a, b) => a.cursor - b.cursor);
  expect(entries.map((entry) => entry.cursor)).toEqual(
    Array.from({ length: cursor - to }, (_, i) => to + 1 + i),
  );
  const last = new Map<string, ObjectRecord>();
  for (const entry of entries.filter((one) => one.type !== 'noop') as Exclude<
    ChangeEntry,
    { type: 'noop' }
  >[]) {
    const before = last.get(entry.object.key) ?? entry.previous;
    expect(entry.previous).toEqual(before);
    expect(entry.object.version).toBe((before?.version ?? 0) + 1);
    last.set(entry.object.key, entry.object);
  }
  const live = [...deps.state.objectsOf(bucketId).values()].filter((one) => one.state === 'live');
  for (const one of live)
    expect([one.key, deps.state.blobs.has(one.blob)]).toEqual([one.key, true]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({
    oldest: to + 1,
    published: cursor,
    objectCount: live.length,
    totalSize: live.reduce((sum, { size }) => sum + size, 0),
  });
}
