/**
 * Stops the janitor before and after every AWS call of the deletion of expired objects, on the real
 * adapters, and lets the next run finish: every object is deleted by exactly one change. Of the
 * queries for the slots of each hour, which change nothing, only the first one meets a fault.
 */

import { createBucket } from '../../core/buckets/buckets';
import { expireObjects } from '../../core/maintenance/expire-objects';
import { NEVER_STOP } from '../../core/stop-signal';
import { putExpiring } from '../core/maintenance/expiry/world';
import { FakeClock } from '../support/fakes/clock';
import { readLog, repairAndCheck } from '../support/invariants';
import { type Service, startService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let service: Service;
let buckets = 0;

beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

/** Three objects that expire in an hour, and one that does not. */
async function expiringBucket(clock: FakeClock) {
  const name = `photos-${++buckets}`;
  const deps = service.open({ clock });
  await createBucket(deps, name);
  const expiresAt = new Date(clock.now() + HOUR).toISOString();
  for (const key of ['a', 'b', 'c']) await putExpiring(deps, key, expiresAt, name);
  await putExpiring(deps, 'forever', undefined, name);
  return { name, deps };
}

test.each([
  { kind: 'killed', when: 'before' },
  { kind: 'killed', when: 'after' },
  { kind: 'disconnected', when: 'before' },
  { kind: 'disconnected', when: 'after' },
] as const)(
  'a janitor that is $kind $when a call leaves the rest to the next run',
  async (fault) => {
    const clock = new FakeClock(Date.now());
    await expireObjects(service.open({ clock }), NEVER_STOP);
    for (let at = 1; ; at++) {
      const { name, deps } = await expiringBucket(clock);
      clock.advance(2 * HOUR);
      let calls = 0;
      let queries = 0;
      let struck: () => void = () => undefined;
      const hit = new Promise<void>((resolve) => {
        struck = resolve;
      });
      const faulty = service.open({
        clock,
        watch: async (call, moment) => {
          if (moment === 'before' && call === 'Query') queries += 1;
          if (call === 'Query' && queries > 1) return;
          if (moment === 'before') calls += 1;
          if (calls < at || (calls === at && moment !== fault.when)) return;
          if (fault.kind === 'disconnected' && calls > at) return;
          struck();
          if (fault.kind === 'killed') await new Promise(() => undefined);
          throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
        },
      });
      const running = expireObjects(faulty, NEVER_STOP).catch(() => undefined);
      await (fault.kind === 'killed' ? Promise.race([running, hit]) : running);
      await expireObjects(deps, NEVER_STOP);
      const later = { now: () => clock.now() + 2 * DAY, sleep: async () => undefined };
      await repairAndCheck(deps, { ...deps, clock: later }, name, []);
      const bucket = await deps.buckets.get(name);
      const log = bucket ? await readLog(deps.changeLog, bucket) : [];
      const deleted = log.flatMap((entry) => (entry.type === 'delete' ? [entry.object] : []));
      expect(deleted.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c']);
      for (const object of deleted) expect(object).toMatchObject({ cause: 'expired' });
      if (calls < at) {
        expect([queries > 24, at > 4]).toEqual([true, true]);
        return;
      }
    }
  },
  120_000,
);
