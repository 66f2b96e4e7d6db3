/** What holds when nothing goes wrong any more and every job has run: records, counters, blobs. */
import { liveOf } from '../../../core/store/objects';
import type { BucketHistory } from '../records/history';
import type { Simulation } from '../service/simulation';

/** After everything was published. */
export function checkStored(simulation: Simulation, name: string, history: BucketHistory): void {
  const { state, anomalies } = simulation;
  const bucket = state.buckets.get(name);
  const stats = state.stats.get(name);
  const head = bucket?.cursor ?? -1;
  anomalies.require(
    'every cursor has its entry',
    history.settled === head,
    () => `the log is complete up to ${history.settled} of ${head}`,
  );
  const records = [...state.objectsOf(history.id).values()];
  const live = records.flatMap((record) => liveOf(record) ?? []);
  const wanted = [...(history.stateAt(history.settled) ?? [])].map(
    ([key, one]) => `${key}@${one.cursor}`,
  );
  const found = live.map(({ key, cursor }) => `${key}@${cursor}`);
  anomalies.require(
    'records are what the log says',
    found.sort().join() === wanted.sort().join(),
    () => `${found.join()} in place of ${wanted.join()}`,
  );
  const bytes = live.reduce((sum, { size }) => sum + size, 0);
  const isCounted = stats?.objectCount === live.length && stats.totalSize === bytes;
  anomalies.require(
    'counters are what the records say',
    isCounted,
    () =>
      `${stats?.objectCount} objects of ${stats?.totalSize} bytes in place of ${live.length} of ${bytes}`,
  );
  for (const { key, blob, size, etag } of live) {
    const stored = state.blobs.get(blob);
    const hasBytes = stored?.bytes.length === size && stored.etag === etag;
    anomalies.require('every object has its bytes', hasBytes, () => `${key} has no ${blob}`);
  }
}

/** After the log was trimmed and the reconciler has run: every blob is of an object. */
export function checkBlobs(simulation: Simulation, name: string, bucketId: string): void {
  const { state, anomalies } = simulation;
  const named = new Set<string>();
  for (const record of state.objectsOf(bucketId).values()) {
    const live = liveOf(record);
    if (live) named.add(live.blob);
  }
  for (const entry of state.changesOf(bucketId).values()) {
    if (entry.type === 'noop') continue;
    for (const one of [entry.object, entry.previous]) {
      const live = liveOf(one);
      if (live) named.add(live.blob);
    }
  }
  const folder = `objects/${name}.${bucketId}/`;
  const orphans = [...state.blobs.keys()].filter(
    (blob) => blob.startsWith(folder) && !named.has(blob),
  );
  anomalies.require('no blob is left without an object', orphans.length === 0, () =>
    orphans.join(),
  );
}
