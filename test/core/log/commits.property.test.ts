/**
 * Random histories of commits of several changes beside single writes, with writers that crash or
 * lose their connection, and readers whose queries of the shards come at different times. Whatever
 * a reader, a page, a message or a copy shows must be whole commits. The last tests break one rule
 * at a time and show that the property fails.
 */
import fc from 'fast-check';
import { commitChanges } from '../../../core/log/commit';
import { entryOf } from '../../../core/log/entries';
import type { ChangeLog } from '../../../core/log/ports';
import { putIntent } from '../../support/commits';
import { createFakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';
import { BUCKET, KEYS, run, type Variant, writer } from './commit-histories';

const histories = fc.array(writer, { minLength: 1, maxLength: 4 });

test('readers see whole commits in every interleaving and after every crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), histories, (s, writers) => run(s, writers)),
    { numRuns: 300 },
  );
});

/** Whether the property fails under a broken rule. */
async function fails(variant: Variant): Promise<boolean> {
  const property = fc.asyncProperty(fc.scheduler(), histories, (s, writers) =>
    run(s, writers, variant),
  );
  return (await fc.check(property, { numRuns: 1000, endOnFailure: true })).failed;
}

test('the property fails when each entry is written on its own', async () => {
  const oneByOne: Variant = {
    commits: (commits, world, pause) => ({
      allocate: (...parameters) => commits.allocate(...parameters),
      commit: async (commit) => {
        for (const change of commit.changes) {
          await pause();
          const alone = { ...commit, changes: [change], token: `${change.object.cursor}` };
          const outcome = await commits.commit(alone);
          if (outcome.result !== 'committed') return outcome;
          const entry = entryOf(commit, change);
          world.state.changesOf(commit.bucketId).set(entry.cursor, entry);
        }
        return { result: 'committed' };
      },
    }),
  };
  expect(await fails(oneByOne)).toBe(true);
});

test('the property fails when `if_cursor` is checked before the allocation', async () => {
  const early: Variant = {
    commits: (commits, world, pause) => ({
      allocate: async (bucket, count, ifCursor) => {
        const { cursor } = world.state.buckets.get(BUCKET) ?? {};
        if (ifCursor !== undefined && cursor !== ifCursor) return undefined;
        await pause();
        return commits.allocate(bucket, count);
      },
      commit: (commit) => commits.commit(commit),
    }),
  };
  expect(await fails(early)).toBe(true);
});

test('the property fails when readers do not know which entries belong together', async () => {
  const unmarked: Variant = {
    changeLog: (changeLog) => {
      const read: ChangeLog['read'] = async (...range) =>
        (await changeLog.read(...range)).map((entry) => ({ ...entry, commit: undefined }));
      return Object.assign(Object.create(changeLog), { read });
    },
  };
  expect(await fails(unmarked)).toBe(true);
});

test('exactly one of several commits at the same cursor is made when nobody crashes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), async (s, racers) => {
      const fakes = createFakes({ yieldPoint: () => s.schedule(Promise.resolve()) });
      const { state, clock } = fakes;
      const bucket = { name: BUCKET, id: 'b00000000001' };
      const storing = createFakes({ state, clock });
      await storing.buckets.create({ ...bucket, cursor: 0, createdAt: clock.iso() });
      const deps = { ...fakes, backoff: async () => clock.advance(200) };
      const made: number[] = [];
      const race = async (n: number) => {
        const keys = KEYS.slice(0, 2);
        const intents = await Promise.all(
          keys.map((key) => putIntent(storing, bucket, key, `${n}`)),
        );
        try {
          await commitChanges(deps, { bucket, intents, ifCursor: 0 }, []);
          made.push(n);
        } catch (error) {
          expect(error).toMatchObject({ code: 'precondition_failed' });
        }
      };
      const racing = Array.from({ length: racers }, (_, n) => race(n));
      await waitIdle(s);
      await Promise.all(racing);
      expect(made).toHaveLength(1);
    }),
    { numRuns: 200 },
  );
});
