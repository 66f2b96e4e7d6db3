/** Files of the machine: writes that are cut short, locks, and the runtimes that have files. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import {
  hasLocalFiles,
  isNode,
  localFiles,
  lockFile,
  replaceFile,
} from '../../../client/transfer/local-files';
import { nodeRequests } from '../../../client/transfer/node-requests';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { prototypeOfFiles } from './support/open-files';

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

/** Lets the disk take `taken` bytes of a write of several pieces, then at most two at a time. */
async function takeOnly(taken: number): Promise<void> {
  const prototype = await prototypeOfFiles();
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
  'writeAll writes every byte when the disk takes %i bytes first, then two at a time',
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

test('a lock of another running process is a conflict, and stays', async () => {
  const lock = newPath();
  writeFileSync(lock, `stowage ${process.ppid}`);
  await expect(lockFile(await localFiles(), lock, 'busy')).rejects.toMatchObject({
    code: 'conflict',
    message: `busy; if none does, delete ${lock}`,
  });
  expect(readFileSync(lock, 'utf8')).toBe(`stowage ${process.ppid}`);
});

test.each([
  ['of a process that has ended', () => `stowage ${spawnSync(process.execPath, ['-v']).pid}`],
  ['of an earlier process with the id of this one', () => `stowage ${process.pid}`],
  ['without an id', () => ''],
])('a lock %s is replaced', async (_, content) => {
  const lock = newPath();
  writeFileSync(lock, content());
  const unlock = await lockFile(await localFiles(), lock, 'busy');
  expect(readFileSync(lock, 'utf8')).toBe(`stowage ${process.pid}`);
  await unlock();
  expect(existsSync(lock)).toBe(false);
});

test('a lock that its process has created, and not written yet, is a conflict', async () => {
  const lock = newPath();
  writeFileSync(lock, '');
  const locking = lockFile(await localFiles(), lock, 'busy');
  writeFileSync(lock, `stowage ${process.ppid}`);
  await expect(locking).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(lock, 'utf8')).toBe(`stowage ${process.ppid}`);
});

test.each([
  ['nothing', undefined, 'replaced'],
  ['what an interrupted call has left', 'own: before', 'replaced'],
  ['no bytes', '', 'replaced'],
  ['the text of another program', 'mine', 'conflict'],
])('a file is replaced as a whole, where %s is beside it', async (_, left, outcome) => {
  const files = await localFiles();
  const file = newPath();
  writeFileSync(file, 'before');
  if (left !== undefined) writeFileSync(`${file}.new`, left);
  const replacing = replaceFile(files, file, 'after', (text) => text.startsWith('own'));
  if (outcome === 'conflict') await expect(replacing).rejects.toMatchObject({ code: 'conflict' });
  else await replacing;
  const found = [file, `${file}.new`].map((each) => existsSync(each) && readFileSync(each, 'utf8'));
  expect(found).toEqual(outcome === 'conflict' ? ['before', 'mine'] : ['after', false]);
});

test('a lock of this process can be taken again once it is released', async () => {
  const files = await localFiles();
  const lock = newPath();
  const unlock = await lockFile(files, lock, 'busy');
  await expect(lockFile(files, lock, 'busy')).rejects.toMatchObject({ code: 'conflict' });
  await unlock();
  await (await lockFile(files, lock, 'busy'))();
});

/** Calls `work` while the global `process` is this one, as in another runtime. */
async function withProcess<T>(process: unknown, work: () => T | Promise<T>): Promise<T> {
  const { process: before } = globalThis;
  Object.assign(globalThis, { process });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { process: before });
  }
}

test.each([
  ['Node.js', { versions: { node: '20.0.0' } }, true, true],
  ['Deno', { versions: { node: '20.0.0', deno: '2.0.0' } }, false, true],
  ['Bun', { versions: { node: '20.0.0', bun: '1.0.0' } }, false, true],
  ['a browser with a process', { versions: {} }, false, false],
  ['a browser with an empty process', {}, false, false],
  ['a browser', undefined, false, false],
])('%s is recognized by the versions of its process', async (_, process, is, has) => {
  expect(await withProcess(process, () => [isNode(), hasLocalFiles()])).toEqual([is, has]);
});

test('a path is a TypeError while the modules of Node.js cannot be loaded', async () => {
  let load: typeof localFiles | undefined;
  jest.isolateModules(() => {
    const name = '../../../client/transfer/local-files';
    load = jest.requireActual<{ localFiles: typeof localFiles }>(name).localFiles;
  });
  const cause = new Error('none');
  const none = () => {
    throw cause;
  };
  const loading = withProcess({ getBuiltinModule: none }, () => load?.());
  await expect(loading).rejects.toMatchObject({ name: 'TypeError', cause });
  const getBuiltinModule = (name: string) => jest.requireActual<object>(name);
  const files = await withProcess({ getBuiltinModule }, () => load?.());
  expect(files).toMatchObject({ open: expect.any(Function), createHash: expect.any(Function) });
  expect(await load?.()).toBe(files);
});

test.each<[string, string, unknown, 'conflict' | 'replaced']>([
  ['of another user', '77', { code: 'EPERM' }, 'conflict'],
  ['of a process that runs', '77', undefined, 'conflict'],
  ['of a process that has ended', '77', { code: 'ESRCH' }, 'replaced'],
  ['of all processes', '0', undefined, 'replaced'],
  ['of a group of processes', '-1', undefined, 'conflict'],
  ['that is no number', 'text', undefined, 'conflict'],
  ['with more text', '77 and notes of mine', { code: 'ESRCH' }, 'conflict'],
])('a lock %s is a conflict or is replaced: %#', async (_, owner, failure, outcome) => {
  const lock = newPath();
  writeFileSync(lock, `stowage ${owner}`);
  const files = await localFiles();
  const kill = () => {
    if (failure) throw failure;
  };
  const locking = withProcess({ pid: 5, kill }, () => lockFile(files, lock, 'busy'));
  if (outcome === 'conflict') await expect(locking).rejects.toMatchObject({ code: 'conflict' });
  else await (await locking)();
  expect(existsSync(lock)).toBe(outcome === 'conflict');
});

test('a runtime other than Node.js sends its requests by fetch', async () => {
  const versions = { node: '20.0.0', bun: '1.0.0' };
  expect(await withProcess({ versions }, () => nodeRequests())).toBeUndefined();
});

test('a lock in a missing folder throws the error of the file system', async () => {
  const files = await localFiles();
  const lock = path.join(folder, 'none', 'lock');
  await expect(lockFile(files, lock, 'busy')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an open file is read, cut, flushed, measured and closed', async () => {
  const { open, factsOf, temporaryFolder } = await localFiles();
  const file = newPath();
  const handle = await open(file, 'w+');
  await handle.writeAll([Buffer.from('abcdef')], 0);
  const bytes = new Uint8Array(4);
  expect(await handle.readInto(bytes, 3)).toBe(3);
  expect(Buffer.from(bytes).toString()).toBe('def\0');
  await handle.truncate(2);
  await handle.datasync();
  const { mtimeNs } = (await factsOf(file)) ?? {};
  expect(await handle.facts()).toMatchObject({ size: 2n, mtimeNs });
  await handle.close();
  await expect(handle.facts()).rejects.toThrow();
  const made = await temporaryFolder();
  expect(path.basename(made)).toMatch(/^stowage-/);
  rmdirSync(made);
});
