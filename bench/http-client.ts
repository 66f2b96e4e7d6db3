/** The load client over HTTP: undici's dispatcher, which adds little overhead. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { BUCKETS, OBJECTS_PER_SIZE, SIZES } from './plan';
import { serve } from './remote';
import { measure, type OperationName, type Task, type Timings } from './task';

const STORAGE = '/api/v2/storage';
const { STOWAGE_URL = '', STOWAGE_KEY = '' } = process.env;
const headers = {
  authorization: `Bearer ${STOWAGE_KEY}`,
  'content-type': 'application/octet-stream',
};
const pool = new Pool(STOWAGE_URL, { connections: 16 });
const contents = new Map(SIZES.map((size) => [size, randomBytes(size)]));
const run = randomBytes(4).toString('hex');
let requests = 0;

type PlainRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'body'>;

/** Resolves with the number of bytes in the response's body. Rejects on any other status. */
function send(request: PlainRequest, status: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let bytes = 0;
    pool.dispatch(
      // Without this, undici opens a connection for each HEAD.
      { ...request, headers, reset: false },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => {
          received = statusCode;
        },
        onResponseData: (_controller, chunk) => {
          bytes += chunk.length;
        },
        onResponseEnd: () => {
          if (received === status) resolve(bytes);
          else reject(new Error(`${request.method} ${request.path} returned ${received}`));
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const request = { method: 'POST' as const, path: `${STORAGE}${path}`, headers };
  const response = await pool.request({ ...request, body: JSON.stringify(body) });
  if (response.statusCode !== 201) throw new Error(`POST ${path} returned ${response.statusCode}`);
  return (await response.body.json()) as Record<string, unknown>;
}

function put(bucket: string, key: string, body: Uint8Array): Promise<number> {
  return send({ method: 'PUT', path: `${STORAGE}/objects/${bucket}/${key}`, body }, 201);
}

function readPath(size: number): string {
  return `${STORAGE}/objects/${BUCKETS.http}/read/${size}/${requests++ % OBJECTS_PER_SIZE}`;
}

function sign(fields: Readonly<Record<string, string>>): Promise<number> {
  const body = JSON.stringify({ bucket: BUCKETS.http, ...fields });
  return send({ method: 'POST', path: `${STORAGE}/signed-url`, body }, 201);
}

const OPERATIONS: Readonly<Record<OperationName, (size: number) => Promise<unknown>>> = {
  PUT: (size) => put(BUCKETS.http, `put/${run}/${requests++}`, contentOf(size)),
  GET: async (size) => {
    const bytes = await send({ method: 'GET', path: readPath(size) }, 200);
    if (bytes !== size) throw new Error(`GET of ${size} bytes returned ${bytes}`);
  },
  HEAD: (size) => send({ method: 'HEAD', path: readPath(size) }, 200),
  list: () => send({ method: 'GET', path: `${STORAGE}/objects/${BUCKETS.listed}?limit=100` }, 200),
  'signed-url GET': () => sign({ method: 'GET', key: `read/${SIZES[0]}/0` }),
  'signed-url PUT': () => sign({ method: 'PUT', key: `signed/${requests++}` }),
};

function contentOf(size: number): Uint8Array {
  const content = contents.get(size);
  if (content === undefined) throw new Error(`no content of ${size} bytes`);
  return content;
}

/** Bytes of a part. The large file repeats a random block of this size. */
const PART = 8 * 1024 * 1024;

const methods = {
  prepare: async ({ listed }: { readonly listed: number }): Promise<void> => {
    for (const name of Object.values(BUCKETS)) await post('/buckets', { name });
    await put(BUCKETS.bare, 'template', contentOf(SIZES[0]));
    for (const size of SIZES) {
      for (let n = 0; n < OBJECTS_PER_SIZE; n++) {
        await put(BUCKETS.http, `read/${size}/${n}`, contentOf(size));
      }
    }
    const keys = Array.from({ length: listed }, (_, n) => `item-${String(n).padStart(6, '0')}`);
    for (const key of keys) await put(BUCKETS.listed, key, contentOf(SIZES[0]).subarray(0, 16));
  },

  createBucket: async (name: string): Promise<void> => {
    await post('/buckets', { name });
  },

  measure: (task: Task): Promise<Timings> =>
    measure(task, async () => {
      await OPERATIONS[task.operation](task.size);
    }),

  /**
   * Uploads random bytes by a signed multipart URL, two parts at a time. Resolves with their
   * SHA-256 when the object is visible.
   */
  uploadLarge: async ({ key, size }: { readonly key: string; readonly size: number }) => {
    const multipart = { size, part_size: PART };
    const signing = { bucket: BUCKETS.http, key, method: 'PUT', multipart };
    const { parts, complete } = (await post('/signed-url', signing)) as unknown as {
      readonly parts: readonly { readonly number: number; readonly url: string }[];
      readonly complete: { readonly url: string; readonly headers: Record<string, string> };
    };
    const block = randomBytes(PART);
    const hash = createHash('sha256');
    const etags: string[] = [];
    const next = parts.values();
    const upload = async () => {
      for (const { number, url } of next) {
        const body = block.subarray(0, Math.min(PART, size - (number - 1) * PART));
        const response = await fetch(url, { method: 'PUT', body });
        if (!response.ok) throw new Error(`part ${number} returned ${response.status}`);
        etags[number - 1] = response.headers.get('etag') ?? '';
      }
    };
    await Promise.all([upload(), upload()]);
    for (let at = 0; at < size; at += PART)
      hash.update(block.subarray(0, Math.min(PART, size - at)));
    const list = etags.map(
      (etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
    const done = await fetch(complete.url, { method: 'POST', headers: complete.headers, body });
    if (!done.ok) throw new Error(`completion returned ${done.status}: ${await done.text()}`);
    await done.text();
    await untilVisible(key);
    return hash.digest('hex');
  },

  /** Follows the 307 of a GET to the signed URL. Resolves with the SHA-256 of the bytes. */
  downloadLarge: async ({ key }: { readonly key: string }): Promise<string> => {
    const url = `${STOWAGE_URL}${STORAGE}/objects/${BUCKETS.http}/${key}`;
    const { authorization } = headers;
    const first = await fetch(url, { headers: { authorization }, redirect: 'manual' });
    const location = first.headers.get('location');
    if (first.status !== 307 || !location) throw new Error(`GET returned ${first.status}`);
    const second = await fetch(location);
    if (!second.ok || !second.body) throw new Error(`the signed URL returned ${second.status}`);
    const hash = createHash('sha256');
    for await (const chunk of second.body) hash.update(chunk);
    return hash.digest('hex');
  },
};

/** Resolves when the object is visible: the upload is committed after S3 has reported it. */
async function untilVisible(key: string): Promise<void> {
  const url = `${STOWAGE_URL}${STORAGE}/objects/${BUCKETS.http}/${key}`;
  const { authorization } = headers;
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await delay(20)) {
    const { status } = await fetch(url, { method: 'HEAD', headers: { authorization } });
    if (status === 200) return;
  }
  throw new Error(`${key} has not appeared within 20 s`);
}

export type HttpClient = typeof methods;

serve(methods);
