/** Downloads past API Gateway, from the event of the function's URL to the response. */
import { Readable } from 'node:stream';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { newApiKey } from '../../../core/access/api-key';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { createDirectDownload, isDirect } from '../../../lambdas/download/direct';
import { EmfMeter } from '../../../lambdas/runtime/telemetry/emf-meter';
import { createDownload } from '../../../service/download-api';
import { openBucket, put } from '../../support/bucket-world';
import { EVERYTHING, restEvent } from '../../support/requests';

const PATH = '/api/v2/storage/objects/photos/';

interface Sent {
  readonly method?: string;
  /** Percent-encoded, after the bucket. */
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function urlEvent({ method = 'GET', key = 'a', query = '', headers = {} }: Sent) {
  return {
    version: '2.0',
    rawPath: decodeURIComponent(`${PATH}${key}`),
    rawQueryString: query,
    headers: {
      'x-object-path': `${PATH}${key}`,
      authorization: 'AWS4-HMAC-SHA256 Credential=cloudfront',
      'x-amz-content-sha256': 'e3b0c442',
      ...headers,
    },
    requestContext: { http: { method, sourceIp: '192.0.2.7' }, requestId: 'request-1' },
    isBase64Encoded: false,
  } as unknown as LambdaFunctionURLEvent;
}

async function setUp(extra: Partial<ApiKeyRecord> = {}, meter?: EmfMeter) {
  const { deps } = await openBucket();
  const { id, text, secretHash } = newApiKey();
  const record = {
    id,
    name: 'k',
    secretHash,
    permissions: EVERYTHING,
    createdAt: deps.clock.iso(),
  };
  deps.state.apiKeys.set(id, { ...record, ...extra });
  let reads = 0;
  const apiKeys = {
    get: (keyId: string) => {
      reads += 1;
      return deps.apiKeys.get(keyId);
    },
  };
  const download = createDownload({ ...deps, responseMode: 'stream' });
  const direct = createDirectDownload({ ...deps, apiKeys, ...(meter && { meter }) }, download);
  const ask = async (sent: Sent = {}, token = text) => {
    const authorization = { 'x-object-authorization': `Bearer ${token}` };
    const response = await direct(
      urlEvent({ ...sent, headers: { ...authorization, ...sent.headers } }),
    );
    const { body } = response;
    const bytes = body instanceof Readable ? Buffer.concat(await body.toArray()) : (body ?? '');
    return { ...response, text: bytes.toString() };
  };
  return { deps, id, ask, reads: () => reads };
}

test('a direct download returns the object to the holder of a key', async () => {
  const { deps, ask } = await setUp();
  await put(deps, 'a', 'hello');
  expect(await ask()).toMatchObject({ status: 200, text: 'hello' });
  expect(await ask({ headers: { range: 'bytes=1-2' } })).toMatchObject({ status: 206, text: 'el' });
  expect(await ask({ method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

test('a direct download takes the key of the object from the path as the client sent it', async () => {
  const { deps, ask } = await setUp();
  await put(deps, 'a%2Fb c', 'escaped');
  await put(deps, 'a/b c', 'other');
  expect((await ask({ key: 'a%252Fb%20c' })).text).toBe('escaped');
});

test('a direct download refuses a parameter that is repeated, whatever its name', async () => {
  const { deps, ask } = await setUp();
  await put(deps, 'a', 'hello');
  const query = '__proto__=1&constructor=2&version=1&version=1';
  expect(await ask({ query })).toMatchObject({ status: 400 });
  expect(await ask({ query: '__proto__=1&constructor=2&version=1' })).toMatchObject({
    status: 200,
  });
});

test.each<[string, Partial<ApiKeyRecord>]>([
  ['revoked', { revokedAt: '2026-01-01T00:00:00.000Z' }],
  ['expired', { expiresAt: '2025-01-01T00:00:00.000Z' }],
  ['replaced', { secretHash: 'f'.repeat(64) }],
])('a direct download is refused when the key is %s', async (_what, extra) => {
  const { deps, ask, id } = await setUp(extra);
  await put(deps, 'a', 'hello');
  const { status, text } = await ask();
  expect([status, JSON.parse(text).error.code]).toEqual([401, 'unauthorized']);
  // As the gateway says it.
  expect(JSON.parse(text).error.message).toMatch(/compare it with what you copied/);
  expect(deps.log.lines).toContainEqual({
    level: 'info',
    event: 'key_refused',
    fields: { keyId: id },
  });
});

test('a direct download without a key, or with one that the client alone signed, is refused', async () => {
  const { deps, ask } = await setUp();
  await put(deps, 'a', 'hello');
  expect(await ask({}, 'osk_made_up')).toMatchObject({ status: 401 });
  expect(await ask({ headers: { 'x-object-authorization': '' } })).toMatchObject({ status: 401 });
  expect(deps.log.lines.filter(({ event }) => event === 'key_refused')).toEqual([]);
});

test('a direct download needs the permission to read the object', async () => {
  const { deps, ask } = await setUp({ permissions: [{ buckets: ['other'], actions: ['read'] }] });
  await put(deps, 'a', 'hello');
  expect(await ask()).toMatchObject({ status: 403 });
});

test('a direct download reads the key once in five minutes', async () => {
  const { deps, ask, reads } = await setUp();
  await put(deps, 'a', 'hello');
  await ask();
  deps.clock.advance(299_000);
  await ask();
  expect(reads()).toBe(1);
  deps.clock.advance(1_000);
  await ask();
  expect(reads()).toBe(2);
});

test('a direct download is logged with its path and without its query', async () => {
  const { deps, id, ask } = await setUp();
  await put(deps, 'a', 'hello');
  const began = performance.now();
  await ask({ query: 'version=1' });
  const elapsed = performance.now() - began;
  expect(Number(deps.log.lines.at(-1)?.fields.milliseconds)).toBeLessThanOrEqual(elapsed + 1);
  expect(deps.log.lines.at(-1)).toEqual({
    level: 'info',
    event: 'request',
    fields: {
      method: 'GET',
      path: `${PATH}a`,
      keyId: id,
      sourceIp: '192.0.2.7',
      requestId: 'request-1',
      status: 200,
      milliseconds: expect.any(Number),
    },
  });
});

test('a direct download with metrics by route writes one line', async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const meter = new EmfMeter({ namespace: 'Stowage/test', level: 'all', write });
  const { deps, id, ask } = await setUp({}, meter);
  await put(deps, 'a', 'hello');
  await ask({ query: 'version=1' });
  await ask({ key: 'missing' });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      ...{ event: 'metrics', Route: 'getObject', Latency: expect.any(Number), status: 200 },
      ...{ method: 'GET', path: `${PATH}a`, keyId: id, sourceIp: '192.0.2.7' },
      requestId: 'request-1',
    },
    { path: `${PATH}missing`, status: 404, Refusals: 1 },
  ]);
  expect(deps.log.lines.filter(({ event }) => event === 'request')).toEqual([]);
});

test('a direct download without a valid key is logged, and counted for no route', async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const meter = new EmfMeter({ namespace: 'Stowage/test', level: 'all', write });
  const { deps, ask } = await setUp({}, meter);
  await ask({}, 'osk_made_up');
  expect(lines).toEqual([]);
  expect(deps.log.lines.at(-1)).toMatchObject({ event: 'request', fields: { status: 401 } });
});

test('a direct download passes on the headers of the client, without those that the edge adds', async () => {
  const { deps } = await setUp();
  const { id, text, secretHash } = newApiKey();
  const record = {
    id,
    name: 'k',
    secretHash,
    permissions: EVERYTHING,
    createdAt: deps.clock.iso(),
  };
  deps.state.apiKeys.set(id, record);
  const requests: unknown[] = [];
  const app = async (request: unknown) => {
    requests.push(request);
    return { status: 204, headers: {} };
  };
  const headers = {
    ...{ 'x-object-authorization': `Bearer ${text}`, 'X-Amz-Date': 'x', accept: 'a/b' },
    ...{ 'x-amz-security-token': 'x', 'x-amz-source-account': 'x', 'x-amz-source-arn': 'x' },
  };
  await createDirectDownload(deps, app)(urlEvent({ headers, query: 'a=1&b=2&a=3', key: 'k' }));
  expect(requests).toEqual([
    {
      ...{ method: 'GET', path: `${PATH}k`, headers: { accept: ['a/b'] }, body: Buffer.of() },
      ...{ query: { a: ['1', '3'], b: ['2'] }, requestId: 'request-1' },
      claim: {
        ...{ keyId: id, permissions: EVERYTHING, tier: 'default' },
        ...{ generation: 0, readAt: deps.clock.now() },
      },
    },
  ]);
  const event = urlEvent({});
  delete event.headers['x-object-path'];
  await expect(createDirectDownload(deps, app)(event)).rejects.toThrow('through the edge');
});

test('a direct download remembers the last 2,000 keys', async () => {
  const { deps } = await setUp();
  const reads: string[] = [];
  const apiKeys = {
    get: async (keyId: string) => {
      reads.push(keyId);
      return deps.apiKeys.get(keyId);
    },
  };
  const direct = createDirectDownload({ ...deps, apiKeys }, async () => ({
    ...{ status: 200, headers: {} },
  }));
  const keys = Array.from({ length: 2001 }, () => newApiKey());
  const ask = async (n: number) => {
    const token = `Bearer ${keys[n]?.text}`;
    expect(await direct(urlEvent({ headers: { 'x-object-authorization': token } }))).toMatchObject({
      status: 200,
    });
  };
  for (const { id, secretHash } of keys) {
    const record = { id, name: 'k', secretHash, permissions: EVERYTHING };
    deps.state.apiKeys.set(id, { ...record, createdAt: deps.clock.iso() });
  }
  for (let n = 0; n < 2000; n++) await ask(n);
  await ask(0);
  expect(reads).toHaveLength(2000);
  await ask(2000);
  await ask(1);
  expect(reads).toHaveLength(2001);
  await ask(0);
  expect(reads).toHaveLength(2002);
});

test('an event of API Gateway is not mistaken for an invocation', () => {
  const event = restEvent({ path: '/objects/photos/a', query: { version: '2.0' } });
  expect(isDirect(event)).toBe(false);
  expect(isDirect({ ...event, version: '1.0' } as typeof event)).toBe(false);
  expect(isDirect(urlEvent({}))).toBe(true);
});
