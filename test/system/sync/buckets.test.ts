/** `stowage sync` between buckets. */
import { randomBytes } from 'node:crypto';
import { useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();

test('sync copies on the server with type and metadata, and repeats nothing', async () => {
  const w = world();
  const { client, bucket } = w;
  const options = { contentType: 'text/plain', metadata: { a: 'b' } };
  await client.put(bucket, 'from/a', 'x', options);
  await client.upload(bucket, 'from/large', randomBytes(9 * 1024 ** 2));
  await client.put(bucket, 'to/old', 'x');
  const requests: string[] = [];
  const counting = w.clientOf((url, init, send) => {
    requests.push(`${init.method ?? 'GET'} ${url.pathname.replace('/api/v2/storage/', '')}`);
    return send(url.href, init);
  });
  const from = `${bucket}:from`;
  const to = `${bucket}:to`;
  const first = await w.runHere(counting, from, to, { delete: true });
  expect(first.did).toEqual({ a: 'copied', large: 'copied', old: 'deleted' });
  expect(new Set(requests)).toEqual(
    new Set([`GET objects/${bucket}`, 'POST commits', `DELETE objects/${bucket}/to/old`]),
  );
  expect(await client.describe(bucket, 'to/a')).toMatchObject({
    content_type: 'text/plain',
    metadata: { a: 'b' },
  });
  expect((await w.runHere(client, from, to, { delete: true })).did).toEqual({});
  await client.patch(bucket, 'from/a', { metadata: { a: 'c' } });
  expect((await w.runHere(client, from, to)).did).toEqual({ a: 'copied' });
});

test('places that overlap are refused', async () => {
  const w = world();
  const { bucket } = w;
  expect(await w.run(`${bucket}:`, `${bucket}:a`)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('overlap'),
  });
});
