/** Downloads to a file, and how they continue after an interruption, on the fakes. */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { workingFiles } from '../../../client/transfer/file-download';
import { sha256Base64 } from '../../../core/http/digests';
import { ingestBlob } from '../../../core/uploads/uploads';
import { newKey } from '../../support/samples';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { clientOfFakes } from '../client-of-fakes';
import { prototypeOfFiles, watchedFiles } from './support/open-files';

const MiB = 1024 * 1024;
/** Blocks of 4, 4 and 1 MiB. */
const CONTENT = Buffer.concat(
  ['a', 'b', 'c'].map((byte, n) => Buffer.alloc(n < 2 ? 4 * MiB : MiB, byte)),
);
const folder = useTemporaryFolder('file-download');
let count = 0;

afterEach(() => jest.restoreAllMocks());

/** Returns the bytes, 1 MiB at a time, until the signal cuts the connection. */
function arriving(bytes: Uint8Array, signal: AbortSignal | null | undefined): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (signal?.aborted) controller.error(signal.reason);
      else if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, at + MiB));
      at += MiB;
    },
  });
}

/** An object that is too large for a response of the service: S3 sends its ranges. */
async function opened(content = CONTENT) {
  const asked: (string | null)[] = [];
  const { client, fakes } = clientOfFakes({
    meddle: async (address, { method, headers, signal }) => {
      if (!address.startsWith('https://s3.')) return undefined;
      if (method === 'POST') setImmediate(() => void commit());
      if (method !== undefined && method !== 'GET') return undefined;
      const range = new Headers(headers).get('range');
      asked.push(range);
      const [, from = '0', to = String(content.length)] = /(\d+)-(\d+)/.exec(range ?? '') ?? [];
      const stream = arriving(content.subarray(Number(from), Number(to) + 1), signal);
      return new Response(stream, { status: range === null ? 200 : 206 });
    },
  });
  async function commit(): Promise<void> {
    const [upload] = fakes.state.uploads.values();
    await ingestBlob({ ...fakes, backoff: async () => undefined }, upload?.blob ?? '');
  }
  fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
  await client.buckets.create('films');
  await client.upload('films', 'film', new Blob([content]), { partSize: 5 * MiB });
  return { client, asked };
}

/** A download that was interrupted in its second block, and `resume`, which repeats it. */
async function interrupted() {
  const { client, asked } = await opened();
  const file = path.join(folder, `film-${count++}`);
  const stop = new AbortController();
  const onProgress = ({ received }: { received: number }) => {
    if (received > 5 * MiB) stop.abort(new Error('interrupted'));
  };
  const options = { onProgress, signal: stop.signal };
  const first = client.download('films', 'film', { path: file }, options);
  await expect(first).rejects.toThrow('interrupted');
  const { partial, notes } = await workingFiles(file);
  const resume = async () => {
    asked.length = 0;
    await client.download('films', 'film', { path: file });
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect([partial, notes].filter(existsSync)).toEqual([]);
    return asked;
  };
  return { client, file, partial, notes, resume };
}

const SECOND_AND_THIRD = `bytes=${4 * MiB}-${9 * MiB - 1}`;

test('a repeated download requests only the missing blocks', async () => {
  const { resume } = await interrupted();
  expect(await resume()).toEqual([SECOND_AND_THIRD]);
});

test.each([
  ['exactly the bytes of its blocks', 4 * MiB, SECOND_AND_THIRD],
  ['one byte less than its blocks', 4 * MiB - 1, null],
])('a repeated download whose file has %s requests the missing bytes', async (_, size, range) => {
  const { partial, resume } = await interrupted();
  truncateSync(partial, size);
  expect(await resume()).toEqual([range]);
});

test('a repeated download that has the first and the last block requests the block between', async () => {
  const { partial, notes, resume } = await interrupted();
  const saved = JSON.parse(readFileSync(notes, 'utf8'));
  expect(saved).toMatchObject({ first: 1, others: [] });
  writeFileSync(notes, JSON.stringify({ ...saved, others: [2] }));
  writeFileSync(partial, Buffer.from(CONTENT).fill(0, 4 * MiB, 8 * MiB));
  expect(await resume()).toEqual([`bytes=${4 * MiB}-${8 * MiB - 1}`]);
});

test('a repeated download whose file is too short for its last block starts over', async () => {
  const { partial, notes, resume } = await interrupted();
  const saved = JSON.parse(readFileSync(notes, 'utf8'));
  const named = ['films', 'film', CONTENT.length];
  expect(JSON.parse(saved.version)).toEqual(expect.arrayContaining(named));
  writeFileSync(notes, JSON.stringify({ ...saved, others: [2] }));
  truncateSync(partial, 4 * MiB);
  expect(await resume()).toEqual([null]);
});

test('a file above 16 MiB is received in ranges of 16 MiB, with progress', async () => {
  const content = Buffer.concat(['a', 'b', 'c'].map((byte) => Buffer.alloc(7 * MiB, byte)));
  const { client, asked } = await opened(content);
  asked.length = 0;
  const file = path.join(folder, 'large');
  const received: number[] = [];
  const onProgress = (progress: { received: number; total: number }) => {
    expect(progress.total).toBe(content.length);
    received.push(progress.received);
  };
  await client.download('films', 'film', { path: file }, { onProgress, concurrency: 1 });
  expect(asked).toEqual([`bytes=0-${16 * MiB - 1}`, `bytes=${16 * MiB}-${21 * MiB - 1}`]);
  expect(received).toEqual(Array.from({ length: 21 }, (_, n) => (n + 1) * MiB));
  expect(readFileSync(file).equals(content)).toBe(true);
});

test('the progress of a repeated download includes the bytes of the first', async () => {
  const { client, file } = await interrupted();
  const received: number[] = [];
  const onProgress = (progress: { received: number }) => received.push(progress.received);
  await client.download('films', 'film', { path: file }, { onProgress });
  expect(received).toEqual([5, 6, 7, 8, 9].map((n) => n * MiB));
});

/** Downloads an object of 2.5 MiB whose last bytes arrive as `end`. */
async function arrivedAs(end: string, during?: (partial: string) => void) {
  const content = Buffer.concat([Buffer.alloc(2.5 * MiB, 'a'), Buffer.from('the end')]);
  const { client } = clientOfFakes({
    meddle: async (address, { method }) => {
      if (method !== 'GET' || !address.includes('/film?version=')) return undefined;
      const bytes = Buffer.concat([content.subarray(0, -7), Buffer.from(end)]);
      return new Response(bytes, { headers: { etag: `"${etag}"` } });
    },
  });
  await client.buckets.create('films');
  const sent = { checksumSha256: sha256Base64(content) };
  const { etag, checksum_sha256: checksum } = await client.put('films', 'film', content, sent);
  const file = path.join(folder, `checked-${count++}`);
  const { partial } = await workingFiles(file);
  const onProgress = () => during?.(partial);
  const download = client.download('films', 'film', { path: file }, { onProgress });
  return { checksum, file, download };
}

test('a file with the checksum of its object is complete and closed', async () => {
  const areOpen = watchedFiles();
  const { file, download } = await arrivedAs('the end');
  await download;
  expect(areOpen()).toContain(false);
  expect(areOpen()).not.toContain(true);
  expect(readFileSync(file).subarray(-7).toString()).toBe('the end');
});

test('a file with another checksum than its object is removed', async () => {
  const { checksum, file, download } = await arrivedAs('no end?');
  await expect(download).rejects.toMatchObject({
    ...{ code: 'invalid_answer', details: { checksum_sha256: checksum } },
  });
  expect(checksum).toEqual(expect.any(String));
  const { partial, notes, lock } = await workingFiles(file);
  expect([file, partial, notes, lock].filter(existsSync)).toEqual([]);
});

test('a file with another checksum that others have removed fails in the same way', async () => {
  const remove = (partial: string) => rmSync(partial, { force: true });
  const { download } = await arrivedAs('no end?', remove);
  await expect(download).rejects.toMatchObject({ code: 'invalid_answer' });
});

test('a file that others truncate fails the comparison of the checksum', async () => {
  const prototype = await prototypeOfFiles();
  const { truncate } = prototype;
  jest.spyOn(prototype, 'truncate').mockImplementation(function (this: FileHandle) {
    return truncate.call(this, MiB);
  });
  const { file, download } = await arrivedAs('the end');
  await expect(download).rejects.toMatchObject({ code: 'invalid_answer' });
  expect(existsSync(file)).toBe(false);
});

test('bytes are written while the rest of the range is received', async () => {
  const { client } = await opened();
  const file = path.join(folder, `written-${count++}`);
  const written: number[] = [];
  const { partial } = await workingFiles(file);
  const onProgress = () => written.push(statSync(partial).size);
  await client.download('films', 'film', { path: file }, { onProgress });
  expect(written.at(-1)).toBeGreaterThanOrEqual(7 * MiB);
});

test('an empty object is downloaded as an empty file', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('films');
  await client.put('films', 'empty', '');
  const file = path.join(folder, `empty-${count++}`);
  await client.download('films', 'empty', { path: file });
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('files of others with the names of working files stay, and the download is refused', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('films');
  await client.put('films', 'film', 'bytes');
  for (const name of ['partial', 'notes', 'new notes', 'lock'] as const) {
    const file = path.join(folder, `taken-${count++}`);
    const working = await workingFiles(file);
    const taken = name === 'new notes' ? `${working.notes}.new` : working[name];
    writeFileSync(taken, 'mine');
    await expect(client.download('films', 'film', { path: file })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(taken),
    });
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect(existsSync(file)).toBe(false);
    rmSync(taken);
    await client.download('films', 'film', { path: file });
    expect(readFileSync(file, 'utf8')).toBe('bytes');
  }
});

test('a file that another program puts in the place of the received one is not taken', async () => {
  const replace = (partial: string) => {
    rmSync(partial, { force: true });
    writeFileSync(partial, 'evil');
  };
  const { file, download } = await arrivedAs('the end', replace);
  await expect(download).rejects.toMatchObject({ code: 'conflict' });
  const { partial } = await workingFiles(file);
  expect([existsSync(file), readFileSync(partial, 'utf8')]).toEqual([false, 'evil']);
});

test('files beside the target with names of earlier releases stay as they are', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('films');
  await client.put('films', 'film', 'bytes');
  const file = path.join(folder, `beside-${count++}`);
  const others = ['.partial', '.partial.json', '.partial.lock'].map((end) => file + end);
  for (const other of others) writeFileSync(other, 'mine');
  await client.download('films', 'film', { path: file });
  expect(others.map((other) => readFileSync(other, 'utf8'))).toEqual(['mine', 'mine', 'mine']);
  expect(readFileSync(file, 'utf8')).toBe('bytes');
});

test('a file whose name has 255 bytes is downloaded', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('films');
  await client.put('films', 'film', 'bytes');
  const file = path.join(folder, 'n'.repeat(255));
  await client.download('films', 'film', { path: file });
  expect(readFileSync(file, 'utf8')).toBe('bytes');
});
