/** Lifecycle rules: each deletes within a day what is old enough, as long as it holds. */
import { CLOCK_SKEW_MS } from '../../../core/maintenance/expire-objects';
import type { LiveObject } from '../../../core/store/objects';
import { liveOf } from '../../../core/store/objects';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory, RecordedEntry, RecordedRules } from '../records/history';
import type { EndedRun } from '../service/schedule';

const DAY_MS = 86_400_000;

/** The job walks through a bucket so often: core/maintenance/apply-lifecycle.ts. */
const WALK_EVERY_MS = 20 * 3_600_000;

/** Of the clocks of functions, and for the length of a walk. */
const SLACK_MS = 60_000;

/** Whether one of the rules lets the object expire at that time. */
export function isRuled(rules: RecordedRules, object: LiveObject, at: number): boolean {
  return dueBy(rules, object) <= at;
}

/** When the first of the rules lets the object expire; never: infinity. */
function dueBy({ rules }: RecordedRules, { key, updatedAt }: LiveObject): number {
  const days = rules.flatMap(({ prefix, expireAfterDays }) =>
    key.startsWith(prefix) ? [expireAfterDays] : [],
  );
  return Date.parse(updatedAt) + Math.min(...days) * DAY_MS;
}

/** `runs`: of the job, also those that have failed. */
export function checkRules(
  anomalies: Anomalies,
  history: BucketHistory,
  runs: readonly EndedRun[],
): void {
  for (const [index, rules] of history.rules.entries()) {
    const until = history.rules[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    for (const recorded of history.entries) {
      if (recorded) checkRuled(anomalies, { history, rules, until, runs }, recorded);
    }
  }
}

interface Ruled {
  readonly history: BucketHistory;
  readonly rules: RecordedRules;
  /** When other rules were set. */
  readonly until: number;
  readonly runs: readonly EndedRun[];
}

/** What a run leaves that has failed is left to the next walk, so only undisturbed ones count. */
function checkRuled(
  anomalies: Anomalies,
  { history, rules, until, runs }: Ruled,
  { entry, at }: RecordedEntry,
): void {
  const object = entry.type === 'put' ? liveOf(entry.object) : undefined;
  if (object === undefined) return;
  const due = Math.max(dueBy(rules, object) + CLOCK_SKEW_MS, rules.at, at) + SLACK_MS;
  const run = runs.find(({ from }) => from >= due + WALK_EVERY_MS);
  if (run === undefined || run.until > until) return;
  const isDisturbed = runs.some((one) => !one.isDone && one.until > due && one.from <= run.from);
  if (isDisturbed) return;
  const { key, cursor } = object;
  const next = history.ofKey.get(key)?.find((one) => one > cursor);
  const isGone = next !== undefined && (history.entries[next]?.at ?? 0) <= run.until;
  anomalies.require(
    'a rule deletes within a day what is old enough',
    isGone,
    () => `${history.id}: ${key} of ${cursor} is older than a rule, and was there after a walk`,
  );
}
