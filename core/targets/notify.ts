/**
 * Delivering a bucket's log to a target: in order, each number at least once, none after a gap. The
 * position moves only after the target has taken what comes before it, so a crash at any point
 * repeats and never skips. Who delivers holds a lease, which saves repetitions; nothing depends on
 * it but that.
 */

import type { BucketRef } from '../bucket-ref';
import type { Clock, Ids, Log } from '../system';
import {
  type BucketsDeps,
  findBucket,
  hasMoved,
  readBucket,
  type TargetBucket,
} from './bucket-log';
import { changesNotifications, type Notification, resetNotification } from './notifications';
import type { Target, TargetCursor, TargetCursors } from './ports';
import { register } from './register';

export interface NotifyDeps extends BucketsDeps {
  readonly targetCursors: TargetCursors;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'ulid'>;
  readonly log: Log;
}

/** Numbers that are read at a time, and sent before the position moves. */
const SLICE = 100;

/** Of a lease, beyond what a call of the target may take: for the reading and writing around it. */
const LEASE_MARGIN_MS = 15_000;

/** A target that failed is left in peace for 1, 2, 4, … seconds, at most this long. */
const LONGEST_REST_MS = 60_000;

/**
 * Failures in a row after which this instance no longer waits for the next attempt, and leaves it
 * to the next round.
 */
const PATIENT_FAILURES = 3;

/** `stopped`: there is more, and no time left. */
export type Outcome = 'done' | 'busy' | 'failing' | 'stopped';

/**
 * Delivers all there is after the target's position. Failures of the target are logged and counted,
 * not thrown. AWS calls, beside those of the target: 3 GetItem when there is nothing new; else 4
 * GetItem, 2 UpdateItem and 1 Query for one change, 8 Query and 1 UpdateItem more per 100 changes.
 */
export async function notifyTarget(
  deps: NotifyDeps,
  target: Target,
  bucket: BucketRef,
  stopAt: () => boolean,
): Promise<Outcome> {
  for (;;) {
    const [life, known] = await Promise.all([
      findBucket(deps, bucket),
      deps.targetCursors.get(target.id, bucket.id),
    ]);
    if (!life || (known?.cursor ?? 0) >= life.head) return 'done';
    if (stopAt()) return 'stopped';
    const holder = deps.ids.ulid();
    const { clock } = deps;
    const lease = { holder, now: clock.now(), until: leaseEnd(deps, target) };
    const position = await deps.targetCursors.acquireLease(target.id, bucket, lease);
    if (!position) return 'busy';
    const step = await new Leased(deps, target, life, holder, stopAt).deliver(position);
    if (step === 'lost') return 'busy';
    if ('rest' in step) {
      if (step.failures >= PATIENT_FAILURES || stopAt()) return 'failing';
      await clock.sleep(step.rest);
    } else if (stopAt()) return 'stopped';
    else if (!(await hasMoved(deps, life, step.hole))) return 'done';
  }
}

function leaseEnd({ clock }: NotifyDeps, { timeoutMs }: Target): number {
  return clock.now() + timeoutMs + LEASE_MARGIN_MS;
}

type End =
  /** The lease was given back; `hole`: at the number of a writer that may be in flight. */
  | { readonly hole: number | undefined }
  /**
   * The target has failed so many times in a row, and is not to be asked again for so many
   * milliseconds.
   */
  | { readonly rest: number; readonly failures: number }
  /** Somebody else holds the lease. */
  | 'lost';

/** What is done under one lease. */
class Leased {
  constructor(
    private readonly deps: NotifyDeps,
    private readonly target: Target,
    private readonly life: TargetBucket,
    private readonly holder: string,
    private readonly stopAt: () => boolean,
  ) {}

  async deliver(position: TargetCursor): Promise<End> {
    let { cursor, failures } = position;
    for (;;) {
      const found = await this.read(cursor, failures);
      if (found.messages.length === 0) {
        return (await this.move(cursor, cursor, false)) ? { hole: found.hole } : 'lost';
      }
      const taken = await this.send(found.messages);
      const to = found.messages[taken - 1]?.to ?? cursor;
      const failed = taken < found.messages.length;
      const goesOn = failed || (found.more && !this.stopAt());
      if (taken > 0) {
        if (!(await this.move(cursor, to, goesOn))) return 'lost';
        failures = 0;
      }
      if (failed) return this.rest(failures);
      if (!goesOn) return { hole: found.hole };
      cursor = to;
    }
  }

  /**
   * What comes next, as messages. Fewer changes the oftener the target has refused them, so that
   * one that it cannot take holds up no other before it.
   */
  private async read(
    cursor: number,
    failures: number,
  ): Promise<{
    readonly messages: readonly Notification[];
    readonly more: boolean;
    readonly hole?: number;
  }> {
    const { deps, life, target } = this;
    const limit = Math.max(1, Math.floor(SLICE / 2 ** failures));
    const run = await readBucket(deps, life, cursor, limit);
    if (run === undefined) return { messages: [], more: false };
    if ('oldest' in run) {
      const { name: bucket } = life;
      deps.log.error('delivery_expired', { target: target.id, bucket, from: cursor, ...run });
      return { messages: [resetNotification(life, cursor, run)], more: true };
    }
    const messages = changesNotifications(life, run, target.maxBatchSize);
    const hole = !run.more && run.to < life.head ? run.to + 1 : undefined;
    return { messages, more: run.more, hole };
  }

  /** How many arrived. */
  private async send(messages: readonly Notification[]): Promise<number> {
    const { target, life, deps } = this;
    const told = { target: target.id, bucket: life.name, from: messages[0]?.from };
    try {
      const taken = await target.send(messages);
      if (taken < messages.length) deps.log.error('delivery_refused', { ...told, taken });
      return taken;
    } catch (error) {
      deps.log.error('delivery_failed', { ...told, error });
      return 0;
    }
  }

  private move(from: number, to: number, goesOn: boolean): Promise<boolean> {
    const { deps, target, life, holder } = this;
    const until = goesOn ? leaseEnd(deps, target) : undefined;
    return deps.targetCursors.advance(target.id, life.id, { from, to, holder, until });
  }

  private async rest(failures: number): Promise<End> {
    const { deps, target, life, holder } = this;
    const rest = Math.min(1000 * 2 ** failures, LONGEST_REST_MS);
    const until = deps.clock.now() + rest;
    await deps.targetCursors.backOff(target.id, life.id, { holder, until });
    return { rest, failures: failures + 1 };
  }
}

/** Buckets that are delivered to one target at a time. */
const SLICES = 8;

/** The targets that this instance knows to be enrolled. */
export type Registered = Set<string>;

/**
 * Delivers each of the buckets; what is not foreseen is thrown when all are done. 1 UpdateItem more
 * at the first errand of a target.
 */
export async function runTask(
  deps: NotifyDeps,
  target: Target,
  buckets: readonly BucketRef[],
  options: { readonly enrolled: Registered; readonly stopAt: () => boolean },
): Promise<void> {
  const { enrolled, stopAt } = options;
  if (!enrolled.has(target.id)) {
    // Without a position in each bucket that was there before, it would be told of all that ever
    // happened in them.
    const enrolment = await deps.targetCursors.register(target.id, deps.clock.now());
    if (!enrolment.complete && !(await register(deps, target, enrolment, stopAt))) return;
    enrolled.add(target.id);
  }
  const queue = buckets.values();
  const errors: unknown[] = [];
  const slice = async () => {
    for (const bucket of queue) {
      await notifyTarget(deps, target, bucket, stopAt).catch((error: unknown) => {
        deps.log.error('errand_failed', { target: target.id, bucket: bucket.name, error });
        errors.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(SLICES, buckets.length) }, slice));
  if (errors.length > 0) throw errors[0];
}
