import fc from 'fast-check';
import {
  type Caller,
  intersection,
  isPrincipal,
  lacking,
  listableRanges,
  mayOnBucket,
  mayOnObject,
  parsePermissions,
  seesBucket,
  seesWholeBucket,
  visibleBuckets,
} from '../../../core/access/permissions';
import type { Permission } from '../../../core/access/ports';
import { LIMITS, PERMISSIONS_MAX } from '../../../core/limits';
import { compareNames } from '../../../core/names';
import type { NameRange } from '../../../core/pages';

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
    actions: fc.subarray<Permission['actions'][number]>(['read', 'write', 'list', 'delete_bucket']),
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

test('listableRanges are of keys that begin with both prefixes, not that end with one', () => {
  const list = (...prefixes: string[]) =>
    caller(...prefixes.map((prefix) => ({ buckets: ['*'], prefix, actions: ['list' as const] })));
  expect(listableRanges(list('ba'), 'photos', 'a')).toEqual([]);
  expect(listableRanges(list('a'), 'photos', 'ba')).toEqual([]);
  expect(listableRanges(list('a'), 'photos', 'b')).toEqual([]);
  expect(listableRanges(list('a', 'ba', 'ab'), 'photos', '')).toHaveLength(2);
});

test('visibleBuckets of a pattern are one range', () => {
  const who = caller({ buckets: ['team-*', 'team-a', 'other'], actions: ['read'] });
  expect(visibleBuckets(who).map(({ from }) => from)).toEqual(['other', 'team-']);
});

test('seesWholeBucket needs a permission without a prefix', () => {
  fc.assert(
    fc.property(anyone, bucket, (who, name) => {
      const all = ['read', 'write', 'list', 'delete_bucket'].flatMap((a) => grants(who, a, name));
      expect(seesWholeBucket(who, name)).toBe(all.some((p) => !p.prefix));
    }),
  );
});

test('an intersection allows exactly what both allow', () => {
  const actions = fc.constantFrom('read' as const, 'list' as const, 'delete_bucket' as const);
  fc.assert(
    fc.property(anyone, anyone, actions, bucket, path, (one, other, action, name, key) => {
      const both = caller(...intersection(one.permissions, other.permissions));
      const may = (who: Caller) => mayOnObject(who, action, name, key);
      expect(may(both)).toBe(may(one) && may(other));
      expect(seesBucket(both, name) && !seesBucket(one, name)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test('a caller that lacks none of some permissions may do everything that they allow', () => {
  const actions = fc.constantFrom('read' as const, 'write' as const, 'list' as const);
  fc.assert(
    fc.property(anyone, anyone, actions, bucket, path, (maker, wanted, action, name, key) => {
      expect(lacking(maker, maker.permissions)).toBeUndefined();
      if (lacking(maker, wanted.permissions) !== undefined) return;
      const may = (who: Caller) => mayOnObject(who, action, name, key);
      expect(may(maker) || !may(wanted)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('lacking returns the first missing permission with its action and place', () => {
  const maker = caller({ buckets: ['photos', 'team-*'], prefix: 'a/', actions: ['read'] });
  const wanted = (buckets: string[], actions: Permission['actions'], prefix?: string) => [
    { buckets, actions, ...(prefix !== undefined && { prefix }) },
  ];
  expect(lacking(maker, wanted(['photos', 'team-a'], ['read'], 'a/1'))).toBeUndefined();
  expect(lacking(maker, wanted(['team-a*'], ['read'], 'a/'))).toBeUndefined();
  expect(lacking(maker, wanted(['photos'], ['read', 'write'], 'a/'))).toEqual({
    ...{ action: 'write', bucket: 'photos', prefix: 'a/' },
  });
  expect(lacking(maker, wanted(['photos'], ['read']))).toMatchObject({ prefix: '' });
  expect(lacking(maker, wanted(['photos', 'te*'], ['read'], 'a/'))).toMatchObject({
    bucket: 'te*',
  });
  expect(lacking(maker, wanted(['photos*'], ['read'], 'a/'))).toMatchObject({ bucket: 'photos*' });
});

test('a principal and an API key differ by their ids', () => {
  expect(isPrincipal({ keyId: 'iam:reader', permissions: [] })).toBe(true);
  expect(isPrincipal({ keyId: '8sKq2LmVx0Tz', permissions: [] })).toBe(false);
});

describe('permissions of a new key', () => {
  test('are returned unchanged when they are well formed', () => {
    const given = [{ buckets: ['photos', 'team-*', '*'], prefix: 'a/', actions: ['read', 'list'] }];
    expect(parsePermissions(given)).toEqual(given);
  });

  test.each([
    [null, 'permissions'],
    [undefined, 'permissions: is required'],
    [[], 'permissions'],
    [[7], 'permissions[0]: must be an object'],
    [[{ buckets: ['ok', 7], actions: ['read'] }], 'buckets'],
    [[{ buckets: ['ok'], actions: ['read', 'fly'] }], '"fly" is none of them'],
    [[{ buckets: ['ok'], actions: ['f'.repeat(30)] }], `"${'f'.repeat(20)}" is none`],
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

  test('are bounded in number and length', () => {
    const one = { buckets: ['ok'], actions: ['read'] };
    const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);
    for (const [over, isRefused] of [
      [0, false],
      [1, true],
    ] as const) {
      const most = PERMISSIONS_MAX + over;
      const long = { ...one, prefix: 'x'.repeat(LIMITS.keyBytes + over) };
      for (const given of [times(most, one), [{ ...one, buckets: times(most, 'ok') }], [long]]) {
        const parse = () => parsePermissions(given);
        if (isRefused) expect(parse).toThrow('permissions');
        else expect(parse()).toEqual(given);
      }
    }
  });

  test('have no prefix when none was given', () => {
    const [parsed = {}] = parsePermissions([{ buckets: ['ok'], actions: ['read'] }]);
    expect(Object.keys(parsed)).toEqual(['buckets', 'actions']);
  });
});
