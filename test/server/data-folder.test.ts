/** Backups, restores and checks of a data folder, also while a server writes to it. */
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'libsql';
import { backUp, DATABASE_FILE, restoreBackup } from '../../server/data-folder/backup';
import { checkFolder } from '../../server/data-folder/check';
import { type LocalStores, openStores } from '../../server/stores';
import { sha256 } from '../contract/blob-requests';
import { FakeClock, FakeIds } from '../support/fakes/clock';
import { liveObject } from '../support/samples';
import { temporaryFolder } from '../support/temporary-folder';

const LARGE = 200_000;
const BUCKET = { name: 'photos', id: 'photosphotos' };

const clock = new FakeClock();
const ids = new FakeIds(clock);
const root = temporaryFolder('data-folder');
afterAll(() => root.remove());

let number = 0;
/** A data folder with small and large objects. */
async function filled(): Promise<string> {
  const folder = path.join(root.folder, `data-${++number}`);
  const stores = await open(folder);
  await stores.buckets.create({ ...BUCKET, cursor: 0, createdAt: '2026-01-01T00:00:00.000Z' });
  for (let n = 1; n <= 4; n++) await put(stores, `key-${n}`, n % 2 === 0 ? LARGE : 10);
  stores.close();
  return folder;
}

function open(folder: string): Promise<LocalStores> {
  return openStores({ folder, origin: 'http://127.0.0.1:1', clock, ids });
}

async function put(stores: LocalStores, key: string, size: number): Promise<void> {
  const blob = `objects/${BUCKET.name}.${BUCKET.id}/${ids.ulid()}`;
  const bytes = Buffer.alloc(size, key);
  const content = { contentType: 'text/plain', headers: {}, metadata: {} };
  await stores.blobs.put(blob, bytes, { ...content, checksumSha256: sha256(bytes) });
  const cursor = (await stores.commits.allocate(BUCKET)) ?? 0;
  const object = liveObject({ bucket: BUCKET.name, key, cursor, version: 1, blob, size });
  const at = object.updatedAt;
  await stores.commits.commit({
    ...{ bucketId: BUCKET.id, changes: [{ object }], at, token: ids.ulid() },
  });
}

async function keysIn(folder: string): Promise<readonly string[]> {
  const stores = await open(folder);
  const { items } = await stores.objects.list(BUCKET.id, { from: '' }, 1000);
  stores.close();
  return items.map(({ key }) => key);
}

function contentFiles(folder: string): string[] {
  return readdirSync(path.join(folder, 'content'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
}

test('a folder that a server has filled is sound', async () => {
  const report = await checkFolder(await filled());
  expect(report).toEqual({ buckets: 1, objects: 4, blobs: 4, bytes: 2 * LARGE + 20, problems: [] });
});

test('a backup made while a server writes is sound, and restores what was there', async () => {
  const folder = await filled();
  const backup = path.join(root.folder, 'backup');
  const stores = await open(folder);
  const writes = Array.from({ length: 20 }, (_, n) => put(stores, `later-${n}`, LARGE));
  expect(await backUp(folder, backup)).toMatchObject({ files: expect.any(Number) });
  await Promise.all(writes);
  expect((await checkFolder(backup)).problems).toEqual([]);

  // The next run copies only what is new.
  const { files, copied } = await backUp(folder, backup);
  expect([files, copied <= 20]).toEqual([22, true]);
  stores.close();

  const restored = path.join(root.folder, 'restored');
  await restoreBackup(backup, restored);
  expect((await checkFolder(restored)).problems).toEqual([]);
  expect(await keysIn(restored)).toEqual(await keysIn(folder));
});

test('a backup forgets the content that was removed', async () => {
  const folder = await filled();
  const backup = path.join(root.folder, 'shrinking');
  await backUp(folder, backup);
  const stores = await open(folder);
  const { items } = await stores.blobs.list('objects/');
  await stores.blobs.remove(items.map(({ blob }) => blob));
  stores.close();
  expect(await backUp(folder, backup)).toEqual({ files: 0, copied: 0 });
  expect(contentFiles(backup)).toEqual([]);
});

test("a folder with somebody's files takes neither a backup nor a restore", async () => {
  const folder = await filled();
  const other = path.join(root.folder, 'other');
  mkdirSync(other);
  writeFileSync(path.join(other, 'letter.txt'), 'mine');
  await expect(backUp(folder, other)).rejects.toThrow('has other files in it');
  await expect(restoreBackup(folder, other)).rejects.toThrow('has other files in it');
  expect(readdirSync(other)).toEqual(['letter.txt']);
  await expect(backUp(other, path.join(root.folder, 'none'))).rejects.toThrow('no data folder');
});

test.each([
  ['a file that was cut', (folder: string) => truncateSync(contentFiles(folder)[0] ?? '', 5)],
  ['a file that is gone', (folder: string) => rmSync(contentFiles(folder)[0] ?? '')],
  [
    'a file with another byte',
    (folder: string) => {
      const [file = ''] = contentFiles(folder);
      writeFileSync(file, Buffer.alloc(LARGE, 1));
    },
  ],
  [
    'content without its row',
    (folder: string) => edit(folder, 'DELETE FROM blobs WHERE bytes IS NOT NULL'),
  ],
  [
    'small content with another byte',
    (folder: string) =>
      edit(folder, "UPDATE blobs SET bytes = x'00000000000000000000' WHERE bytes IS NOT NULL"),
  ],
  ['a log with a gap', (folder: string) => edit(folder, 'DELETE FROM changes WHERE cursor = 2')],
])('a check names %s', async (_, damage) => {
  const folder = await filled();
  damage(folder);
  const { problems } = await checkFolder(folder);
  expect(problems.length).toBeGreaterThan(0);
});

function edit(folder: string, sql: string): void {
  const sqlite = new Sqlite(path.join(folder, DATABASE_FILE));
  sqlite.exec(sql);
  sqlite.close();
}
