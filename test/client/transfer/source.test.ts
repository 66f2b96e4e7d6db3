/** What can be uploaded, and where a stream is kept until its size is known. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSource, type UploadSource } from '../../../client/transfer/source';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { watchedFiles } from './support/open-files';

const MiB = 1024 ** 2;
const folder = useTemporaryFolder('source');
const { signal } = new AbortController();
const opened = (source: unknown, by = signal) => openSource(source as UploadSource, by);

async function* chunks(...pieces: readonly unknown[]) {
  yield* pieces;
}

const FILE = path.join(folder, 'file');
writeFileSync(FILE, 'bytes');
const modifiedAt = statSync(FILE).mtimeMs;
const BYTES = Buffer.from('bytes');

test.each<[string, () => unknown, object]>([
  ['a Blob', () => new Blob(['bytes']), {}],
  ['a File', () => new File(['bytes'], 'name', { lastModified: 7 }), { modifiedAt: 7 }],
  ['an ArrayBuffer', () => Uint8Array.from(BYTES).buffer, {}],
  ['a view of bytes', () => Buffer.from('some bytes').subarray(5), {}],
  ['a path', () => ({ path: FILE }), { path: FILE, modifiedAt }],
  ['a URL', () => ({ path: pathToFileURL(FILE) }), { path: pathToFileURL(FILE), modifiedAt }],
  ['a stream', () => new Blob(['bytes']).stream(), {}],
  ['a stream that cannot be iterated', () => readerOf('by', 'tes'), {}],
  [
    'chunks',
    () => chunks(BYTES.subarray(0, 2), new DataView(BYTES.buffer, BYTES.byteOffset + 2, 3)),
    {},
  ],
  ['a stream of a file', () => Object.assign(chunks(BYTES), { path: '/none' }), {}],
])('%s is uploaded as its bytes', async (_, source, about) => {
  const { blob, release, ...rest } = await opened(source());
  expect(await blob.text()).toBe('bytes');
  expect(JSON.parse(JSON.stringify(rest))).toEqual(JSON.parse(JSON.stringify(about)));
  await release();
  expect(readFileSync(FILE, 'utf8')).toBe('bytes');
});

/** As in browsers that have no iterator of a stream. */
function readerOf(...texts: string[]) {
  const cancel = jest.fn(async () => undefined);
  const read = async () => {
    const text = texts.shift();
    return text === undefined ? { done: true } : { done: false, value: Buffer.from(text) };
  };
  return { getReader: () => ({ read, cancel }), cancel };
}

test.each([
  ...['text', 7, null, undefined, {}, { path: 7 }],
  ...[chunks('text'), chunks([1]), chunks(null)],
])('%p cannot be uploaded', async (source) => {
  const text = source && typeof source === 'object' && Symbol.asyncIterator in source;
  await expect(opened(source)).rejects.toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining(text ? 'stream' : '{ path }'),
  });
});

test('a file that does not exist cannot be uploaded', async () => {
  await expect(opened({ path: path.join(folder, 'none') })).rejects.toThrow();
});

describe('a stream', () => {
  beforeEach(() => {
    jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const stored = () => readdirSync(folder).filter((name) => name.startsWith('stowage-'));

  test('up to 8 MiB is kept in memory', async () => {
    const { blob, path: file, release } = await opened(chunks(new Uint8Array(8 * MiB)));
    expect([blob.size, file, stored()]).toEqual([8 * MiB, undefined, []]);
    await release();
  });

  test('of more is kept in a file until it is released', async () => {
    const pieces = ['a', 'b', 'c'].map((byte, n) => Buffer.alloc(8 * MiB - 5 + 7 * n, byte));
    const areOpen = watchedFiles();
    const source = await opened(chunks(...pieces));
    const content = Buffer.concat(pieces);
    expect(Buffer.from(await source.blob.arrayBuffer()).equals(content)).toBe(true);
    expect(readFileSync(String(source.path)).equals(content)).toBe(true);
    expect(stored()).toHaveLength(1);
    expect(areOpen()).toEqual([false]);
    await source.release();
    expect([stored(), existsSync(String(source.path))]).toEqual([[], false]);
  });

  test('may be released when its file is gone', async () => {
    const { release } = await opened(chunks(new Uint8Array(9 * MiB)));
    for (const name of stored()) rmSync(path.join(folder, name), { recursive: true });
    await release();
  });

  test('that fails leaves no file', async () => {
    async function* failing() {
      yield new Uint8Array(9 * MiB);
      expect(stored()).toHaveLength(1);
      throw new Error('cut');
    }
    const areOpen = watchedFiles();
    await expect(opened(failing())).rejects.toThrow('cut');
    expect([stored(), areOpen()]).toEqual([[], [false]]);
  });

  test('is kept in memory where there are no files', async () => {
    const { process } = globalThis;
    try {
      Object.assign(globalThis, { process: undefined });
      const { blob, path: file } = await opened(chunks(new Uint8Array(9 * MiB)));
      expect([blob.size, file]).toEqual([9 * MiB, undefined]);
    } finally {
      Object.assign(globalThis, { process });
    }
  });
});

test('a stream that stalls ends with the signal, and is ended itself', async () => {
  const stop = new AbortController();
  const end = jest.fn(() => new Promise(() => undefined));
  const source = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined), return: end }),
  };
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(opened(source, stop.signal)).rejects.toThrow('enough');
  expect(end).toHaveBeenCalledTimes(1);
});

test('a stream whose end fails is uploaded', async () => {
  const next = jest.fn();
  next.mockResolvedValueOnce({ done: false, value: BYTES }).mockResolvedValue({ done: true });
  const end = async () => {
    throw new Error('cannot end');
  };
  const source = { [Symbol.asyncIterator]: () => ({ next, return: end }) };
  expect(await (await opened(source)).blob.text()).toBe('bytes');
});

test('nothing is read of a stream when the signal is aborted before', async () => {
  const next = jest.fn();
  const source = { [Symbol.asyncIterator]: () => ({ next }) };
  await expect(opened(source, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(next).not.toHaveBeenCalled();
});

test('nothing listens to the signal when the stream has ended', async () => {
  const add = jest.spyOn(signal, 'addEventListener');
  const remove = jest.spyOn(signal, 'removeEventListener');
  await opened(chunks(BYTES));
  expect(add).toHaveBeenCalledTimes(1);
  expect(remove).toHaveBeenCalledWith('abort', add.mock.calls[0]?.[1]);
  jest.restoreAllMocks();
});

test('a stream that cannot be iterated is cancelled when its bytes are refused', async () => {
  const source = readerOf('bytes');
  const stop = new AbortController();
  source.getReader().read = async () => ({ done: false, value: BYTES });
  const reading = opened(source, stop.signal);
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  expect(source.cancel).toHaveBeenCalledTimes(1);
});
