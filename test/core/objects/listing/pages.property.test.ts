/** The pages of a list, compared with the whole list by the rule of S3. */
import fc from 'fast-check';
import { listableRanges } from '../../../../core/access/permissions';
import { prefixRange } from '../../../../core/names';
import { listStart } from '../../../../core/objects/listing';
import type { Objects } from '../../../../core/store/objects';
import { listAll, listed, stored } from './listed';

const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '0', '\uffff', '\u{1f600}'),
  minLength: 1,
  maxLength: 6,
});
const part = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\u{1f600}'), maxLength: 2 });

/** The keys of folders whose names the list can guess in part, with objects between them. */
const shape = fc
  .record({
    names: fc.uniqueArray(
      fc.oneof(
        fc.integer({ min: 0, max: 99 }).map((n) => `f${String(n).padStart(2, '0')}`),
        fc.integer({ min: 0, max: 200 }).map(String),
        fc.integer({ min: 0, max: 255 }).map((n) => n.toString(16)),
        fc.string({ unit: fc.constantFrom('a', '~', '\u{1f600}'), minLength: 1, maxLength: 3 }),
      ),
      { maxLength: 40 },
    ),
    sizes: fc.array(fc.constantFrom(0, 1, 2, 5, 40), { minLength: 1, maxLength: 5 }),
  })
  .map(({ names, sizes }) =>
    names.flatMap((name, n) => {
      const size = sizes[n % sizes.length] ?? 0;
      return size === 0 ? [name] : Array.from({ length: size }, (_, i) => `${name}/${i}`);
    }),
  );

test('listObjects returns pages that add up to the list for any prefix, delimiter, start and limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 40 }),
      fc.array(key, { maxLength: 10 }),
      part,
      part,
      fc.option(key, { nil: undefined }),
      fc.integer({ min: 1, max: 7 }),
      async (live, gone, prefix, delimiter, startAfter, limit) => {
        const { objects } = stored(live, gone);
        const query = { ranges: [prefixRange(prefix)], prefix, delimiter, limit };
        expect(await listAll(objects, query, listStart(startAfter, prefix))).toEqual(
          listed(live, prefix, delimiter, startAfter),
        );
      },
    ),
  );
});

test('listObjects returns the list or the error of a read, in whatever order the reads end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      shape,
      shape,
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.boolean(), { maxLength: 10 }),
      async (scheduler, live, gone, limit, fails) => {
        const { objects } = stored(live, gone);
        let reads = 0;
        const throttled: Pick<Objects, 'listShown'> = {
          listShown: async (...parameters) => {
            const isThrottled = fails[reads++];
            await scheduler.schedule(Promise.resolve());
            if (isThrottled) throw new Error('throttled');
            return objects.listShown(...parameters);
          },
        };
        const query = { ranges: [prefixRange('')], prefix: '', delimiter: '/', limit };
        const list = (): ReturnType<typeof listAll> =>
          listAll(throttled, query, '').catch((error: Error) => {
            expect(error.message).toBe('throttled');
            return list();
          });
        expect(await scheduler.waitFor(list())).toEqual(listed(live, '', '/'));
      },
    ),
  );
});

test('listObjects shows only the prefixes that the API key may list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 40 }),
      part,
      part,
      part,
      async (live, one, two, prefix) => {
        const { objects } = stored(live);
        const caller = {
          keyId: 'k',
          permissions: [one, two].map((p) => ({
            buckets: ['*'],
            prefix: p,
            actions: ['list' as const],
          })),
        };
        const ranges = listableRanges(caller, 'photos', prefix);
        const mine = live.filter((k) => k.startsWith(one) || k.startsWith(two));
        const query = { ranges, prefix, delimiter: '/', limit: 3 };
        expect(await listAll(objects, query, prefix)).toEqual(listed(mine, prefix, '/'));
      },
    ),
  );
});
