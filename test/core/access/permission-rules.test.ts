/** What permissions allow, case by case; permissions.test.ts has the rules for all of them. */
import {
  ALL_PERMISSIONS,
  type Caller,
  forbidden,
  intersection,
  lacking,
  listableRanges,
  matchesPattern,
  mayOnBucket,
  mayOnObject,
  seesBucket,
  seesWholeBucket,
  visibleBuckets,
} from '../../../core/access/permissions';
import type { Action, Permission } from '../../../core/access/ports';

const caller = (...permissions: Permission[]): Caller => ({ keyId: 'k', permissions });
const of = (buckets: string, actions: string, prefix?: string): Permission => ({
  buckets: buckets.split(' '),
  actions: actions.split(' ').filter((action) => action !== '') as Action[],
  ...(prefix !== undefined && { prefix }),
});

test('all permissions are every action in every bucket', () => {
  expect(ALL_PERMISSIONS).toEqual([
    of('*', 'read write delete list sync sign create_bucket delete_bucket'),
  ]);
});

test.each([
  ['photos', 'photos', true],
  ['photos', 'photos-2', false],
  ['photos', 'photo', false],
  ['photos*', 'photos', true],
  ['photos*', 'photos-2', true],
  ['photos*', 'photo', false],
  ['photos*', 'my-photos', false],
  ['*', 'photos', true],
])('the pattern %s matches %s: %j', (pattern, bucket, matches) => {
  expect(matchesPattern(pattern, bucket)).toBe(matches);
});

/** Of a caller with the permission: on the bucket, on the object, sees it, sees all of it. */
test.each<[Permission, boolean, boolean, boolean, boolean]>([
  [of('photos', 'read'), true, true, true, true],
  [of('photos', 'read', ''), true, true, true, true],
  [of('photos', 'read', 'a/'), false, true, true, false],
  [of('photos', 'read', 'b/'), false, false, true, false],
  [of('photos', 'read', 'a/b/c'), false, false, true, false],
  [of('photos', 'write'), false, false, true, true],
  [of('photos', ''), false, false, false, false],
  [of('other', 'read'), false, false, false, false],
  [of('other photos', 'list read'), true, true, true, true],
  [of('ph*', 'read'), true, true, true, true],
])('of photos and its object a/b, %j allows %j and %j, and shows %j and %j', (one, ...expected) => {
  for (const who of [caller(one), caller(of('other', 'list'), one), caller(one, of('x', 'read'))]) {
    expect([
      mayOnBucket(who, 'read', 'photos'),
      mayOnObject(who, 'read', 'photos', 'a/b'),
      seesBucket(who, 'photos'),
      seesWholeBucket(who, 'photos'),
    ]).toEqual(expected);
  }
});

test.each<[string, Permission[], string, string[]]>([
  ['everything', [of('*', 'list')], '', ['']],
  ['what was asked for', [of('*', 'list')], 'a/', ['a/']],
  ['what is granted below it', [of('photos', 'list', 'a/b/')], 'a/', ['a/b/']],
  ['what is asked for below what is granted', [of('photos', 'list', 'a/')], 'a/b', ['a/b']],
  ['nothing beside what is granted', [of('photos', 'list', 'a/')], 'b/', []],
  ['nothing of another bucket', [of('other', 'list')], '', []],
  ['nothing without the action', [of('photos', 'read write')], '', []],
  [
    'disjoint prefixes in order',
    [of('photos', 'list', 'c'), of('photos', 'list', 'a'), of('*', 'list', 'b')],
    '',
    ['a', 'b', 'c'],
  ],
  [
    'the widest of overlapping prefixes once',
    [of('photos', 'list', 'ab'), of('*', 'list', 'a'), of('*', 'list', 'a')],
    '',
    ['a'],
  ],
])('a caller may list %s', (_, permissions, prefix, listed) => {
  const ranges = listableRanges(caller(...permissions), 'photos', prefix);
  expect(ranges.map(({ from }) => from)).toEqual(listed);
});

test('the range of a prefix ends before the next name that does not begin with it', () => {
  expect(listableRanges(caller(of('*', 'list', 'a')), 'photos', '')).toEqual([
    { from: 'a', before: 'b' },
  ]);
});

test.each<[Permission[], object[]]>([
  [[of('photos', 'read')], [{ from: 'photos', before: 'photos\u0000' }]],
  [[of('photos', '')], []],
  [[of('team-*', 'read')], [{ from: 'team-', before: 'team.' }]],
  [
    [of('team-* b', 'read', 'x/'), of('a b', 'list'), of('team-a team-b*', 'read')],
    [
      { from: 'a', before: 'a\u0000' },
      { from: 'b', before: 'b\u0000' },
      { from: 'team-', before: 'team.' },
    ],
  ],
])('a caller with %j sees the buckets %j', (permissions, ranges) => {
  expect(visibleBuckets(caller(...permissions))).toEqual(ranges);
});

test.each<[Permission, Permission, Permission[]]>([
  [of('photos', 'read list'), of('*', 'list sync'), [of('photos', 'list')]],
  [of('*', 'list'), of('photos', 'list'), [of('photos', 'list')]],
  [of('team-*', 'read'), of('team-a* b', 'read'), [of('team-a*', 'read')]],
  [of('team-a*', 'read'), of('team-*', 'read'), [of('team-a*', 'read')]],
  [of('team-*', 'read'), of('team-*', 'read'), [of('team-*', 'read')]],
  [of('team-* team-a', 'read'), of('team-a', 'read'), [of('team-a', 'read')]],
  [of('a b', 'read'), of('b c', 'read'), [of('b', 'read')]],
  [of('a', 'read'), of('b', 'read'), []],
  [of('a', 'read'), of('a*', 'write'), []],
  [of('ab', 'read'), of('b', 'read'), []],
  [of('a*', 'read'), of('b*', 'read'), []],
  [of('a', 'read', 'x/'), of('a', 'read'), [of('a', 'read', 'x/')]],
  [of('a', 'read', 'x/'), of('a', 'read', ''), [of('a', 'read', 'x/')]],
  [of('a', 'read', 'x/'), of('a', 'read', 'x/y'), [of('a', 'read', 'x/y')]],
  [of('a', 'read', 'x/'), of('a', 'read', 'y/'), []],
  [of('a', 'read', ''), of('a', 'read', ''), [of('a', 'read')]],
])('what %j and %j both allow is %j', (one, other, both) => {
  expect(intersection([one], [other])).toEqual(both);
});

test('every pair of two lists of permissions may overlap', () => {
  const own = [of('a', 'read'), of('b', 'write')];
  expect(intersection(own, [of('*', 'read'), of('*', 'write')])).toEqual(own);
  expect(intersection(own, [])).toEqual([]);
});

const TEAM = [of('photos team-*', 'read list', 'a/'), of('photos', 'write'), of('*', 'sync', '')];

test.each<[Permission, object | undefined]>([
  [of('photos', 'read', 'a/'), undefined],
  [of('photos team-a team-b*', 'list read', 'a/b'), undefined],
  [of('photos', 'write', 'z/'), undefined],
  [of('anything*', 'sync'), undefined],
  [of('photos', 'read'), { action: 'read', bucket: 'photos', prefix: '' }],
  [of('photos', 'read', 'b/'), { action: 'read', bucket: 'photos', prefix: 'b/' }],
  [of('photos', 'list delete', 'a/'), { action: 'delete', bucket: 'photos', prefix: 'a/' }],
  [of('team-*', 'write', 'a/'), { action: 'write', bucket: 'team-*', prefix: 'a/' }],
  [of('photos photos*', 'read', 'a/'), { action: 'read', bucket: 'photos*', prefix: 'a/' }],
  [of('tea*', 'read', 'a/'), { action: 'read', bucket: 'tea*', prefix: 'a/' }],
])('for %j a caller lacks %j', (wanted, lacked) => {
  expect(lacking({ permissions: TEAM }, [wanted])).toEqual(lacked);
  expect(lacking({ permissions: TEAM }, [of('photos', 'write'), wanted])).toEqual(lacked);
});

test.each([
  [{ bucket: 'photos' }, { action: 'read', bucket: 'photos' }],
  [
    { bucket: 'photos', key: '' },
    { action: 'read', bucket: 'photos', key: '' },
  ],
  [
    { bucket: 'photos', key: 'a/b' },
    { action: 'read', bucket: 'photos', key: 'a/b' },
  ],
  [
    { bucket: 'photos', prefix: '' },
    { action: 'read', bucket: 'photos' },
  ],
  [
    { bucket: 'photos', prefix: 'a/' },
    { action: 'read', bucket: 'photos', prefix: 'a/' },
  ],
])('the refusal at %j names it', (place, details) => {
  const error = forbidden('read', place);
  expect(error).toMatchObject({ code: 'forbidden', status: 403 });
  expect(error.details).toStrictEqual(details);
  for (const name of Object.values(place)) expect(error.message).toContain(name);
});

test('the refusal in a bucket as a whole names the bucket only', () => {
  const { message } = forbidden('read', { bucket: 'photos' });
  expect(message).toMatch(/bucket photos$/);
  expect(forbidden('read', { bucket: 'photos', prefix: '' }).message).toBe(message);
});
