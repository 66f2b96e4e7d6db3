/** Objects that expire: deleted by the first run of the job that can, and never before. */
import { CLOCK_SKEW_MS } from '../../../core/maintenance/expire-objects';
import type { LiveObject } from '../../../core/store/objects';
import { liveOf } from '../../../core/store/objects';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory, RecordedEntry } from '../records/history';
import type { EndedRun } from '../service/schedule';
import { checkRules, isRuled } from './lifecycle';

/** Of the clocks of functions. */
const SKEW_MS = 100;

/** A call of AWS may take effect so long after its caller has given up. */
const LATE_MS = 10_000;

/** `runs`: of the job that deletes what has expired, by its own time or by a rule. */
export function checkExpiries(
  anomalies: Anomalies,
  history: BucketHistory,
  runs: readonly EndedRun[],
): void {
  const done = runs.filter(({ isDone }) => isDone);
  for (const recorded of history.entries) {
    if (recorded?.entry.type === 'delete') checkCause(anomalies, history, recorded, runs);
    if (recorded?.entry.type === 'put') checkTime(anomalies, history, recorded, done);
  }
  checkRules(anomalies, history, runs);
}

function checkCause(
  anomalies: Anomalies,
  history: BucketHistory,
  { entry, at }: RecordedEntry,
  runs: readonly EndedRun[],
): void {
  if (entry.type !== 'delete' || entry.object.state === 'live') return;
  const { cause, key } = entry.object;
  if (cause !== 'expired') return;
  // As it was written: what the deletion says about it is no evidence.
  const expired = history.changeOf(key, entry.cursor - 1);
  const object = liveOf(expired?.type === 'put' ? expired.object : undefined);
  const isDue = object !== undefined && isOver(object, at);
  const isOld = object !== undefined && history.rules.some((one) => isRuled(one, object, at));
  anomalies.require(
    'an object never expires before its time',
    isDue || isOld,
    () => `${history.id}: ${key} has ${object?.expiresAt}, and expired at ${entry.at}`,
  );
  if (!isOld || isDue) return;
  const held = history.rulesDuring(startOfRun(runs, at), at);
  anomalies.require(
    'a rule deletes while it holds, and nothing afterwards',
    held.some((one) => isRuled(one, object, at)),
    () => `${history.id}: ${key} was deleted at ${entry.at} by a rule that was removed`,
  );
}

function isOver({ expiresAt }: LiveObject, at: number): boolean {
  return expiresAt !== undefined && at >= Date.parse(expiresAt);
}

/** When the run began that has written at that time, at last after its end: what it had read. */
function startOfRun(runs: readonly EndedRun[], at: number): number {
  const covering = runs.filter(({ from, until }) => from <= at && at <= until + LATE_MS);
  return Math.min(at, ...covering.map(({ from }) => from));
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
