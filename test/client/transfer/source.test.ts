/** What can be uploaded, and where a stream is kept until its size is known. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
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
const never = () => new Promise(() => undefined);

async function* chunks(...pieces: readonly unknown[]) {
  yield* pieces;
}

const FILE = path.join(folder, 'file');
writeFileSync(FILE, 'bytes');
const modifiedAt = statSync(FILE).mtimeMs;
const BYTES = Buffer.from('bytes');

/** As in browsers that have no iterator of a stream. Without texts it is read without end. */
function readerOf(...texts: string[]) {
  const isEndless = texts.length === 0;
  const stream = {
    isCancelled: false,
    getReader: () => ({
      read: async () => {
        const text = isEndless ? 'bytes' : texts.shift();
        return text === undefined ? { done: true } : { done: false, value: Buffer.from(text) };
      },
      cancel: async () => {
        stream.isCancelled = true;
      },
    }),
  };
  return stream;
}

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
  [
    'a stream whose end fails',
    () => {
      const next = chunks(BYTES);
      const fail = () => Promise.reject(new Error('cannot end'));
      return { [Symbol.asyncIterator]: () => ({ next: () => next.next(), return: fail }) };
    },
    {},
  ],
])('%s is uploaded as its bytes', async (_, source, about) => {
  const { blob, release, ...rest } = await opened(source());
  expect(await blob.text()).toBe('bytes');
  expect(JSON.parse(JSON.stringify(rest))).toEqual(JSON.parse(JSON.stringify(about)));
  await release();
  expect(readFileSync(FILE, 'utf8')).toBe('bytes');
});

test.each([
  ...['text', 7, null, undefined, {}, { path: 7 }],
  ...[chunks('text'), chunks([1]), chunks(null)],
])('%p cannot be uploaded', async (source) => {
  const isStream = source && typeof source === 'object' && Symbol.asyncIterator in source;
  await expect(opened(source)).rejects.toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining(isStream ? 'stream' : '{ path }'),
  });
});

test('a small file that changes while it is read is read again', async () => {
  const file = path.join(folder, 'log');
  writeFileSync(file, 'one');
  const { stat } = files;
  const looked = jest.spyOn(files, 'stat').mockImplementationOnce((async (...given) => {
    const found = await stat(...given);
    writeFileSync(file, 'one, two');
    return found;
  }) as typeof stat);
  const { blob, modifiedAt: at } = await opened({ path: file });
  looked.mockRestore();
  expect([await blob.text(), at]).toEqual(['one, two', statSync(file).mtimeMs]);
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

  test('of up to 8 MiB is kept in memory', async () => {
    const { blob, path: file, release } = await opened(chunks(new Uint8Array(8 * MiB)));
    expect([blob.size, file, stored()]).toEqual([8 * MiB, undefined, []]);
    await release();
  });

  test('of more than 8 MiB is kept in a file until it is released', async () => {
    const pieces = ['a', 'b', 'c'].map((byte, n) => Buffer.alloc(8 * MiB - 5 + 7 * n, byte));
    const areOpen = watchedFiles();
    const source = await opened(chunks(...pieces));
    const content = Buffer.concat(pieces);
    expect(Buffer.from(await source.blob.arrayBuffer()).equals(content)).toBe(true);
    expect(readFileSync(String(source.path)).equals(content)).toBe(true);
    expect([stored().length, areOpen()]).toEqual([1, [false]]);
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

  test('that stalls is ended by the signal, even when its own end stalls', async () => {
    const stop = new AbortController();
    let isEnded = false;
    const end = () => {
      isEnded = true;
      return never();
    };
    const source = { [Symbol.asyncIterator]: () => ({ next: never, return: end }) };
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(opened(source, stop.signal)).rejects.toThrow('enough');
    expect(isEnded).toBe(true);
  });

  test('that cannot be iterated is cancelled by the signal', async () => {
    const stop = new AbortController();
    const source = readerOf();
    const reading = opened(source, stop.signal);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(source.isCancelled).toBe(true);
  });

  test('is not read when the signal was aborted before', async () => {
    const next = () => Promise.reject(new Error('the stream was read'));
    const source = { [Symbol.asyncIterator]: () => ({ next }) };
    await expect(opened(source, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
