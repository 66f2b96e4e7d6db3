/** Single requests of the client, against the operations of the service on the fakes. */
import { type GetOptions, StowageClient } from '../../client';
import { clientOfFakes } from './client-of-fakes';

test('the client creates, reads, lists and deletes buckets', async () => {
  const { client } = clientOfFakes();
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
  const { client } = clientOfFakes();
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
  const { client, sent, fail } = clientOfFakes();
  await client.buckets.create('photos');
  fail(2);
  expect(await client.put('photos', 'a', 'hello')).toMatchObject({ version: 1 });
  const puts = sent.filter(({ method }) => method === 'PUT');
  expect(puts).toHaveLength(3);
  expect(new Set(puts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await client.describe('photos', 'a')).toMatchObject({ version: 1 });
});

test('a commit and a deletion whose responses were lost take effect once', async () => {
  const { client, fail } = clientOfFakes();
  await client.buckets.create('photos');
  fail(1);
  const commit = await client.commit('photos', [{ op: 'put', key: 'a', content: 'x' }]);
  expect(commit).toMatchObject({ from: 1, to: 1 });
  fail(1);
  expect(await client.delete('photos', 'a')).toMatchObject({ version: 2 });
});

test('content headers and a range are sent as the interface names them', async () => {
  const { client } = clientOfFakes();
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
  ['a key that leads to another resource', (c) => c.delete('b', 'a/../../../buckets/films')],
  ['half a surrogate pair in a prefix', (c) => c.list('b', { prefix: '\ud800' })],
  ['no address', (_) => new StowageClient({} as never)],
  ['a number of retries below 0', () => new StowageClient({ baseUrl: 'https://a', retries: -1 })],
])('%s throws a TypeError before a request is sent', async (_what, call) => {
  const { client, sent } = clientOfFakes();
  await expect((async () => call(client))()).rejects.toMatchObject({ name: 'TypeError' });
  expect(sent).toEqual([]);
});

test('content is read on conditions: 304 has no content, another etag gets all of it', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('photos');
  const { etag, updated_at: updatedAt } = await client.put('photos', 'a', 'hello');
  const read = async (options: GetOptions) => {
    const response = await client.get('photos', 'a', options);
    return [response.status, await response.text()];
  };
  const range = { from: 1, to: 1 };
  expect(await read({ ifNoneMatch: etag })).toEqual([304, '']);
  expect(await read({ ifModifiedSince: new Date(Date.parse(updatedAt) + 1000) })).toEqual([
    304,
    '',
  ]);
  expect(await read({ ifNoneMatch: 'other' })).toEqual([200, 'hello']);
  expect(await read({ range, ifRange: etag })).toEqual([206, 'e']);
  expect(await read({ range, ifRange: 'other' })).toEqual([200, 'hello']);
});

test('copies, moves and patches take conditions, an idempotency key, and a signal', async () => {
  const { client, sent } = clientOfFakes();
  await client.buckets.create('photos');
  const { etag } = await client.put('photos', 'a', 'hello');
  await client.copy('photos', 'b', { key: 'a' }, { idempotencyKey: 'k1', ifNoneMatch: '*' });
  await client.move('photos', 'c', 'b', { idempotencyKey: 'k2' });
  await client.patch('photos', 'a', { ifMatch: `"${etag}"`, metadata: { n: '1' } });
  const signal = AbortSignal.abort(new Error('no more'));
  await expect(client.patch('photos', 'a', { signal })).rejects.toThrow('no more');
  const commits = sent.filter(({ path }) => path === '/commits');
  expect(commits.map(({ idempotencyKey }) => idempotencyKey).slice(0, 2)).toEqual(['k1', 'k2']);
  expect(await client.describe('photos', 'a')).toMatchObject({ version: 2, metadata: { n: '1' } });
});

test('signed uploads take conditions and a checksum', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('photos');
  const url = await client.signedUrl('photos', 'a', {
    ...{ method: 'PUT', contentLength: 5, ifNoneMatch: '*' },
    checksumSha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  });
  expect(url).toMatchObject({ method: 'PUT', upload_id: expect.any(String) });
  await expect(
    client.signedUrl('photos', 'a', { method: 'GET', ifMatch: 'x' }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a ticket is the address of a channel for a bucket and a prefix', async () => {
  const { client } = clientOfFakes();
  await client.buckets.create('photos');
  const { origin, searchParams } = new URL(await client.ticket('photos', { prefix: '2026/' }));
  expect([origin, searchParams.get('prefix')]).toEqual(['wss://files.example', '2026/']);
});
