import { summarize } from '../../../core/access/permission-summary';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { Permission } from '../../../core/access/ports';

test.each<[string, Permission, string[]]>([
  [
    'a beginning and a prefix',
    { buckets: ['team-*'], prefix: '2026/', actions: ['list', 'read'] },
    ['may read and list objects in buckets whose names begin with team-, below 2026/'],
  ],
  ['one bucket', { buckets: ['photos'], actions: ['read'] }, ['may read objects in bucket photos']],
  [
    'names and beginnings',
    { buckets: ['a-1', 'team-*', 'b-2', 'x-*'], actions: ['write', 'delete', 'sync'] },
    [
      'may write and delete objects in buckets a-1 and b-2 and buckets whose names begin with team- or x-',
      'may follow changes in buckets a-1 and b-2 and buckets whose names begin with team- or x-',
    ],
  ],
  [
    'buckets themselves',
    { buckets: ['team-*'], actions: ['create_bucket'] },
    ['may create buckets whose names begin with team-'],
  ],
  [
    'buckets themselves, narrowed to a prefix',
    { buckets: ['photos'], prefix: 'a/', actions: ['create_bucket', 'delete_bucket', 'sign'] },
    [
      'may make signed URLs for what it may do in bucket photos, below a/',
      'may not create and delete bucket photos, because it is narrowed to a prefix',
    ],
  ],
  [
    'a star that swallows the rest',
    { buckets: ['photos', '*'], prefix: '', actions: ['list'] },
    ['may list objects in all buckets'],
  ],
])('summarize describes %s', (_name, permission, sentences) => {
  expect(summarize([permission])).toEqual(sentences);
});

test('summarize describes every permission', () => {
  const words = summarize(ALL_PERMISSIONS).join('. ');
  expect(words).toBe(
    'may read, write, delete and list objects in all buckets. may follow changes in all buckets. ' +
      'may make signed URLs for what it may do in all buckets. may create and delete all buckets',
  );
});
