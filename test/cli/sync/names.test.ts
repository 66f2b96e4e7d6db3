import { excludedBy, prunedBy } from '../../../cli/sync/filter';
import { fileProblem, foldersOf, keyProblem } from '../../../cli/sync/names';
import { ObjectList } from '../../../cli/sync/object-list';
import type { ObjectDescriptor } from '../../../client';

test.each([
  '',
  '/etc/passwd',
  'a//b',
  'a/',
  '../a',
  'a/../../b',
  './a',
  'a\0b',
  `a/${'b'.repeat(256)}`,
  '.stowage-sync/a',
  '.Stowage-Sync',
])('no file can have the name %j', (name) => {
  expect(fileProblem(name, 'linux')).toEqual(expect.any(String));
});

test.each(['C:/a', 'a\\..\\b', 'con', 'a/LPT1.txt', 'a./b', 'a ', 'a|b', 'a?'])(
  'no file on Windows can have the name %j, which Linux allows',
  (name) => {
    expect(fileProblem(name, 'win32')).toEqual(expect.any(String));
    expect(fileProblem(name, 'linux')).toBeUndefined();
  },
);

test.each(['a', '.hidden/a b', '...', 'ü/日本', '-rf', 'console'])(
  'a file can have the name %j on every system',
  (name) => {
    expect(fileProblem(name, 'linux')).toBeUndefined();
    expect(fileProblem(name, 'win32')).toEqual(name === '...' ? expect.any(String) : undefined);
  },
);

test.each(['a\nb', '\x7f', '\ud800', 'a'.repeat(900)])(
  'no object below a prefix can have the name %j',
  (name) => {
    expect(keyProblem(name, 'p/')).toEqual(expect.any(String));
  },
);

test('an object can have every other name', () => {
  for (const name of ['a\u0085', 'ü', 'a\ufffd', 'a'.repeat(898)])
    expect(keyProblem(name, 'p/')).toBeUndefined();
});

test('the folders of a name are listed from the outermost to the innermost', () => {
  expect(foldersOf('a/b/c')).toEqual(['a', 'a/b']);
  expect(foldersOf('a')).toEqual([]);
});

describe('patterns', () => {
  test.each([
    [['*.tmp'], 'a/b.tmp', true],
    [['*.tmp'], 'a.tmp/b', true],
    [['*.tmp'], 'b.tmp.txt', false],
    [['node_modules'], 'a/node_modules/b/c', true],
    [['node_modules/'], 'node_modules/b', true],
    [['/build'], 'build/a', true],
    [['/build'], 'a/build', false],
    [['a/**/c'], 'a/x/y/c', true],
    [['.*'], 'a/.git/config', true],
  ])('%j excludes %s: %s', (exclude, name, isExcluded) => {
    expect(excludedBy({ exclude })(name)).toBe(isExcluded);
  });

  test('a name that is included and excluded is excluded', () => {
    const isExcluded = excludedBy({ include: ['*.jpg', 'docs'], exclude: ['private'] });
    const names = ['a/b.jpg', 'docs/x', 'private/b.jpg', 'docs/private/x', 'c.png'];
    expect(names.filter((name) => !isExcluded(name))).toEqual(['a/b.jpg', 'docs/x']);
  });

  test('a folder is pruned only by a pattern that excludes it', () => {
    const isPruned = prunedBy({ include: ['*.jpg'], exclude: ['node_modules'] });
    expect([isPruned('photos'), isPruned('a/node_modules')]).toEqual([false, true]);
  });
});

describe('the list of a bucket', () => {
  const object = (key: string, cursor = 1) => ({ key, cursor }) as ObjectDescriptor;

  test('a key that is also a folder of other keys becomes a file once they are deleted', () => {
    const list = new ObjectList('p/');
    list.reset([object('p/a'), object('p/a/b/c'), object('p/a-b')]);
    expect(list.wanted('a').problem).toContain('a file and a folder');
    expect(list.wanted('a/b/c').object?.key).toBe('p/a/b/c');
    expect([...list.set('a/b/c', undefined)].sort()).toEqual(['a', 'a/b/c']);
    expect(list.wanted('a').object?.key).toBe('p/a');
  });

  test('one of several names that differ only in case is a file where case is ignored', () => {
    const list = new ObjectList('', { ignoresCase: true });
    list.reset([object('Photo'), object('photo'), object('e\u0301'), object('\u00e9')]);
    expect(list.wanted('Photo').object).toBeDefined();
    expect(list.wanted('photo').problem).toContain('one file for it and Photo');
    expect(list.wanted('e\u0301').object).toBeDefined();
    expect(list.wanted('\u00e9').problem).toBeDefined();
    expect([...list.set('Photo', undefined)].sort()).toEqual(['Photo', 'photo']);
    expect(list.wanted('photo').object).toBeDefined();
  });

  test('a change of the sync itself counts until the change log shows it or a later one', () => {
    const list = new ObjectList('');
    list.learn('a', 7, object('a', 7));
    expect(list.get('a')?.cursor).toBe(7);
    list.apply('a', 5, object('a', 5));
    expect(list.get('a')?.cursor).toBe(7);
    list.apply('a', 9, undefined);
    expect(list.get('a')).toBeUndefined();
    list.learn('b', 8, undefined);
    expect(list.get('b')).toBeUndefined();
  });
});
