/** What the page of a folder computes: order, targets, names in a zip, deletions, previews. */
import { StowageError } from '../../client/errors';
import type { StorageApi } from '../../dashboard/src/api/storage';
import { titleOf } from '../../dashboard/src/jobs/job';
import { heldInMemory } from '../../dashboard/src/jobs/zip-memory';
import { ZipNames } from '../../dashboard/src/jobs/zip-names';
import { deletionsBelow } from '../../dashboard/src/objects/deleted';
import { type Entry, objectEntry, parentOf, sorted } from '../../dashboard/src/objects/entries';
import { problemOf, relocationsOf } from '../../dashboard/src/objects/relocations';
import { previewKind } from '../../dashboard/src/preview/preview-kind';

const object = (key: string, size: number) =>
  objectEntry({ key, size, updated_at: `2026-11-0${size}T00:00:00.000Z` } as never, '');

test('sorted keeps folders first, in both directions', () => {
  const folder: Entry = { kind: 'folder', id: 'f', name: 'z/', prefix: 'z/' };
  const entries = [object('b', 1), folder, object('a', 2)];
  const names = (field: 'name' | 'size' | 'time', isDescending: boolean) =>
    sorted(entries, { field, isDescending }).map(({ name }) => name);
  expect(names('name', false)).toEqual(['z/', 'a', 'b']);
  expect(names('size', false)).toEqual(['z/', 'b', 'a']);
  expect(names('time', true)).toEqual(['z/', 'a', 'b']);
});

test('parentOf returns the folder of an object and of a folder', () => {
  expect(['a/b', 'a/b/', 'a', 'a//'].map(parentOf)).toEqual(['a/', 'a/', '', 'a/']);
});

test('relocationsOf keeps the names below the new folder, and problemOf refuses what cannot be', () => {
  expect(relocationsOf(['a/x'], ['a/b/'], 'c')).toEqual([
    { from: 'a/x', to: 'c/x', isFolder: false },
    { from: 'a/b/', to: 'c/b/', isFolder: true },
  ]);
  expect(problemOf(relocationsOf(['a/x'], [], 'a'), true)).toContain('already');
  expect(problemOf(relocationsOf([], ['a/b/'], 'a/b/c'), true)).toContain('itself');
  expect(problemOf(relocationsOf([], ['a/b/'], 'a/b/c'), false)).toBeUndefined();
  expect(problemOf(relocationsOf(['a/x'], [], '../up'), false)).toBeDefined();
  expect(problemOf(relocationsOf(['a/x', 'b/x'], [], 'c'), false)).toContain('same name');
});

test.each([
  ['a/b.txt', 1, 'a/b.txt'],
  ['/a//b', 1, '_/a/_/b'],
  ['a\\..\\b', 1, 'a_.._b'],
  ['C:/x', 1, 'C_/x'],
  ['a/', 0, 'a/'],
  ['a/', 1, 'a/_'],
  ['', 1, '_'],
  ['invoice_\u202efdp.exe', 1, 'invoice__fdp.exe'],
])('ZipNames makes a relative path of %j with %i bytes', (key, size, expected) => {
  expect(new ZipNames().add(key, size)).toBe(expected);
});

test.each([
  [
    'names that differ only in case',
    ['a.txt', 'a.txt', 'A.TXT', 'b/c', 'b/c', '.env', '.Env'],
    ['a.txt', 'a (2).txt', 'A (3).TXT', 'b/c', 'b/c (2)', '.env', '.Env (2)'],
  ],
  ['a file before a folder', ['a/b', 'a/b/c', 'a/B/d'], ['a/b', 'a/b (2)/c', 'a/B (2)/d']],
  ['a folder before a file', ['a/b/c', 'a/b', 'a/b (2)'], ['a/b/c', 'a/b (2)', 'a/b (2) (2)']],
  ['a folder of one letter', ['A', 'a/x', 'a/y'], ['A', 'a (2)/x', 'a (2)/y']],
  ['NFC beside NFD', ['\u00e4/x', 'a\u0308/x', 'a\u0308'], ['ä/x', 'a\u0308/x (2)', 'a\u0308 (2)']],
])('ZipNames numbers what a file system takes for one: %s', (_what, keys, expected) => {
  const names = new ZipNames();
  expect(keys.map((key) => names.add(key, 1))).toEqual(expected);
});

test('every part of a name in a zip fits into a file system, and keeps its extension', () => {
  const names = new ZipNames();
  const long = '日'.repeat(290);
  const added = [`${long}.tar`, `${long}.tar`, `${long}x.tar`, `${long}/a`, `a.${long}`].map(
    (key) => names.add(key, 1),
  );
  expect(new Set(added.map((name) => name.normalize('NFC').toLowerCase())).size).toBe(5);
  expect(added.slice(0, 3).every((name) => /^日+( \(\d\))?\.tar$/.test(name))).toBe(true);
  for (const part of added.flatMap((name) => name.split('/'))) {
    expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
    expect(part).not.toContain('\ufffd');
  }
});

describe('deletionsBelow', () => {
  /** A log whose first changes are not kept any more. */
  const logOf = (changes: readonly [number, 'put' | 'delete', string][], oldest: number) => {
    const head = changes.at(-1)?.[0] ?? 0;
    const read = async (_bucket: string, { cursor = head }: { readonly cursor?: number }) => {
      if (cursor + 1 < oldest) {
        throw new StowageError('cursor_expired', 'expired', { details: { oldest, head } });
      }
      const to = Math.min(head, cursor + 2);
      const covered = changes.filter(([at]) => at > cursor && at <= to);
      return {
        to,
        head,
        changes: covered.map(([at, type, key]) => ({ type, object: { key, cursor: at } })),
      };
    };
    return { changes: read } as unknown as Pick<StorageApi, 'changes'>;
  };
  const { signal } = new AbortController();

  test('returns keys whose last change is a deletion, from the first change that is kept', async () => {
    const storage = logOf(
      [
        [5, 'delete', 'gone'],
        [6, 'delete', 'again'],
        [7, 'put', 'again'],
        [8, 'put', 'there'],
        [9, 'delete', 'late'],
      ],
      4,
    );
    const { deleted, isComplete } = await deletionsBelow(
      storage,
      { bucket: 'b', prefix: '' },
      signal,
    );
    expect(deleted.map(({ key }) => key)).toEqual(['gone', 'late']);
    expect(isComplete).toBe(true);
  });

  test('says that it has not read the whole log', async () => {
    const storage = logOf([[30_000, 'delete', 'x']], 1);
    const { isComplete } = await deletionsBelow(storage, { bucket: 'b', prefix: '' }, signal);
    expect(isComplete).toBe(false);
  });
});

test.each([
  ['a', 'image/png', 'picture'],
  ['a', 'IMAGE/JPEG; x=y', 'picture'],
  ['a', 'text/html', 'text'],
  ['a', 'application/ld+json', 'text'],
  ['a', 'application/pdf', 'pdf'],
  ['a', 'video/mp4', 'video'],
  ['notes.MD', 'application/octet-stream', 'text'],
  ['a.pdf', 'application/octet-stream', undefined],
  ['a', 'image/x-unknown', undefined],
])('previewKind of %s with the type %s is %s', (key, content_type, expected) => {
  expect(previewKind({ key, content_type })).toBe(expected);
});

test('titleOf says what a job does', () => {
  expect(titleOf({ kind: 'delete', bucket: 'b', keys: ['x'], prefixes: ['f/'] })).toBe(
    'Delete 1 object and 1 folder of b',
  );
  expect(titleOf({ kind: 'delete', bucket: 'b', keys: [], prefixes: [''] })).toBe(
    'Empty the bucket b',
  );
});

test('heldInMemory refuses a zip that is larger than 1 GiB, without reading the rest of the list', async () => {
  let listed = 0;
  async function* objects(count: number) {
    for (listed = 0; listed < count; ) {
      listed += 1;
      yield { size: 2 ** 29 };
    }
  }
  expect(await heldInMemory(objects(2))).toEqual([{ size: 2 ** 29 }, { size: 2 ** 29 }]);
  await expect(heldInMemory(objects(9))).rejects.toThrow(/at most 1.00 GiB fit.*stowage cp -r/);
  expect(listed).toBe(3);
});
