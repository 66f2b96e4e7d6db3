/**
 * The janitor's job for the lifecycle rules of buckets: every 20 hours a walk over the keys to
 * which a rule applies. It goes in steps, and the next one is saved after each, so a walk takes as
 * many runs as it needs, and a run may be cut off or run twice.
 */

import { isExpiredBy, nextRuledRange } from '../buckets/lifecycle';
import { FailureCollector } from '../failure-collector';
import { afterName } from '../names';
import type { StopSignal } from '../stop-signal';
import type { LiveObject } from '../store/objects';
import { liveOf } from '../store/objects';
import { CLOCK_SKEW_MS, deleteExpired } from './expire-objects';
import type { JanitorDeps } from './janitor-deps';

/** Interval between the beginnings of two walks; less than a day. */
const WALK_EVERY_MS = 20 * 3_600_000;

const RECORDS_PER_STEP = 1000;

/** The next step of the walk, as it is saved. */
type Step =
  | { readonly part: 'rest'; readonly until: number }
  | {
      readonly part: 'bucket';
      /** When the walk began: epoch milliseconds. */
      readonly began: number;
      /** The first bucket from this name on. */
      readonly from: string;
      /** Where the bucket is continued; absent: it begins. */
      readonly at?: { readonly id: string; readonly key: string };
    };

const NEXT_STEP = 'lifecycle';

/**
 * Deletes what the rules let expire. A failure in one bucket does not stop the others; an error
 * that names the failed ones is thrown at the end. AWS calls: 1 GetItem while the walk rests; for
 * each step 2 GetItem and 2 Query, of which one reads 1,000 records, and 1 PutItem; for each commit
 * 1 UpdateItem and 1 TransactWriteItems.
 */
export async function applyLifecycle(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  const failures = new FailureCollector(deps.log, 'bucket_failed');
  const saved = await deps.serviceState.load(NEXT_STEP);
  const begin = (): BucketStep => ({ part: 'bucket', began: deps.clock.now(), from: '' });
  let step: Step = saved ? (JSON.parse(saved) as Step) : begin();
  while (!signal.aborted) {
    if (step.part === 'rest' && step.until > deps.clock.now()) break;
    // A walk that was interrupted for so long starts over too: it has not seen the objects that
    // became due since.
    const next: BucketStep = step.part === 'rest' ? begin() : step;
    step = await perform(deps, next, failures, signal);
    await deps.serviceState.save(NEXT_STEP, JSON.stringify(step));
  }
  failures.throwIfAny();
}

type BucketStep = Extract<Step, { part: 'bucket' }>;

/** Returns the step after this one. */
async function perform(
  deps: JanitorDeps,
  step: BucketStep,
  failures: FailureCollector,
  signal: StopSignal,
): Promise<Step> {
  const { began, from } = step;
  const ruled = await deps.buckets.nextWithLifecycle(from);
  if (ruled === undefined) return { part: 'rest', until: began + WALK_EVERY_MS };
  const next: Step = { part: 'bucket', began, from: afterName(ruled.name) };
  let rest: Step = next;
  // A bucket that fails is left to the next walk.
  await failures.run(ruled.name, { bucket: ruled.name }, async () => {
    const record = await deps.buckets.get(ruled.name);
    if (!record || record.closingAt !== undefined) return;
    const start = step.at?.id === record.id ? step.at.key : '';
    const range = nextRuledRange(ruled.rules, start);
    if (range === undefined) return;
    const page = await deps.objects.list(record.id, range, RECORDS_PER_STEP);
    const now = deps.clock.now() - CLOCK_SKEW_MS;
    const applies = (object: LiveObject) => isExpiredBy(ruled.rules, object, now);
    const due = page.items.flatMap((one) => liveOf(one) ?? []).filter(applies);
    const isDone = await deleteExpired(deps, { bucketId: record.id, applies, signal }, due);
    const last = page.items.at(-1);
    const key = isDone ? (page.more && last ? afterName(last.key) : range.before) : range.from;
    if (key !== undefined) rest = { ...step, from: ruled.name, at: { id: record.id, key } };
  });
  return rest;
}
