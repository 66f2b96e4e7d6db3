import fc from 'fast-check';
import { publishChanges } from '../../../../core/log/publish';
import { restore } from '../../../../core/maintenance/recovery/recovery';
import { BUCKET, openBucket, put, remove, type World } from '../../../support/bucket-world';
import { backUp, EMPTY, putBack, runRestore } from '../../../support/restore-world';
import { changesSinceBackup, checkInvariants, HOUR, liveObjects, setUp } from './scenario';

describe('a restore', () => {
  test('changes nothing and reports what it would do when `apply` is false', async () => {
    const { deps: before, moment, backup } = await setUp(changesSinceBackup);
    for (const [tables, options, expected] of [
      [backup, { moment }, { made: false, recovered: 3 }],
      [EMPTY, {}, { made: true, recovered: 6 }],
    ] as const) {
      const deps = putBack(before, tables);
      const [restored] = await runRestore(deps, { ...options, apply: false });
      expect(restored).toMatchObject({ head: 0, droppedEntries: 0, ...expected });
      expect(backUp(deps.state)).toEqual(tables);
    }
  });

  test('changes nothing when it is repeated, also after new writes', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(changesSinceBackup);
    const deps = putBack(before, backup);
    const [first] = await runRestore(deps, { moment });
    const after = backUp(deps.state);
    deps.clock.advance(HOUR);
    const [again] = await runRestore(deps, { moment });
    expect(again).toMatchObject({ head: first?.head, recovered: 0, lost: 0, droppedEntries: 0 });
    expect({ ...backUp(deps.state), service: after.service }).toEqual(after);
    await put(deps, 'changed', 'changed 3');
    await remove(deps, 'new');
    const written = liveObjects(deps, bucket.id);
    expect((await runRestore(deps, { moment }))[0]).toMatchObject({ recovered: 0 });
    expect(liveObjects(deps, bucket.id)).toEqual(written);
    await checkInvariants(deps, bucket.id, first?.head ?? 0);
  });

  test.each([
    ['tables from an earlier moment', false],
    ['lost tables', true],
  ])(
    'of %s has the same result when it is interrupted at any step and repeated',
    async (_name, lost) => {
      const { deps: before, bucket, moment, backup } = await setUp(changesSinceBackup);
      const tables = lost ? EMPTY : backup;
      const options = lost ? {} : { moment };
      const whole = putBack(before, tables);
      let steps = 0;
      await runRestore(whole, options, () => {
        steps += 1;
      });
      const expected = liveObjects(whole, bucket.id);
      expect(steps).toBeGreaterThan(50);
      for (let cut = 1; cut <= steps; cut++) {
        const deps = putBack(before, tables);
        let step = 0;
        const killed = runRestore(deps, options, () => {
          step += 1;
          if (step >= cut) throw new Error('killed');
        });
        await expect(killed).rejects.toThrow('killed');
        deps.clock.advance(60_000);
        const [restored] = await runRestore(deps, options);
        expect([cut, liveObjects(deps, bucket.id)]).toEqual([cut, expected]);
        await checkInvariants(deps, bucket.id, restored?.head ?? 0);
      }
    },
  );

  test('recovers the newest content of every key written after the backup, for any history', async () => {
    const key = fc.constantFrom('a', 'a/b', 'c');
    const step = fc.record({
      key,
      text: fc.option(fc.string({ minLength: 1 })),
      wait: fc.nat(90_000),
    });
    const steps = fc.array(step, { maxLength: 12 });
    const doAll = async (
      deps: World,
      todo: typeof step extends fc.Arbitrary<infer S> ? S[] : never,
    ) => {
      const written = new Set<string>();
      for (const { key: name, text, wait } of todo) {
        deps.clock.advance(wait + 1000);
        if (text === null) await remove(deps, name).catch(() => undefined);
        else await put(deps, name, text);
        if (text !== null) written.add(name);
        else written.delete(name);
      }
      return written;
    };
    await fc.assert(
      fc.asyncProperty(steps, steps, async (first, second) => {
        const { deps: before, bucket } = await openBucket();
        await doAll(before, first);
        await publishChanges(before, BUCKET, { fillAllGaps: true });
        const moment = before.clock.now();
        const backup = backUp(before.state);
        const written = await doAll(before, second);
        const after = liveObjects(before, bucket.id);
        const deps = putBack(before, backup);
        const [restored] = await runRestore(deps, { moment });
        const now = liveObjects(deps, bucket.id);
        for (const name of written)
          expect([name, now[name]?.[0]]).toEqual([name, after[name]?.[0]]);
        await checkInvariants(deps, bucket.id, restored?.head ?? 0);
      }),
      { numRuns: 60 },
    );
  });

  test('logs how far it is at each 100,000 keys', async () => {
    const { deps, bucket } = await openBucket();
    const begin = `objects/${BUCKET}.${bucket.id}/`;
    const end = `/${deps.ids.ulid()}`;
    const names = Array.from({ length: 100_001 }, (_, n) => `${begin}${n + 100_000}${end}`);
    const list: typeof deps.blobs.list = async (prefix, after = '') => {
      const first = names.findIndex((name) => name.startsWith(prefix) && name > after);
      const found = first < 0 ? [] : names.slice(first, first + 1000);
      const lastModified = deps.clock.iso();
      const items = found.map((blob) => ({ blob, size: 1, lastModified }));
      return { items, more: found.length === 1000 };
    };
    deps.clock.advance(HOUR);
    const options = { moment: deps.clock.now(), dropNewer: false, apply: false };
    const blobs: typeof deps.blobs = Object.create(deps.blobs, { list: { value: list } });
    const restored: unknown[] = [];
    for await (const one of restore({ ...deps, blobs }, options)) restored.push(one);
    expect(restored).toMatchObject([{ bucket: BUCKET, recovered: 0 }]);
    expect(deps.log.lines.filter(({ event }) => event === 'listed')).toMatchObject([
      { fields: { bucket: BUCKET, keys: 100_000, blobs: 100_000, recovered: 0 } },
    ]);
  });
});
