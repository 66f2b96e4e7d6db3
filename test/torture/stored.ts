/** What the tables and S3 hold after a round, read by the stores themselves. */
import { createHash } from 'node:crypto';
import type { StowageClient } from '../../client';
import { maintainLogs } from '../../core/maintenance/maintain-logs';
import { reconcile } from '../../core/maintenance/reconcile';
import { settleUploads } from '../../core/maintenance/settle-uploads';
import { NEVER_STOP } from '../../core/stop-signal';
import type { BucketRecord } from '../../core/store/buckets';
import { liveOf } from '../../core/store/objects';
import type { Anomalies } from '../simulation/records/anomalies';
import type { BucketHistory } from '../simulation/records/history';
import { blobsBelow, readLog, readObjects } from '../support/invariants';
import { until } from '../support/until';
import type { openStores } from '../system/support/local-service';
import type { Bucket } from './setting';

export type Stores = ReturnType<typeof openStores>;

const DAY_MS = 86_400_000;

/** Puts the whole log into the history, which checks each entry. */
export async function recordLog(
  { changeLog }: Stores,
  record: BucketRecord,
  { history, anomalies }: { readonly history: BucketHistory; readonly anomalies: Anomalies },
  note: (entry: Awaited<ReturnType<typeof readLog>>[number]) => void,
): Promise<void> {
  for (const entry of await readLog(changeLog, record)) note(entry);
  anomalies.require(
    'every cursor has its entry',
    history.settled === record.cursor,
    () => `the log is complete up to ${history.settled} of ${record.cursor}`,
  );
}

/** Records, counters and blobs, by what the log says. */
export async function checkStored(
  stores: Stores,
  record: BucketRecord,
  { history, anomalies }: { readonly history: BucketHistory; readonly anomalies: Anomalies },
): Promise<void> {
  const records = await readObjects(stores.objects, record.id);
  const live = records.flatMap((one) => liveOf(one) ?? []);
  const wanted = [...(history.stateAt(history.settled)?.values() ?? [])];
  const found = live.map(({ key, cursor }) => `${key}@${cursor}`).sort();
  anomalies.require(
    'records are what the log says',
    found.join() ===
      wanted
        .map(({ key, cursor }) => `${key}@${cursor}`)
        .sort()
        .join(),
    () => `${found.length} records, ${wanted.length} objects by the log`,
  );
  const bytes = live.reduce((sum, { size }) => sum + size, 0);
  const isCounted = async () => {
    const stats = await stores.buckets.stats(record.name);
    return stats?.objectCount === live.length && stats.totalSize === bytes;
  };
  const counted = await until('counters', isCounted).catch(() => false);
  anomalies.require('counters are what the records say', counted, () => record.name);

  const blobs = new Set(await blobsOf(stores, record));
  const kept = history.entries.flatMap((one) => {
    const entry = one?.entry;
    return entry && entry.type !== 'noop' ? (liveOf(entry.object)?.blob ?? []) : [];
  });
  const missing = kept.filter((blob) => !blobs.has(blob));
  anomalies.require('every version has its bytes', missing.length === 0, () => missing.join());
}

/** Downloads every object of the bucket, and compares bytes, etags and the list with the log. */
export async function checkContents(
  client: StowageClient,
  { name, uploads }: Pick<Bucket, 'name' | 'uploads'>,
  { history, anomalies }: { readonly history: BucketHistory; readonly anomalies: Anomalies },
): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for await (const { key, etag, cursor } of client.objects(name)) {
    const response = await client.get(name, key);
    const bytes = Buffer.from(await response.arrayBuffer());
    contents.set(key, bytes);
    const digest = createHash('md5').update(bytes).digest('hex');
    const isSame = digest === etag || (uploads.get(etag)?.equals(bytes) ?? etag.includes('-'));
    const isListed = history.stateAt(history.settled)?.get(key)?.cursor === cursor;
    anomalies.require('every object has its bytes', isSame, () => `${key}: ${etag}`);
    anomalies.require('a list shows the state of the log', isListed, () => `${key} at ${cursor}`);
  }
  const wanted = history.stateAt(history.settled)?.size;
  anomalies.require(
    'a list shows the state of the log',
    contents.size === wanted,
    () => `${contents.size} objects are listed, the log has ${wanted}`,
  );
  return contents;
}

/**
 * Empties and deletes the buckets, and runs the janitor's tasks with a clock that is 2, then 40
 * days ahead: no byte may be left.
 */
export async function checkRemoval(
  client: StowageClient,
  stores: Stores,
  records: readonly BucketRecord[],
  anomalies: Anomalies,
): Promise<void> {
  for (const { name } of records) {
    await client.removeAll(name, '');
    await client.buckets.delete(name);
  }
  // The reconciler passes several times before a bucket is forgotten, whose blobs it leaves alone.
  for (const days of [2, 40]) {
    const now = () => Date.now() + days * DAY_MS;
    const janitor = { ...stores, clock: { ...stores.clock, now } };
    await maintainLogs(janitor, NEVER_STOP);
    await settleUploads(janitor, NEVER_STOP);
    await stores.serviceState.save('reconcile', '');
    while ((await reconcile(janitor, NEVER_STOP)) !== 'complete');
  }
  for (const record of records) {
    const left = await blobsOf(stores, record);
    anomalies.require('no blob is left without an object', left.length === 0, () => left.join());
  }
}

/** The names of the blobs of a bucket in S3. */
async function blobsOf({ blobs }: Stores, { name, id }: BucketRecord): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ['objects/', 'uploads/']) {
    for await (const blob of blobsBelow(blobs, `${prefix}${name}.${id}/`)) found.push(blob);
  }
  return found;
}
