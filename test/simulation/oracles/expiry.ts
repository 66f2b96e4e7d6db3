/** Objects that expire: deleted by the first run of the job that can, and never before. */
import { CLOCK_SKEW_MS } from '../../../core/maintenance/expire-objects';
import { liveOf } from '../../../core/objects/descriptor';
import type { EndedRun } from '../service/event-sources';
import type { BucketHistory, RecordedEntry } from '../service/history';
import type { Anomalies } from './anomalies';

/** Of the clocks of functions. */
const SKEW_MS = 100;

/** `runs`: of the job, those that succeeded. */
export function checkExpiries(
  anomalies: Anomalies,
  history: BucketHistory,
  runs: readonly EndedRun[],
): void {
  for (const recorded of history.entries) {
    if (recorded?.entry.type === 'delete') checkCause(anomalies, history, recorded);
    if (recorded?.entry.type === 'put') checkTime(anomalies, history, recorded, runs);
  }
}

function checkCause(anomalies: Anomalies, { id }: BucketHistory, { entry, at }: RecordedEntry) {
  if (entry.type === 'noop' || entry.object.state === 'live') return;
  const { cause, key } = entry.object;
  if (cause !== 'expired') return;
  const { expiresAt = '' } = liveOf(entry.previous) ?? {};
  anomalies.require(
    'an object never expires before its time',
    at >= Date.parse(expiresAt),
    () => `${id}: ${key} has ${expiresAt}, and expired at ${entry.at}`,
  );
}

function checkTime(
  anomalies: Anomalies,
  history: BucketHistory,
  { entry, at }: RecordedEntry,
  runs: readonly EndedRun[],
): void {
  const object = entry.type === 'put' ? liveOf(entry.object) : undefined;
  if (object?.expiresAt === undefined) return;
  const { key, cursor, expiresAt } = object;
  const due = Math.max(Date.parse(expiresAt) + CLOCK_SKEW_MS + SKEW_MS, at);
  const run = runs.find(({ from }) => from > due);
  if (run === undefined) return;
  const next = history.ofKey.get(key)?.find((one) => one > cursor);
  const until = next === undefined ? Number.POSITIVE_INFINITY : (history.entries[next]?.at ?? 0);
  anomalies.require(
    'an object that has expired is deleted by the job',
    until <= run.until,
    () => `${history.id}: ${key} of ${cursor} has ${expiresAt}, and was there after the job`,
  );
}
