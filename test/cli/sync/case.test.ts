/** Folders whose file system has one file for names that differ in case, as on macOS. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Contents } from '../../../cli/sync/contents';
import { ObjectList } from '../../../cli/sync/object-list';
import { SyncState } from '../../../cli/sync/state';
import { settleFile } from '../../../cli/sync/to-folder';
import { type ObjectDescriptor, StowageClient } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { syncOptions, TestReport } from '../../system/support/sync-engine';

/**
 * A folder with one file, as such a file system shows it under the name that is asked for, and a
 * sync with `--delete` of a bucket that has these keys.
 */
async function pairOf(file: string, ...keys: readonly string[]) {
  const { folder: root, remove } = temporaryFolder('case');
  writeFileSync(path.join(root, file), 'content');
  const list = new ObjectList('', { ignoresCase: true });
  for (const key of keys) list.set(key, { key } as ObjectDescriptor);
  const options = { ...syncOptions(''), delete: true };
  const contents = new Contents(root, await SyncState.open(undefined, ''), options);
  const client = new StowageClient({ baseUrl: 'http://127.0.0.1:9' });
  const report = new TestReport();
  const settle = (name: string) =>
    settleFile({ client, root, bucket: 'b', list, contents, options, report }, name);
  return { settle, list, files: () => readdirSync(root), remove };
}

test('sync --delete skips one of two keys that map to the same file, and keeps the file', async () => {
  const { settle, files, remove } = await pairOf('a.txt', 'A.txt', 'a.txt');
  const reason = 'this file system has one file for it and A.txt';
  expect(await settle('a.txt')).toEqual({ did: 'skipped', reason });
  expect(files()).toEqual(['a.txt']);
  remove();
});

test('sync --delete keeps the file of a key that was renamed only in case', async () => {
  const { settle, files, remove } = await pairOf('A.txt', 'a.txt');
  expect(await settle('A.txt')).toEqual({ did: 'nothing' });
  expect(files()).toEqual(['A.txt']);
  remove();
});

test('sync --delete deletes the file when the last key that maps to it is gone', async () => {
  const { settle, list, files, remove } = await pairOf('A.txt', 'A.txt', 'a.txt');
  list.set('a.txt', undefined);
  list.set('A.txt', undefined);
  expect(await settle('A.txt')).toEqual({ did: 'deleted' });
  expect(files()).toEqual([]);
  remove();
});
