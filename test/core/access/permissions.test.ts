import fc from 'fast-check';
import {
  type Caller,
  listableRanges,
  mayOnBucket,
  mayOnObject,
  parsePermissions,
  seesBucket,
  visibleBuckets,
} from '../../../core/access/permissions';
import type { Permission } from '../../../core/access/ports';
import { compareNames } from '../../../core/objects/names';
import type { NameRange } from '../../../core/objects/ports';

const caller = (...permissions: Permission[]): Caller => ({ keyId: 'k', permissions });
const inside = (ranges: readonly NameRange[], name: string) =>
  ranges.some(
    ({ from, before }) =>
      compareNames(name, from) >= 0 && (before === undefined || compareNames(name, before) < 0),
  );

const bucket = fc.constantFrom('photos', 'photos-2', 'team-a', 'team-b', 'other');
const pattern = fc.constantFrom('photos', 'team-*', 'photos*', '*', 'other', 'team-a');
const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '\u{1f600}'), maxLength: 5 });
const permission: fc.Arbitrary<Permission> = fc.record(
  {
    buckets: fc.array(pattern, { minLength: 1, maxLength: 3 }),
    prefix: path,
    actions: fc.subarray<Permission['actions'][number]>(
      ['read', 'write', 'list', 'delete_bucket'],
      { minLength: 1 },
    ),
  },
  { requiredKeys: ['buckets', 'actions'] },
);
const anyone = fc.array(permission, { maxLength: 4 }).map((p) => caller(...p));

/** The rule, written independently of the code. */
function grants(who: Caller, action: string, name: string): Permission[] {
  return who.permissions.filter(
    (p) =>
      p.actions.includes(action as never) &&
      p.buckets.some((b) => b === name || (b.endsWith('*') && name.startsWith(b.slice(0, -1)))),
  );
}

test('mayOnObject permits an action on the bucket with a prefix of the key', () => {
  fc.assert(
    fc.property(anyone, bucket, path, (who, name, key) => {
      const expected = grants(who, 'read', name).some((p) => key.startsWith(p.prefix ?? ''));
      expect(mayOnObject(who, 'read', name, key)).toBe(expected);
    }),
  );
});

test('mayOnBucket ignores a permission for a prefix', () => {
  fc.assert(
    fc.property(anyone, bucket, (who, name) => {
      const expected = grants(who, 'delete_bucket', name).some((p) => !p.prefix);
      expect(mayOnBucket(who, 'delete_bucket', name)).toBe(expected);
    }),
  );
});

test('listableRanges cover exactly the keys that begin with the prefix and that the caller may list', () => {
  fc.assert(
    fc.property(anyone, bucket, path, path, (who, name, prefix, key) => {
      const ranges = listableRanges(who, name, prefix);
      expect(inside(ranges, key)).toBe(
        key.startsWith(prefix) && mayOnObject(who, 'list', name, key),
      );
    }),
  );
});

test('listableRanges are sorted and disjoint, so that no key is listed twice', () => {
  fc.assert(
    fc.property(anyone, bucket, path, (who, name, prefix) => {
      for (const ranges of [listableRanges(who, name, prefix), visibleBuckets(who)]) {
        for (const [i, range] of ranges.entries()) {
          const next = ranges[i + 1];
          if (!next) continue;
          expect(range.before).toBeDefined();
          expect(compareNames(range.before ?? '', next.from)).toBeLessThanOrEqual(0);
        }
      }
    }),
  );
});

test('visibleBuckets cover exactly the buckets in which the caller may do anything', () => {
  fc.assert(
    fc.property(anyone, bucket, (who, name) => {
      expect(inside(visibleBuckets(who), name)).toBe(seesBucket(who, name));
    }),
  );
});

describe('permissions of a new key', () => {
  test('are returned unchanged when they are well formed', () => {
    const given = [{ buckets: ['photos', 'team-*', '*'], prefix: 'a/', actions: ['read', 'list'] }];
    expect(parsePermissions(given)).toEqual(given);
  });

  test.each([
    [null, 'permissions'],
    [[], 'permissions'],
    [[null], 'permissions[0]'],
    [[{ buckets: [], actions: ['read'] }], 'buckets'],
    [[{ buckets: ['a*b'], actions: ['read'] }], 'buckets'],
    [[{ buckets: ['UP'], actions: ['read'] }], 'buckets'],
    [[{ buckets: ['ok'], actions: ['fly'] }], 'actions'],
    [[{ buckets: ['ok'], actions: 'read' }], 'actions'],
    [[{ buckets: ['ok'], actions: ['read'], prefix: 7 }], 'prefix'],
    [[{ buckets: ['ok'], actions: ['read'], admin: true }], 'admin'],
  ])('are rejected when they are %j, with the field %s', (given, place) => {
    expect(() => parsePermissions(given)).toThrow(place);
  });
});
