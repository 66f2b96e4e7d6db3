import type { BucketRef } from '../../../../core/bucket-ref';
import type {
  Registration,
  TargetCursor,
  TargetCursors,
  TargetLease,
} from '../../../../core/targets/ports';
import { copy, type FakeState } from '../state';
import type { StoredTargetCursor } from '../stored';

/** The TargetCursors port in memory. */
export class FakeTargetCursors implements TargetCursors {
  constructor(private readonly state: FakeState) {}

  async register(target: string, now: number): Promise<Registration> {
    const known = this.state.registrations.get(target) ?? { since: now, complete: false };
    this.state.registrations.set(target, known);
    return copy(known);
  }

  async completeRegistration(target: string): Promise<void> {
    const known = this.state.registrations.get(target);
    if (known) this.state.registrations.set(target, { ...known, complete: true });
  }

  async initialize(target: string, { name, id }: BucketRef, cursor: number): Promise<void> {
    const cursors = this.state.targetCursorsOf(target);
    if (!cursors.has(id)) cursors.set(id, { bucket: { name, id }, cursor, failures: 0 });
  }

  async get(target: string, bucketId: string): Promise<TargetCursor | undefined> {
    const stored = this.state.targetCursorsOf(target).get(bucketId);
    return stored && asTargetCursor(stored);
  }

  async list(target: string): Promise<readonly TargetCursor[]> {
    return [...this.state.targetCursorsOf(target).values()].map(asTargetCursor);
  }

  async acquireLease(
    target: string,
    { name, id }: BucketRef,
    { holder, until, now }: TargetLease & { readonly now: number },
  ): Promise<TargetCursor | undefined> {
    const cursors = this.state.targetCursorsOf(target);
    const stored = cursors.get(id) ?? { bucket: { name, id }, cursor: 0, failures: 0 };
    if (stored.lease && stored.lease.until > now) return undefined;
    cursors.set(id, { ...stored, lease: { holder, until } });
    return asTargetCursor(stored);
  }

  async advance(
    target: string,
    bucketId: string,
    step: { from: number; to: number; holder: string; until?: number },
  ): Promise<boolean> {
    const { from, to, holder, until } = step;
    const stored = this.held(target, bucketId, holder);
    if (stored?.cursor !== from || to < from) return false;
    const { bucket, failures } = stored;
    this.state.targetCursorsOf(target).set(bucketId, {
      bucket,
      cursor: to,
      failures: to > from ? 0 : failures,
      ...(until !== undefined && { lease: { holder, until } }),
    });
    return true;
  }

  async backOff(target: string, bucketId: string, { holder, until }: TargetLease): Promise<void> {
    const stored = this.held(target, bucketId, holder);
    if (!stored) return;
    const failures = stored.failures + 1;
    this.state.targetCursorsOf(target).set(bucketId, { ...stored, failures, lease: { until } });
  }

  async remove(target: string, bucketId: string): Promise<void> {
    this.state.targetCursorsOf(target).delete(bucketId);
  }

  private held(target: string, bucketId: string, holder: string): StoredTargetCursor | undefined {
    const stored = this.state.targetCursorsOf(target).get(bucketId);
    return stored?.lease?.holder === holder ? stored : undefined;
  }
}

function asTargetCursor({ bucket, cursor, failures }: StoredTargetCursor): TargetCursor {
  return copy({ bucket, cursor, failures });
}
