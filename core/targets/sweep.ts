/**
 * Looking for what is behind: wake-ups are lost, targets fail, instances die. Each round may be cut
 * off anywhere.
 */
import { matchesPattern } from '../access/permissions';
import type { BucketRef } from '../bucket-ref';
import { allBuckets, type TargetBucket } from './bucket-log';
import type { NotifyDeps } from './notify';
import type { Registration, Target, TargetCursor, TargetTasks } from './ports';
import { register } from './register';

export interface SweepDeps extends NotifyDeps {
  readonly targetTasks: TargetTasks;
}

/** What is older than this and was not delivered is told in the log, which an alarm watches. */
const LATE_MS = 5 * 60_000;

/** Buckets of one errand. */
export const TASK_BUCKETS = 100;

export function follows(target: Pick<Target, 'buckets'>, bucket: string): boolean {
  return target.buckets.some((pattern) => matchesPattern(pattern, bucket));
}

/**
 * Sends an errand for all that is behind. What fails for one target or bucket is logged, left for
 * the next round, and thrown at the end. AWS calls when all is quiet: 1 UpdateItem and 1 Query per
 * target, 2 Query and 2 BatchGetItem per 100 buckets; for each target that is enrolled, those of
 * enrol, and all but the first again.
 */
export async function sweep(
  deps: SweepDeps,
  targets: readonly Target[],
  stopAt: () => boolean,
): Promise<void> {
  const round = new Round(deps, stopAt);
  const enrolments = new Map<Target, Registration>();
  for (const target of targets) {
    const ask = async () => {
      enrolments.set(target, await deps.targetCursors.register(target.id, deps.clock.now()));
    };
    await round.contain(target, undefined, ask());
  }
  const isIn = (target: Target) => enrolments.get(target)?.complete === true;
  await round.lookAfter(targets.filter(isIn));
  // Enrolling may take all the time that is left, so the others had their turn before.
  for (const [target, enrolment] of enrolments) {
    if (enrolment.complete) continue;
    const begin = async () => {
      if (await register(deps, target, enrolment, stopAt)) await round.lookAfter([target]);
    };
    await round.contain(target, undefined, begin());
  }
  const { failed } = round;
  if (failed.size > 0) throw new Error(`failed for ${[...failed].join(', ')}`);
}

class Round {
  /** Targets. */
  readonly failed = new Set<string>();

  constructor(
    private readonly deps: SweepDeps,
    private readonly stopAt: () => boolean,
  ) {}

  async contain(target: Target, bucket: string | undefined, work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      this.failed.add(target.id);
      this.deps.log.error('round_failed', { target: target.id, bucket, error });
    });
  }

  /** Targets that are enrolled. */
  async lookAfter(targets: readonly Target[]): Promise<void> {
    if (targets.length === 0) return;
    const { deps, stopAt } = this;
    // Positions before buckets before graves: then a position whose bucket is in neither belongs to
    // nothing any more.
    const found = new Map<Target, readonly TargetCursor[]>();
    for (const target of targets) {
      const list = async () => {
        found.set(target, await deps.targetCursors.list(target.id));
      };
      await this.contain(target, undefined, list());
    }
    const lives = await allBuckets(deps);
    for (const [target, positions] of found) {
      const round = new TargetRound(deps, target, lives, stopAt);
      await this.contain(target, undefined, round.look(positions));
      for (const [bucket, error] of round.failed) {
        await this.contain(target, bucket, Promise.reject(error));
      }
    }
  }
}

class TargetRound {
  /** By bucket. */
  readonly failed = new Map<string, unknown>();

  constructor(
    private readonly deps: SweepDeps,
    private readonly target: Target,
    private readonly lives: readonly TargetBucket[],
    private readonly stopAt: () => boolean,
  ) {}

  async look(positions: readonly TargetCursor[]): Promise<void> {
    const { deps, target } = this;
    const known = new Map(positions.map((position) => [position.bucket.id, position]));
    const behind: BucketRef[] = [];
    for (const life of this.lives) {
      const position = known.get(life.id);
      known.delete(life.id);
      if (this.stopAt() || !follows(target, life.name)) continue;
      try {
        const cursor = position?.cursor ?? 0;
        if (isTold(life, cursor)) continue;
        behind.push({ name: life.name, id: life.id });
        await this.tellLag(life, cursor, position?.failures ?? 0);
      } catch (error) {
        this.failed.set(life.name, error);
      }
    }
    for (let from = 0; from < behind.length; from += TASK_BUCKETS) {
      const buckets = behind.slice(from, from + TASK_BUCKETS);
      await deps.targetTasks.send({ target: target.id, buckets });
    }
    for (const id of known.keys()) await deps.targetCursors.remove(target.id, id);
  }

  /** 1 GetItem. */
  private async tellLag(
    { name, id, head }: TargetBucket,
    cursor: number,
    failures: number,
  ): Promise<void> {
    const { changeLog, clock, log } = this.deps;
    const next = await changeLog.get(id, cursor + 1);
    // Of what was trimmed nobody knows the age; whoever delivers finds out and says so.
    const late = next ? clock.now() - Date.parse(next.at) : 0;
    if (late < LATE_MS) return;
    const seconds = Math.round(late / 1000);
    const told = { target: this.target.id, bucket: name, from: cursor, behind: head - cursor };
    log.error('delivery_late', { ...told, seconds, failures });
  }
}

/**
 * Throws when the position is one that the bucket never had: its tables were put back to an earlier
 * moment.
 */
function isTold({ name, head }: TargetBucket, cursor: number): boolean {
  if (cursor > head) throw new Error(`position ${cursor} is ahead of ${name}, which is at ${head}`);
  return cursor === head;
}
