/** Uploads of any size, by a scripted service and S3. */
import { once } from 'node:events';
import { openAsBlob, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Http } from '../../../client/http';
import { upload } from '../../../client/transfer/upload';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { watchedFiles } from './support/open-files';
import { DESCRIPTOR, OBJECT, PART, scripted } from './support/scripted-upload';

const MiB = 1024 ** 2;
const SMALL = new Blob([new Uint8Array(4 * MiB)], { type: 'a/b' });
const LARGE = new File([new Uint8Array(3 * PART - 1)], 'name', { type: 'a/b', lastModified: 7 });
const refusal = (status: number) => () => Response.json({}, { status });

afterEach(() => jest.restoreAllMocks());

test('content of 4 MiB is sent in one request, with its headers', async () => {
  const { upload, requests, progress, resume, states } = scripted();
  expect(await upload(SMALL, { resume, cacheControl: 'no-store' })).toEqual(DESCRIPTOR);
  expect(requests.map(({ name, body }) => [name, body])).toEqual([['PUT objects/a/k', 4 * MiB]]);
  expect(progress).toEqual([4 * MiB]);
  expect(states).toEqual([undefined]);
});

test.each([
  [undefined, SMALL, 'a/b'],
  [undefined, new Uint8Array(1), 'application/octet-stream'],
  ['c/d', SMALL, 'c/d'],
  ['', SMALL, ''],
])('content with contentType %p is sent with the right type', async (contentType, source, type) => {
  const types: (string | null)[] = [];
  const { upload } = scripted({
    'PUT objects/a/k': (_, _nth, { headers }) => {
      types.push(new Headers(headers).get('content-type'));
      return Response.json(DESCRIPTOR);
    },
  });
  await upload(source, { contentType });
  expect(types).toEqual([type]);
});

test('content above 4 MiB is sent in parts', async () => {
  const { upload, requests, names, progress } = scripted();
  const content = new Blob([new Uint8Array(4 * MiB + 1)]);
  expect(await upload(content)).toEqual(DESCRIPTOR);
  expect(names()).toEqual([
    ...['POST signed-url', 'PUT s3', 'POST s3', 'GET uploads', 'GET objects/a/k'],
  ]);
  expect(requests[0]?.body).toMatchObject({ content_type: 'application/octet-stream' });
  expect(requests.at(-1)?.address).toContain('?view=descriptor&version=2');
  expect(progress).toEqual([4 * MiB + 1]);
});

test('an upload in parts is signed with its headers, metadata and conditions', async () => {
  const { upload, requests } = scripted();
  await upload(LARGE, {
    ...{ contentType: 'c/d', metadata: { m: 'n' }, cacheControl: 'no-store', partSize: PART },
    ...{ contentDisposition: 'inline', contentEncoding: 'br', contentLanguage: 'de' },
    ...{ expiresAt: '2030', ifMatch: '"e"' },
  });
  expect(requests[1]?.body).toEqual({
    ...{ bucket: 'a', key: 'k', method: 'PUT', expires_in: 3600, content_type: 'c/d' },
    ...{ metadata: { m: 'n' }, cache_control: 'no-store', content_disposition: 'inline' },
    ...{ content_encoding: 'br', content_language: 'de', object_expires_at: '2030' },
    ...{ if_match: 'e', multipart: { size: LARGE.size, part_size: PART } },
  });
});

test.each([0, 17, 1.5, Number.NaN, '4'])(
  'a concurrency of %p throws a TypeError',
  async (concurrency) => {
    const { failing, requests } = scripted();
    const error = await failing(SMALL, { concurrency: concurrency as number });
    expect([error?.name, requests]).toEqual(['TypeError', []]);
  },
);

test.each([
  [1, 1],
  [2, 2],
  [16, 3],
  [undefined, 3],
])(
  'with a concurrency of %p, at most %i of three parts are sent at once',
  async (concurrency, most) => {
    let now = 0;
    const counts: number[] = [];
    const { upload } = scripted({
      'PUT s3': async () => {
        counts.push(++now);
        await new Promise(setImmediate);
        now -= 1;
        return new Response(null, { headers: { etag: '"e"' } });
      },
    });
    await upload(LARGE, { concurrency });
    expect(Math.max(...counts)).toBe(most);
  },
);

/** `etag`: the etag of the existing object, or the status of the refusal. */
test.each<[string, { ifMatch?: string; ifNoneMatch?: '*' }, string | null | number, string]>([
  ['the same etag', { ifMatch: 'e' }, '"e"', 'sent'],
  ['the same etag in quotes', { ifMatch: '"e"' }, '"e"', 'sent'],
  ['another etag', { ifMatch: 'f' }, '"e"', 'precondition_failed'],
  ['no object', { ifMatch: 'e' }, 404, 'precondition_failed'],
  ['no object', { ifNoneMatch: '*' }, 404, 'sent'],
  ['an object', { ifNoneMatch: '*' }, '"e"', 'precondition_failed'],
  ['an object without an etag', { ifNoneMatch: '*' }, null, 'precondition_failed'],
  ['an object that the key may not read', { ifNoneMatch: '*' }, 403, 'sent'],
  ['a failure of the service', { ifNoneMatch: '*' }, 503, 'unavailable'],
])(
  'with %s, an upload on the condition %j is sent or refused: %#',
  async (_, conditions, etag, outcome) => {
    const { failing, named } = scripted({
      'HEAD objects/a/k': () => {
        if (typeof etag === 'number') return new Response(null, { status: etag });
        return new Response(null, { headers: etag === null ? {} : { etag } });
      },
    });
    const error = await failing(LARGE, conditions);
    expect(error?.code ?? 'sent').toBe(outcome);
    expect(named('PUT s3')).toHaveLength(outcome === 'sent' ? 3 : 0);
    if (outcome === 'precondition_failed') {
      const found = etag === 404 ? undefined : Object(/[^"]+/.exec(String(etag ?? '')))[0];
      expect(error?.details).toEqual({ etag: etag === null ? '' : found });
    }
  },
);

test.each([403, 404])(
  'upload returns the known fields when the descriptor is refused with %i',
  async (status) => {
    const { upload, resume, states } = scripted({ 'GET objects/a/k': refusal(status) });
    expect(await upload(LARGE, { resume })).toEqual({ ...OBJECT, size: LARGE.size });
    expect(states.at(-1)).toBeUndefined();
  },
);

test('upload throws when reading the descriptor fails', async () => {
  const { failing } = scripted({ 'GET objects/a/k': refusal(409) });
  expect(await failing(LARGE)).toMatchObject({ code: 'conflict' });
});

test.each<[string, () => Response, string, boolean]>([
  ['is discarded', () => Response.json({ state: 'discarded' }), 'conflict', true],
  ['cannot be asked for', refusal(503), 'unavailable', false],
])(
  'a saved upload that %s after its parts is cleared when it has ended: %#',
  async (_, state, code, ends) => {
    const { failing, resume, states } = scripted({ 'GET uploads': state });
    expect(await failing(LARGE, { resume })).toMatchObject({ code });
    expect(states.at(-1) === undefined).toBe(ends);
  },
);

test('onProgress reports the bytes of all parts', async () => {
  const totals = new Set<number>();
  const { upload, progress } = scripted();
  const onProgress = (reported: { sent: number; total: number }) => {
    progress.push(reported.sent);
    totals.add(reported.total);
  };
  await upload(LARGE, { onProgress });
  expect(progress).toEqual([PART, 2 * PART, 3 * PART - 1]);
  expect([...totals]).toEqual([LARGE.size]);
});

test('upload sends nothing when its signal was aborted before', async () => {
  const { failing, requests } = scripted();
  const signal = AbortSignal.abort(new Error('enough'));
  expect(await failing(LARGE, { signal })).toMatchObject({ message: 'enough' });
  expect(requests).toEqual([]);
});

test('a file is sent by the fetch of the client, if it has one', async () => {
  const { upload, named } = scripted();
  await upload(await openAsBlob(__filename));
  await upload({ path: __filename });
  const sizes = named('PUT objects/a/k').map(({ body }) => body);
  expect(sizes[0]).toBe(sizes[1]);
});

const folder = useTemporaryFolder('upload');
const streams = useTemporaryFolder('streams');

test.each([
  ['succeeds', {}],
  ['fails', { 'POST signed-url': refusal(403) }],
])('the temporary file of a stream is removed when its upload %s', async (_, script) => {
  jest.spyOn(os, 'tmpdir').mockReturnValue(streams);
  async function* stream() {
    yield new Uint8Array(9 * MiB);
  }
  await scripted(script).failing(stream());
  expect(readdirSync(streams)).toEqual([]);
});

test('a saved upload that was committed before requests only its object', async () => {
  const fields = JSON.stringify([{ content_type: 'a/b', if_none_match: '*' }, PART]);
  const saved = {
    ...{ uploadId: 'saved', bucket: 'a', key: 'k', size: LARGE.size, partSize: PART },
    ...{ modifiedAt: 7, fields, etags: {} },
  };
  const { upload, resume, names, progress, states } = scripted({}, saved);
  const options = { resume, partSize: PART, ifNoneMatch: '*' } as const;
  expect(await upload(LARGE, options)).toEqual(DESCRIPTOR);
  expect(names()).toEqual(['GET uploads', 'GET objects/a/k']);
  expect([progress, states]).toEqual([[LARGE.size], [undefined]]);
});

/** Uploads a file to a server. Returns the parts it got by Node.js and by fetch, and open files. */
async function sentFile(mayUseNode: boolean) {
  const file = path.join(folder, 'file');
  writeFileSync(file, Buffer.alloc(PART + 1));
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.setHeader('etag', '"e"').end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { url: 'https://s3.example/', method: 'POST', headers: {} };
  const parts = [1, 2].map((number) => ({ number, url }));
  const signed = { upload_id: 'u', part_size: PART, parts, complete: request, abort: request };
  const { fetch, named } = scripted({ 'POST signed-url': () => Response.json(signed) });
  const http = new Http({ baseUrl: 'https://files.example', fetch });
  const byFetch: typeof fetch = (address, init) =>
    fetch(address.replace(url, 'https://s3.example/'), init);
  const areOpen = watchedFiles();
  const put = () => Promise.reject(new Error('too large'));
  const deps = { http, fetch: byFetch, mayUseNode, random: () => 0, put };
  await upload(deps, { bucket: 'a', key: 'k' }, { path: file }, {});
  server.close();
  return { received, fetched: named('PUT s3').length, open: areOpen() };
}

test('a file is sent by node:http if that is permitted, and closed', async () => {
  expect(await sentFile(true)).toEqual({ received: 2, fetched: 0, open: [false] });
  jest.restoreAllMocks();
  expect(await sentFile(false)).toEqual({ received: 0, fetched: 2, open: [] });
});
