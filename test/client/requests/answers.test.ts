/** Which responses the client accepts, and how it reads pages. */
import { type StowageClient, StowageError } from '../../../client';
import { ANY, answering } from './answering';

const NO_RECORDS = [null, 'text', 7, []];

/** Each method, a field of its response, and malformed values of the field. */
test.each<[string, (client: StowageClient) => Promise<unknown>, string, readonly unknown[]]>([
  ['buckets.create', (c) => c.buckets.create('a'), 'name', [7]],
  ['buckets.get', (c) => c.buckets.get('a'), 'name', [7]],
  ['buckets.setLifecycle', (c) => c.buckets.setLifecycle('a', []), 'name', [7]],
  ['buckets.list', (c) => c.buckets.list().next(), 'buckets', [{}, [null], [{ name: 7 }]]],
  ['links.create', (c) => c.links.create('a', 'k'), 'url', [7]],
  ['links.list', (c) => c.links.list('a'), 'links', [{}]],
  ['consumers.put', (c) => c.consumers.put('a', 'c', { cursor: 1 }), 'cursor', ['1']],
  ['consumers.get', (c) => c.consumers.get('a', 'c'), 'lag', ['1']],
  ['consumers.list', (c) => c.consumers.list('a'), 'consumers', [{}]],
  ['temporaryKey', (c) => c.temporaryKey([]), 'token', [7]],
  ['restore', (c) => c.restore('a', { asOf: 1 }), 'has_more', ['no']],
  ['versions', (c) => c.versions('a', 'k'), 'versions', [{}]],
  ['put', (c) => c.put('a', 'k', 'x'), 'key', [7]],
  ['put', (c) => c.put('a', 'k', 'x'), 'size', ['1', -1]],
  ['describe', (c) => c.describe('a', 'k'), 'size', ['1', -1]],
  ['delete', (c) => c.delete('a', 'k'), 'cursor', ['1', -1]],
  ['list', (c) => c.list('a'), 'objects', [{}]],
  ['list', (c) => c.list('a'), 'cursor', ['1', -1, 0.5]],
  ['list', (c) => c.list('a'), 'bucket_id', [7]],
  ['signedUrl', (c) => c.signedUrl('a', 'k', { method: 'GET' }), 'url', [7]],
  ['signedUrl', (c) => c.signedUrl('a', 'k', { method: 'GET' }), 'headers', [[], 'none']],
  ['commit', (c) => c.commit('a', []), 'changes', [{}]],
  ['removeAll', (c) => c.removeAll('a', ''), 'deleted', ['1']],
  ['uploadState', (c) => c.uploadState('u'), 'state', [7]],
])('%s rejects a response with a malformed %s', async (_, call, field, values) => {
  const wrong = [
    ...NO_RECORDS,
    ...[undefined, ...values].map((value) => ({ ...ANY, [field]: value })),
  ];
  for (const answer of wrong) {
    const error = await call(answering(answer).client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StowageError);
    expect(error).toMatchObject({ code: 'invalid_answer', status: 0, isTemporary: true });
  }
});

test('commit returns the upload of a large copy', async () => {
  const upload = { upload_id: 'u', state: 'pending' };
  const { client } = answering(upload);
  expect(await client.commit('a', [])).toEqual({ bucket: 'a', changes: [], upload });
  const { client: other } = answering({ upload_id: 7 });
  await expect(other.commit('a', [])).rejects.toMatchObject({ code: 'invalid_answer' });
});

test('buckets.list() requests pages until one names no next page', async () => {
  const name = 'a';
  const first = { buckets: [{ name }], next_page_token: 't' };
  const { client, sent } = answering(first, { buckets: [{ name: 'b' }], next_page_token: 7 });
  const names: string[] = [];
  for await (const bucket of client.buckets.list()) names.push(bucket.name);
  expect(names).toEqual(['a', 'b']);
  expect(sent.map(({ path }) => path)).toEqual([
    'buckets?limit=1000',
    'buckets?limit=1000&page_token=t',
  ]);
});

test('objects() requests each page with the options of the list', async () => {
  const { client, sent } = answering({ ...ANY, next_page_token: 't' }, ANY);
  for await (const _ of client.objects('a', { prefix: 'p/', asOf: 3 }))
    throw new Error('no object');
  expect(sent.map(({ path }) => path)).toEqual([
    'objects/a?prefix=p%2F&limit=1000&as_of=3',
    'objects/a?prefix=p%2F&limit=1000&page_token=t&as_of=3',
  ]);
});

test('removeAll reports the deletions of each page, and returns their sum', async () => {
  const { client, sent } = answering(
    { deleted: 1000, next_page_token: 't' },
    { deleted: 0, next_page_token: 'u' },
    { deleted: 2 },
  );
  const reported: number[] = [];
  const onProgress = (deleted: number) => reported.push(deleted);
  expect(await client.removeAll('a', 'p/', { onProgress })).toBe(1002);
  expect(reported).toEqual([1000, 0, 2]);
  expect(sent.map(({ path }) => path)).toEqual([
    'objects/a?prefix=p%2F',
    'objects/a?prefix=p%2F&page_token=t',
    'objects/a?prefix=p%2F&page_token=u',
  ]);
});
