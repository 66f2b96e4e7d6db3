/** Uploads and downloads of any size by the client, against the running service. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Fetch, fileResume, StowageClient } from '../../client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { newDataFolder, type Running, startLocalService } from './support/local-service';

jest.setTimeout(240_000);

const MIB = 1024 ** 2;
/** Of the service for this size. */
const PART = 8 * MIB;

const data = newDataFolder();
const folder = useTemporaryFolder('transfer');
/** Five parts, the last one shorter; three ranges. */
const content = randomBytes(4 * PART + 3 * MIB + 7);
const file = (name: string) => path.join(folder, name);
let service: Running;

beforeAll(async () => {
  service = await startLocalService(data.folder);
  writeFileSync(file('content'), content);
  await clientOf().client.buckets.create('photos');
}, 110_000);
afterAll(async () => {
  await service.kill();
  data.remove();
});

type Meddle = (address: URL, init: RequestInit, send: Fetch) => Promise<Response>;

/** A client whose requests `meddle` may answer, delay or cut. */
function clientOf(meddle: Meddle = (_address, init, send) => send(_address.href, init)) {
  const parts: number[] = [];
  const fetch: Fetch = async (address, init) => {
    const url = new URL(address);
    const response = await meddle(url, init, globalThis.fetch);
    const number = url.searchParams.get('partNumber');
    if (number !== null && response.ok) parts.push(Number(number));
    return response;
  };
  const client = new StowageClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch });
  return { client, parts };
}

async function stored(key: string): Promise<string> {
  const target = file(`stored-${key}`);
  await clientOf().client.download('photos', key, { path: target });
  return digest(readFileSync(target));
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a file above 4 MiB is uploaded in parts and downloaded again', async () => {
  const { client, parts } = clientOf();
  const sent: number[] = [];
  const object = await client.upload(
    'photos',
    'a',
    { path: file('content') },
    {
      contentType: 'video/mp4',
      metadata: { camera: 'x100' },
      onProgress: (progress) => sent.push(progress.sent),
    },
  );
  expect(object).toMatchObject({
    ...{ bucket: 'photos', key: 'a', version: 1, size: content.length },
    ...{ content_type: 'video/mp4', metadata: { camera: 'x100' } },
  });
  expect([...parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(sent.at(-1)).toBe(content.length);
  const received: number[] = [];
  const target = file('downloaded');
  await client.download(
    'photos',
    'a',
    { path: target },
    {
      onProgress: (progress) => received.push(progress.received),
    },
  );
  expect(digest(readFileSync(target))).toBe(digest(content));
  expect(received.at(-1)).toBe(content.length);
  expect([existsSync(`${target}.partial`), existsSync(`${target}.partial.json`)]).toEqual([
    false,
    false,
  ]);
});

test('streams of unknown length are uploaded, and an object is written to a stream', async () => {
  const { client } = clientOf();
  await client.upload('photos', 'node', createReadStream(file('content'), { start: 5 }));
  expect(await stored('node')).toBe(digest(content.subarray(5)));
  const web = new Blob([content.subarray(0, 100)]).stream();
  expect(await client.upload('photos', 'web', web)).toMatchObject({ size: 100 });
  const hash = createHash('sha256');
  const target = new WritableStream<Uint8Array>({ write: (chunk) => void hash.update(chunk) });
  await client.download('photos', 'node', target);
  expect(hash.digest('hex')).toBe(digest(content.subarray(5)));
});

test('an upload that was interrupted sends only the parts that S3 does not have', async () => {
  const resume = fileResume(file('resume.json'));
  const source = { path: file('content') };
  const stop = new AbortController();
  const first = clientOf();
  const onProgress = ({ sent }: { sent: number }) => {
    if (sent >= 2 * PART) stop.abort(new Error('interrupted'));
  };
  const options = { resume, concurrency: 1, onProgress, signal: stop.signal };
  await expect(first.client.upload('photos', 'resumed', source, options)).rejects.toThrow(
    'interrupted',
  );
  const second = clientOf();
  await second.client.upload('photos', 'resumed', source, { resume });
  expect([...first.parts, ...second.parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(await stored('resumed')).toBe(digest(content));
  expect(await resume.load()).toBeUndefined();
});

test('a saved upload of other content begins anew', async () => {
  const resume = fileResume(file('other.json'));
  const saved = {
    uploadId: 'x',
    bucket: 'photos',
    key: 'other',
    size: 1,
    partSize: PART,
    etags: {},
  };
  await resume.save(saved);
  const { client, parts } = clientOf();
  await client.upload('photos', 'other', { path: file('content') }, { resume });
  expect(parts).toHaveLength(5);
});

test('parts whose connection is lost and URLs that have expired are sent again', async () => {
  const failures = new Map([
    ['2', () => Promise.reject(new TypeError('fetch failed'))],
    ['3', async () => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 })],
    ['4', async () => new Response('', { status: 503 })],
  ]);
  const { client, parts } = clientOf(async (url, init, send) => {
    const number = url.searchParams.get('partNumber') ?? '';
    const fail = init.method === 'PUT' ? failures.get(number) : undefined;
    failures.delete(number);
    return fail ? fail() : send(url.href, init);
  });
  await client.upload('photos', 'renewed', { path: file('content') });
  expect(failures.size).toBe(0);
  expect([...parts].sort()).toEqual([1, 2, 3, 4, 5]);
  expect(await stored('renewed')).toBe(digest(content));
});

test('a completion whose response was lost is completed once', async () => {
  let isLost = false;
  const { client } = clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (isLost || init.method !== 'POST' || !url.searchParams.has('uploadId')) return response;
    isLost = true;
    await response.text();
    throw new TypeError('fetch failed');
  });
  const object = await client.upload('photos', 'completed', { path: file('content') });
  expect([isLost, object.version]).toEqual([true, 1]);
});

test('a condition that does not hold refuses an upload before the transfer, or after it', async () => {
  const { client, parts } = clientOf();
  const source = { path: file('content') };
  await client.put('photos', 'there', 'x');
  const early = client.upload('photos', 'there', source, { ifNoneMatch: '*' });
  await expect(early).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(parts).toEqual([]);
  let isMade = false;
  const late = clientOf(async (url, init, send) => {
    if (!isMade && url.searchParams.get('partNumber') === '1') {
      isMade = true;
      await client.put('photos', 'late', 'x');
    }
    return send(url.href, init);
  });
  const upload = late.client.upload('photos', 'late', source, { ifNoneMatch: '*' });
  await expect(upload).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(await client.describe('photos', 'late')).toMatchObject({ size: 1, version: 1 });
});

test('an upload that is aborted without a place to save it leaves no parts behind', async () => {
  const stop = new AbortController();
  const aborted: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    if (init.method === 'DELETE') aborted.push(url.searchParams.get('uploadId') ?? '');
    return send(url.href, init);
  });
  const onProgress = () => stop.abort(new Error('no more'));
  const options = { signal: stop.signal, onProgress };
  const upload = client.upload('photos', 'aborted', { path: file('content') }, options);
  await expect(upload).rejects.toThrow('no more');
  expect(aborted).toHaveLength(1);
});

test('a download continues within a range whose connection was cut', async () => {
  await clientOf().client.upload('photos', 'cut', { path: file('content') });
  const ranges: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    const range = new Headers(init.headers).get('range');
    const response = await send(url.href, init);
    if (range === null || response.body === null) return response;
    ranges.push(range);
    return ranges.length > 2 ? response : new Response(cutAfter(response.body, MIB), response);
  });
  const target = file('cut');
  await client.download('photos', 'cut', { path: target }, { concurrency: 1 });
  expect(digest(readFileSync(target))).toBe(digest(content));
  const from = ranges.map((range) => Number(/=(\d+)-/.exec(range)?.[1]));
  expect(from[0]).toBe(0);
  expect(from[1]).toBeGreaterThanOrEqual(MIB);
  expect(from[2]).toBeGreaterThanOrEqual(2 * MIB);
});

test('an interrupted download receives only the ranges that are missing', async () => {
  await clientOf().client.upload('photos', 'again', { path: file('content') });
  const target = { path: file('again') };
  const stop = new AbortController();
  const onProgress = ({ received }: { received: number }) => {
    if (received > 20 * MIB) stop.abort(new Error('interrupted'));
  };
  const options = { concurrency: 1, onProgress, signal: stop.signal };
  const first = clientOf().client.download('photos', 'again', target, options);
  await expect(first).rejects.toThrow('interrupted');
  const ranges: string[] = [];
  const { client } = clientOf(async (url, init, send) => {
    const range = new Headers(init.headers).get('range');
    if (range !== null) ranges.push(range);
    return send(url.href, init);
  });
  await client.download('photos', 'again', target);
  expect(ranges.map((range) => /=(\d+)-/.exec(range)?.[1]).sort()).toEqual([
    String(16 * MIB),
    String(32 * MIB),
  ]);
  expect(digest(readFileSync(target.path))).toBe(digest(content));
});

test('a file with other bytes than the checksum of the object is refused', async () => {
  const { client } = clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (init.method !== 'GET' || url.searchParams.has('view') || !url.pathname.endsWith('/sum')) {
      return response;
    }
    return new Response('jello', response);
  });
  await client.put('photos', 'sum', 'hello');
  const target = file('sum');
  await expect(client.download('photos', 'sum', { path: target })).rejects.toMatchObject({
    code: 'invalid_answer',
    message: expect.stringContaining('checksum'),
  });
  expect([existsSync(target), existsSync(`${target}.partial`)]).toEqual([false, false]);
});

test('an empty object is uploaded and downloaded', async () => {
  const { client } = clientOf();
  await client.upload('photos', 'empty', new Uint8Array(0));
  await client.download('photos', 'empty', { path: file('empty') });
  expect(readFileSync(file('empty')).length).toBe(0);
});

/** The first bytes of a body, and then an error. */
function cutAfter(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        left -= chunk.length;
        if (left <= 0) controller.error(new Error('cut'));
      },
    }),
  );
}
