/**
 * Followers of three buckets with and without prefix, while messages are lost, repeated and
 * reordered, connections are cut, readers are slow, change logs are trimmed and buckets are
 * replaced. A second test omits one part of the client's rule at a time, and expects a violation.
 * fast-check prints the seed of a failure.
 */
import fc from 'fast-check';
import type { SubscriptionEvent } from '../../client/channel/events';
import { type FollowOptions, LogPosition } from '../../client/channel/log-position';
import type { ChangeRange } from '../../client/resources';
import { type Scenario, Simulation } from './simulation';

const upTo = (max: number) => fc.double({ min: 0, max, noNaN: true });
const scenario: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat(),
  steps: fc.integer({ min: 5, max: 60 }),
  faults: fc.record({
    drop: upTo(0.4),
    repeat: upTo(0.4),
    delayMs: fc.constantFrom(0, 50, 2_000),
    cut: upTo(0.1),
    trim: upTo(0.1),
    replace: upTo(0.05),
    pause: upTo(0.1),
  }),
});

test('every follower receives each change of the log exactly once, in order', () => {
  let events = 0;
  let resets = 0;
  fc.assert(
    fc.property(scenario, (drawn) => {
      const simulation = new Simulation(drawn, (bucket, from) => new LogPosition(bucket, from));
      expect(simulation.run()).toEqual([]);
      resets += simulation.resets;
      for (const segment of simulation.segments) events += segment.events.length;
    }),
    { numRuns: 150 },
  );
  // Without events and resets the test would prove nothing.
  expect(events).toBeGreaterThan(5_000);
  expect(resets).toBeGreaterThan(20);
});

/** Advances over lost changes. */
class WithoutGaps extends LogPosition {
  override take(range: ChangeRange) {
    return super.take({ ...range, from: Math.min(range.from, this.cursor ?? 0) });
  }
}

/** Applies a whole range, also the part of it that was applied before. */
class WithoutCursor extends LogPosition {
  protected override eventsAfter(_after: number, range: ChangeRange): SubscriptionEvent[] {
    return super.eventsAfter(0, range);
  }
}

/** Applies ranges before the cursor again. */
class WithRepetition extends LogPosition {
  override take(range: ChangeRange) {
    if (this.cursor === undefined || range.bucket_id !== this.bucketId) return super.take(range);
    if (range.from <= this.cursor && range.to <= this.cursor) this.cursor = range.from;
    return super.take(range);
  }
}

/** Applies the changes of every incarnation of the bucket. */
class WithoutIncarnations extends LogPosition {
  override begin(bucketId: string, cursor: number, head: number) {
    this.bucketId = bucketId;
    return super.begin(bucketId, cursor, head);
  }
  override take(range: ChangeRange) {
    return super.take({ ...range, bucket_id: this.bucketId ?? range.bucket_id });
  }
}

const withoutBucketId = (text: string) => text.replace(/,"bucket_id":"[^"]*"/, '');

const unchanged = (text: string) => text;

test.each<[string, typeof LogPosition, (text: string) => string]>([
  ['gaps are accepted', WithoutGaps, unchanged],
  ['changes up to the cursor are applied again', WithoutCursor, unchanged],
  ['old ranges are applied again', WithRepetition, unchanged],
  [
    'the incarnation of the bucket is neither sent nor compared',
    WithoutIncarnations,
    withoutBucketId,
  ],
])('a follower violates its guarantee when %s', (_rule, Variant, rewrite) => {
  const outcome = fc.check(
    fc.property(scenario, (drawn) => {
      const create = (bucket: string, from: FollowOptions) => new Variant(bucket, from);
      expect(new Simulation(drawn, create, rewrite).run()).toEqual([]);
    }),
    { numRuns: 150, endOnFailure: true },
  );
  expect(outcome.failed).toBe(true);
});
