/** The logic of the form of a key. */
import { ACTIONS } from '../../dashboard/src/api/actions';
import { chipsOf } from '../../dashboard/src/keys/chips';
import { dateError, expiryOf } from '../../dashboard/src/keys/expiry';
import {
  completionsOf,
  emptyDraft,
  errorsOf,
  permissionOf,
  sentencesOf,
} from '../../dashboard/src/keys/permission-draft';
import { presetOf, withPreset } from '../../dashboard/src/keys/presets';

describe('a permission draft', () => {
  const draft = { ...emptyDraft(0), buckets: 'photos, team-*', prefix: '2026/' };

  test('shows in sentences what the key may do', () => {
    expect(sentencesOf([draft])).toEqual([
      'May read and list objects in bucket photos and buckets whose names begin with team-, below 2026/.',
    ]);
  });

  test('becomes the permission that is sent', () => {
    expect(permissionOf(draft)).toEqual({
      buckets: ['photos', 'team-*'],
      prefix: '2026/',
      actions: ['read', 'list'],
    });
    expect(permissionOf({ ...draft, prefix: '' })).not.toHaveProperty('prefix');
  });

  test.each([
    [{ ...draft, buckets: ' ,' }, 'buckets'],
    [{ ...draft, buckets: 'Photos' }, 'buckets'],
    [{ ...draft, buckets: '*-team' }, 'buckets'],
    [{ ...draft, prefix: 'ü'.repeat(451) }, 'prefix'],
    [{ ...draft, actions: [] }, 'actions'],
  ])('is incomplete and shows no sentence: %j', (invalid, field) => {
    expect(Object.keys(errorsOf(invalid))).toEqual([field]);
    expect(sentencesOf([invalid])).toEqual([]);
  });
});

describe('a preset', () => {
  const draft = { ...emptyDraft(0), buckets: 'photos' };

  test.each(['read', 'write', 'full'] as const)('%s is complete at once', (preset) => {
    const chosen = withPreset(draft, preset);
    expect(presetOf(chosen)).toBe(preset);
    expect(errorsOf(chosen)).toEqual({});
  });

  test('for a folder asks for its prefix', () => {
    const folder = withPreset(draft, 'folder');
    expect(presetOf(folder)).toBe('folder');
    expect(Object.keys(errorsOf(folder))).toEqual(['prefix']);
    expect(errorsOf({ ...folder, prefix: '2026/' })).toEqual({});
  });

  test('is not shown for other actions', () => {
    expect(presetOf({ ...draft, actions: ['write'] })).toBeUndefined();
  });
});

test('completionsOf completes the last name with buckets that are not named yet', () => {
  const texts = (buckets: string) =>
    completionsOf(buckets, ['photos', 'plans']).map(({ text }) => text);
  expect(texts('')).toEqual(['*', 'photos', 'plans']);
  expect(texts('photos, p')).toEqual(['photos, plans']);
  expect(texts('photos')).toEqual([]);
});

test('chipsOf describes a permission in a line', () => {
  expect(
    chipsOf({ buckets: ['photos', 'team-*'], prefix: '2026/', actions: ['list', 'read'] }),
  ).toEqual({ actions: ['read', 'list'], where: 'photos, team-*, below 2026/' });
  expect(chipsOf({ buckets: ['*'], actions: [...ACTIONS] })).toEqual({
    actions: ['everything'],
    where: 'all buckets',
  });
});

test.each([
  ['never', null],
  ['7', '1970-01-08T00:00:00.000Z'],
  ['keep', '2027-01-01T00:00:00.000Z'],
] as const)('expiryOf returns the time for the choice %s', (choice, expected) => {
  const current = '2027-01-01T00:00:00.000Z';
  expect(expiryOf({ choice, date: '', current }, 0)).toBe(expected);
});

test('a key expires at the end of the chosen day, which must not be over', () => {
  const end = { choice: 'date', date: '2027-01-31', current: undefined } as const;
  const expected = new Date(2027, 0, 31, 23, 59, 59, 999);
  expect(expiryOf(end, 0)).toBe(expected.toISOString());
  expect(dateError(end, expected.getTime() - 1)).toBeUndefined();
  expect(dateError(end, expected.getTime())).toBe('Choose a day that is not over.');
  expect(dateError({ ...end, date: '' }, 0)).toBe('Choose a day.');
});
