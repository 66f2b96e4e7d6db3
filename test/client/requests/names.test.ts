/** Names and keys that would lead to another resource. */
import type { StowageClient } from '../../../client';
import { ANY, answering } from './answering';

const NAMES = [7, null, undefined, {}, '', '.', '..', '\ud800'];

test.each<[string, (client: StowageClient, name: never) => Promise<unknown>]>([
  ['a bucket of objects', (c, name) => c.get(name, 'k')],
  ['a bucket', (c, name) => c.buckets.get(name)],
  ['a bucket of consumers', (c, name) => c.consumers.list(name)],
  ['a consumer', (c, name) => c.consumers.get('a', name)],
  ['a link', (c, name) => c.links.revoke(name)],
  ['an upload', (c, name) => c.uploadState(name)],
  ['a key', (c, name) => c.get('a', name)],
])('the name of %s is a TypeError when it would lead elsewhere', async (_, call) => {
  const { client, sent } = answering(ANY);
  for (const name of NAMES) {
    const error = await (async () => call(client, name as never))().catch((each: unknown) => each);
    expect(error).toMatchObject({ name: 'TypeError' });
  }
  expect(sent).toEqual([]);
});

test('the error of a key that is not well-formed Unicode has a cause', async () => {
  const { client } = answering(ANY);
  await expect((async () => client.get('a', '\udc00'))()).rejects.toMatchObject({
    cause: expect.objectContaining({ name: 'URIError' }),
  });
});

test.each([
  ['.hidden/..a/b.', 'objects/a/.hidden/..a/b.'],
  ['/a//b/', 'objects/a//a//b/'],
  ['ä ?#%+', 'objects/a/%C3%A4%20%3F%23%25%2B'],
])('the key %s is sent as the path %s', async (key, path) => {
  const { client, sent } = answering(ANY);
  await client.get('a', key);
  expect(sent[0]?.path).toBe(path);
});
