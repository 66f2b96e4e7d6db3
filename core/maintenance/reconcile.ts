/**
 * The reconciler, a job of the janitor: compares what S3 holds with what the tables name, in both
 * directions. A pass goes over all blobs and all records in steps; the next step is saved after
 * each, so a pass takes as many hourly runs as it needs, and a run may be cut off or run twice.
 */

import { afterName, clipRange, prefixRange } from '../names';
import type { ServiceState } from '../service-state';
import type { StopSignal } from '../stop-signal';
import type { JanitorDeps } from './janitor-deps';
import { removeOrphans } from './orphans';
import { beginRecordCheck, checkRecordPage, type RecordCheck } from './record-check';

/** A pass begins a day after the last one ended. */
const PASS_EVERY_MS = 24 * 3600 * 1000;

/** The next step of the pass, as it is saved. */
type Step =
  | { readonly part: 'rest'; readonly until: number }
  | { readonly part: 'objects/' | 'uploads/'; readonly from?: string }
  | {
      readonly part: 'records';
      readonly bucket: string;
      readonly id?: string;
      readonly walk?: RecordCheck;
    };

const NEXT_STEP = 'reconcile';

/**
 * Saves that the reconciler does nothing before `until` (epoch milliseconds), then begins a new
 * pass.
 */
export async function pauseReconciler(
  serviceState: Pick<ServiceState, 'save'>,
  until: number,
): Promise<void> {
  await saveStep(serviceState, { part: 'rest', until });
}

function saveStep(serviceState: Pick<ServiceState, 'save'>, step: Step): Promise<void> {
  return serviceState.save(NEXT_STEP, JSON.stringify(step));
}

/** Continues the pass until it is complete or the signal is aborted. */
export async function reconcile(
  deps: JanitorDeps,
  signal: StopSignal,
): Promise<'complete' | 'continues'> {
  const saved = await deps.serviceState.load(NEXT_STEP);
  let step: Step = saved ? (JSON.parse(saved) as Step) : { part: 'objects/' };
  if (step.part === 'rest' && step.until <= deps.clock.now()) step = { part: 'objects/' };
  while (step.part !== 'rest') {
    if (signal.aborted) return 'continues';
    step = (await perform(deps, step, signal)) ?? {
      part: 'rest',
      until: deps.clock.now() + PASS_EVERY_MS,
    };
    await saveStep(deps.serviceState, step);
  }
  return 'complete';
}

/** Returns the step after this one, or undefined when the pass is complete. */
async function perform(
  deps: JanitorDeps,
  step: Exclude<Step, { part: 'rest' }>,
  signal: StopSignal,
): Promise<Step | undefined> {
  if (step.part !== 'records') {
    const { next } = await removeOrphans(deps, step.part, step.from, signal);
    if (next !== undefined) return { part: step.part, from: next };
    return step.part === 'objects/' ? { part: 'uploads/' } : nextBucket(deps, '');
  }
  const record = await deps.buckets.get(step.bucket);
  // The bucket may have been deleted, or created again, since the last run.
  const isSame = record !== undefined && (step.id === undefined || step.id === record.id);
  const check = step.walk ?? (await beginRecordCheck(deps, step.bucket));
  if (!record || !isSame || !check) return nextBucket(deps, afterName(step.bucket));
  const rest = await checkRecordPage(deps, record, check);
  return rest ? { ...step, id: record.id, walk: rest } : nextBucket(deps, afterName(step.bucket));
}

async function nextBucket(deps: JanitorDeps, from: string): Promise<Step | undefined> {
  const range = clipRange(prefixRange(''), from);
  const first = range && (await deps.buckets.list(range, 1)).items[0];
  return first && { part: 'records', bucket: first.record.name };
}
