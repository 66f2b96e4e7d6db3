/** Single requests of the client, against the operations of the service on the fakes. */
import { type ErrorCode, StowageClient } from '../../client';
import { DEFAULT_RATES } from '../../core/limits';
import { BucketIds } from '../../core/objects/bucket-ids';
import { createApi } from '../../lambdas/shared/storage-api';
import { createFakes } from '../support/fakes/fakes';
import { send } from '../support/requests';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
}

/** `failing`: how many requests get 503 in place of their response, after they took effect. */
function open(failing = 0, retries?: number) {
  const unlimited = { ...DEFAULT_RATES, write: { rate: 10_000, burst: 10_000 } };
  const fakes = { ...createFakes(), rateTiers: { default: unlimited } };
  const app = createApi({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream',
    sharing: { ...fakes, baseUrl: 'https://files.example/' },
  });
  const sent: Sent[] = [];
  let failures = failing;
  const fetch = async (address: string, init: RequestInit) => {
    const { pathname, searchParams } = new URL(address);
    const headers = new Headers(init.headers);
    const method = init.method ?? 'GET';
    const path = pathname.replace('/api/v2/storage', '');
    sent.push({ method, path, idempotencyKey: headers.get('idempotency-key') });
    const body = init.body == null ? undefined : await new Response(init.body).text();
    const response = await send(app, {
      ...{ method, path, query: Object.fromEntries(searchParams) },
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
    });
    if (failures-- > 0) return new Response('', { status: 503, headers: { 'retry-after': '0' } });
    const isEmpty = response.status === 204;
    return new Response(isEmpty ? null : response.body, response);
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries });
  return { client, sent, fail: (count: number) => (failures = count) };
}

test('the client creates, reads, lists and deletes buckets', async () => {
  const { client } = open();
  expect(await client.buckets.create('photos')).toMatchObject({ name: 'photos', cursor: 0 });
  await client.buckets.create('films');
  expect(await client.buckets.get('films')).toMatchObject({ name: 'films' });
  const names: string[] = [];
  for await (const { name } of client.buckets.list()) names.push(name);
  expect(names).toEqual(['films', 'photos']);
  await client.buckets.delete('films');
  await expect(client.buckets.get('films')).rejects.toMatchObject({ code: 'not_found' });
  await expect(client.buckets.create('photos')).rejects.toMatchObject({ code: 'conflict' });
});

test('objects() returns the objects of all pages', async () => {
  const { client } = open();
  await client.buckets.create('photos');
  const keys = Array.from({ length: 1_010 }, (_, n) => `k${String(n).padStart(4, '0')}`);
  for (let from = 0; from < keys.length; from += 32) {
    const part = keys.slice(from, from + 32);
    await client.commit(
      'photos',
      part.map((key) => ({ op: 'put', key, content: 'x' })),
    );
  }
  const listed: string[] = [];
  for await (const { key } of client.objects('photos')) listed.push(key);
  expect(listed).toEqual(keys);
});

test('a PUT whose response was lost is sent again under its idempotency key', async () => {
  const { client, sent, fail } = open();
  await client.buckets.create('photos');
  fail(2);
  expect(await client.put('photos', 'a', 'hello')).toMatchObject({ version: 1 });
  const puts = sent.filter(({ method }) => method === 'PUT');
  expect(puts).toHaveLength(3);
  expect(new Set(puts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await client.describe('photos', 'a')).toMatchObject({ version: 1 });
});

test('a commit and a deletion whose responses were lost take effect once', async () => {
  const { client, fail } = open();
  await client.buckets.create('photos');
  fail(1);
  const commit = await client.commit('photos', [{ op: 'put', key: 'a', content: 'x' }]);
  expect(commit).toMatchObject({ from: 1, to: 1 });
  fail(1);
  expect(await client.delete('photos', 'a')).toMatchObject({ version: 2 });
});

test('a restore is not sent again, because it has no idempotency key', async () => {
  const { client, sent, fail } = open();
  await client.buckets.create('photos');
  fail(1);
  await expect(client.restore('photos', { asOf: 0 })).rejects.toMatchObject({ status: 503 });
  expect(sent.filter(({ path }) => path === '/restore')).toHaveLength(1);
});

test('without retries no request is sent again or has an idempotency key', async () => {
  const { client, sent } = open(1, 0);
  await expect(client.buckets.create('photos')).rejects.toMatchObject({ status: 503 });
  expect(sent).toEqual([{ method: 'POST', path: '/buckets', idempotencyKey: null }]);
});

test('a failure that asks for a longer wait than a minute is thrown', async () => {
  const fetch = async () => new Response('', { status: 429, headers: { 'retry-after': '61' } });
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch });
  await expect(client.list('photos')).rejects.toMatchObject({ retryAfter: 61 });
});

test('an etag is accepted with and without quotes', async () => {
  const { client } = open();
  await client.buckets.create('photos');
  const { etag } = await client.put('photos', 'a', 'one');
  await client.put('photos', 'a', 'two', { ifMatch: `"${etag}"` });
  await expect(client.put('photos', 'a', 'three', { ifMatch: etag })).rejects.toMatchObject({
    code: 'precondition_failed' satisfies ErrorCode,
  });
  await expect(client.delete('photos', 'a', { ifMatch: etag })).rejects.toMatchObject({
    code: 'precondition_failed' satisfies ErrorCode,
  });
});

test('content headers and a range are sent as the interface names them', async () => {
  const { client } = open();
  await client.buckets.create('photos');
  await client.put('photos', 'a', new Blob(['hello'], { type: 'text/plain' }), {
    cacheControl: 'max-age=60',
    contentLanguage: 'de',
  });
  const response = await client.get('photos', 'a', { range: { from: 1, to: 2 } });
  expect([response.status, await response.text()]).toEqual([206, 'el']);
  expect(response.headers.get('content-language')).toBe('de');
  expect(response.headers.get('content-type')).toBe('text/plain');
});

test.each<[string, (client: StowageClient) => unknown]>([
  [
    'a name of metadata that is no header',
    (c) => c.put('b', 'k', 'x', { metadata: { 'a b': '' } }),
  ],
  ['a text as the source of an upload', (c) => c.upload('b', 'k', 'x' as never)],
  ['a concurrency of 0', (c) => c.upload('b', 'k', new Blob([]), { concurrency: 0 })],
  ['no address', (_) => new StowageClient({} as never)],
  ['a number of retries below 0', () => new StowageClient({ baseUrl: 'http://a', retries: -1 })],
])('%s is a TypeError, which nobody takes for a failure of the network', async (_what, call) => {
  const { client } = open();
  await expect((async () => call(client))()).rejects.toMatchObject({ name: 'TypeError' });
});

test('the address may end with the path of the interface', async () => {
  const addresses: string[] = [];
  const fetch = async (address: string) => {
    addresses.push(address);
    return Response.json({ buckets: [] });
  };
  const client = new StowageClient({ baseUrl: 'https://a.example/x/api/v2/storage/', fetch });
  for await (const _ of client.buckets.list()) throw new Error('there is no bucket');
  expect(addresses).toEqual(['https://a.example/x/api/v2/storage/buckets?limit=1000']);
});
