/** What the client relies on when it writes files of the machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { localFiles, lockFile } from '../../../client/transfer/local-files';
import { useTemporaryFolder } from '../../support/temporary-folder';

const folder = useTemporaryFolder('local-files');
let count = 0;
const newPath = () => path.join(folder, `file-${count++}`);

afterEach(() => jest.restoreAllMocks());

type Write = (
  this: FileHandle,
  bytes: Uint8Array,
  from: number,
  length: number,
  position?: number | null,
) => Promise<{ readonly bytesWritten: number }>;

/** Lets a write of several pieces take `taken` bytes, and each later one at most two. */
async function takeOnly(taken: number): Promise<void> {
  const handle = await open(newPath(), 'w');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const write: Write = prototype.write;
  jest.spyOn(prototype, 'writev').mockImplementation(async function (
    this: FileHandle,
    pieces: readonly NodeJS.ArrayBufferView[],
    position?: number,
  ) {
    const bytes = Buffer.concat(pieces as Uint8Array[]);
    const { bytesWritten } = await write.call(this, bytes, 0, taken, position);
    return { bytesWritten, buffers: [...pieces] };
  } as FileHandle['writev']);
  jest.spyOn(prototype, 'write').mockImplementation(function (
    this: FileHandle,
    bytes: Uint8Array,
    from: number,
    length: number,
    position: number,
  ) {
    return write.call(this, bytes, from, Math.min(length, 2), position);
  } as FileHandle['write']);
}

test.each([0, 3, 4, 6, 9])(
  'all bytes are in the file when the disk takes %i of them at first, and few at a time',
  async (taken) => {
    await takeOnly(taken);
    const { open } = await localFiles();
    const file = newPath();
    const handle = await open(file, 'w+');
    const pieces = ['abcd', 'efgh', 'i'].map((text) => Buffer.from(text));
    await handle.writeAll(pieces, 0);
    await handle.writeAll(pieces, 9);
    await handle.close();
    expect(readFileSync(file, 'utf8')).toBe('abcdefghiabcdefghi');
  },
);

test('a lock of another process that runs is respected, and stays', async () => {
  const lock = newPath();
  writeFileSync(lock, String(process.ppid));
  await expect(lockFile(await localFiles(), lock, 'busy')).rejects.toMatchObject({
    code: 'conflict',
    message: `busy; if none does, delete ${lock}`,
  });
  expect(readFileSync(lock, 'utf8')).toBe(String(process.ppid));
});

test.each([
  ['of a process that has ended', () => String(spawnSync(process.execPath, ['-v']).pid)],
  ['of an earlier process with the id of this one', () => String(process.pid)],
  ['without an id, which was never written whole', () => ''],
])('a lock %s is replaced', async (_, content) => {
  const lock = newPath();
  writeFileSync(lock, content());
  const unlock = await lockFile(await localFiles(), lock, 'busy');
  expect(readFileSync(lock, 'utf8')).toBe(String(process.pid));
  await unlock();
  expect(existsSync(lock)).toBe(false);
});

test('a lock that this process has is taken again only when it was given back', async () => {
  const files = await localFiles();
  const lock = newPath();
  const unlock = await lockFile(files, lock, 'busy');
  await expect(lockFile(files, lock, 'busy')).rejects.toMatchObject({ code: 'conflict' });
  await unlock();
  await (await lockFile(files, lock, 'busy'))();
});
