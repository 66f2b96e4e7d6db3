/**
 * What a commit with `if_cursor` reads and does not write, a source or an object that is not there,
 * is as at the cursor, whenever the writers at and below that cursor are at work.
 */
import fc from 'fast-check';
import { commitObjects } from '../../../core/commits/commit-objects';
import type { RequestedChange } from '../../../core/commits/commit-request';
import { ServiceError } from '../../../core/errors';
import { liveOf } from '../../../core/store/objects';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';

const options = { by: 'k', conditions: () => undefined, mayCommit: async () => true };

/** A process whose every operation waits for its turn. */
function scheduled(deps: World, s: fc.Scheduler): World {
  const turn = () => s.schedule(Promise.resolve());
  // Waiting makes gaps old, so that they are filled under writers at work.
  const backoff = async () => {
    deps.clock.advance(300);
    await turn();
  };
  return { ...deps, ...createFakes({ ...deps, yieldPoint: turn }), backoff };
}

const content = { headers: {} };
const WRITES = {
  replaced: (deps: World) => put(deps, 'source', 'three'),
  created: (deps: World) => put(deps, 'new', 'xx'),
  deleted: (deps: World) => remove(deps, 'source'),
  beside: (deps: World) => put(deps, 'beside', 'x'),
};
const CHANGES = {
  copy: { op: 'copy', key: 'copy', from: { key: 'source' }, content },
  delete: { op: 'delete', key: 'new', ifExists: true },
} satisfies Record<string, RequestedChange>;

const names = Object.keys(WRITES) as (keyof typeof WRITES)[];
const writes = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 });
const op = fc.constantFrom<keyof typeof CHANGES>('copy', 'delete');

test('a commit with if_cursor copies and deletes the objects as of that cursor', async () => {
  const made = { copy: 0, delete: 0 };
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), writes, op, fc.nat(30), async (s, written, name, pause) => {
      const { deps, bucket } = await openBucket();
      await put(deps, 'source', 'one');
      const writing = Promise.allSettled(written.map((one) => WRITES[one](scheduled(deps, s))));
      const commit = async () => {
        const process = scheduled(deps, s);
        for (let n = 0; n < pause; n++) await s.schedule(Promise.resolve());
        const ifCursor = (await process.buckets.get(BUCKET))?.cursor ?? 0;
        const request = { bucket: BUCKET, ifCursor, changes: [CHANGES[name]] };
        try {
          return { ifCursor, outcome: await commitObjects(process, request, options) };
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          return undefined;
        }
      };
      const committing = commit();
      await waitIdle(s);
      await writing;
      const { ifCursor = 0, outcome } = (await committing) ?? {};
      if (outcome?.result !== 'committed') return;
      made[name] += 1;
      const log = await deps.changeLog.read(bucket.id, 0, 100);
      const of = (key: string) => {
        const changes = log.flatMap((entry) => (entry.type === 'noop' ? [] : entry.object));
        return liveOf(changes.filter((one) => one.key === key && one.cursor <= ifCursor).at(-1));
      };
      const [change] = outcome.changes;
      if (name === 'copy') expect(change?.object).toMatchObject({ size: of('source')?.size });
      else if (change === undefined) expect(of('new')).toBeUndefined();
    }),
    { numRuns: 300 },
  );
  expect(Math.min(made.copy, made.delete)).toBeGreaterThan(50);
});
