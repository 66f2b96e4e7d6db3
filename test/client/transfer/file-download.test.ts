/** Downloads to a file that continue with what an earlier one has left, on the fakes. */
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ingestBlob } from '../../../core/objects/uploads';
import { newKey } from '../../support/samples';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { clientOfFakes } from '../client-of-fakes';

const MiB = 1024 * 1024;
/** Blocks of 4, 4 and 1 MiB. */
const CONTENT = Buffer.concat(
  ['a', 'b', 'c'].map((byte, n) => Buffer.alloc(n < 2 ? 4 * MiB : MiB, byte)),
);
const folder = useTemporaryFolder('file-download');
let count = 0;

/** The bytes, 1 MiB at a time, until the signal cuts the connection. */
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

/** An object above what the service carries itself: its bytes are those of S3, by ranges. */
async function opened() {
  const asked: (string | null)[] = [];
  const { client, fakes } = clientOfFakes({
    meddle: async (address, { method, headers, signal }) => {
      if (!address.startsWith('https://s3.')) return undefined;
      if (method === 'POST') setImmediate(() => void commit());
      if (method !== undefined && method !== 'GET') return undefined;
      const range = new Headers(headers).get('range');
      asked.push(range);
      const [, from = '0', to = String(CONTENT.length)] = /(\d+)-(\d+)/.exec(range ?? '') ?? [];
      const stream = arriving(CONTENT.subarray(Number(from), Number(to) + 1), signal);
      return new Response(stream, { status: range === null ? 200 : 206 });
    },
  });
  async function commit(): Promise<void> {
    const [upload] = fakes.state.uploads.values();
    await ingestBlob({ ...fakes, backoff: async () => undefined }, upload?.blob ?? '');
  }
  fakes.state.apiKeys.set('key-1', newKey({ id: 'key-1' }));
  await client.buckets.create('films');
  await client.upload('films', 'film', new Blob([CONTENT]), { partSize: 5 * MiB });
  return { client, asked };
}

/** A download that was interrupted in its second block, and what continues it. */
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
  const partial = `${file}.partial`;
  const notes = `${partial}.json`;
  const resume = async () => {
    asked.length = 0;
    await client.download('films', 'film', { path: file });
    expect(readFileSync(file).equals(CONTENT)).toBe(true);
    expect([partial, notes].filter(existsSync)).toEqual([]);
    return asked;
  };
  return { partial, notes, resume };
}

const SECOND_AND_THIRD = `bytes=${4 * MiB}-${9 * MiB - 1}`;

test('a download continues behind the blocks that it has', async () => {
  const { resume } = await interrupted();
  expect(await resume()).toEqual([SECOND_AND_THIRD]);
});

test.each([
  ['exactly its blocks', 4 * MiB, SECOND_AND_THIRD],
  ['one byte less than its blocks', 4 * MiB - 1, null],
])('a download whose file has %s asks for what is missing', async (_, size, range) => {
  const { partial, resume } = await interrupted();
  truncateSync(partial, size);
  expect(await resume()).toEqual([range]);
});

test('a download that has the last block, which is shorter, asks only for the others', async () => {
  const { partial, notes, resume } = await interrupted();
  const saved = JSON.parse(readFileSync(notes, 'utf8'));
  expect(saved).toMatchObject({ first: 1, others: [] });
  writeFileSync(notes, JSON.stringify({ ...saved, others: [2] }));
  writeFileSync(partial, Buffer.from(CONTENT).fill(0, 4 * MiB, 8 * MiB));
  expect(await resume()).toEqual([`bytes=${4 * MiB}-${8 * MiB - 1}`]);
});
