/** POST /commits on the fakes. */
import { sha256Base64 } from '../../../core/http/digests';
import { newKey } from '../../support/samples';
import { type Body, base64, world } from './commit-world';

test('a commit puts, copies, moves, patches and deletes at consecutive cursors', async () => {
  const { commit, store, read, ask } = await world();
  for (const key of ['source', 'moved', 'patched', 'deleted']) {
    await store(key, key, { 'x-object-meta-a': 'b', 'cache-control': 'no-store' });
  }
  const response = await commit([
    { op: 'put', key: 'new', content: base64('bytes'), content_type: 'text/plain' },
    { op: 'copy', key: 'copy', from: { key: 'source' }, metadata: { c: 'd' } },
    { op: 'move', key: 'there', from: { key: 'moved' } },
    { op: 'patch', key: 'patched', content_type: 'text/css', content_language: 'de' },
    { op: 'delete', key: 'deleted' },
  ]);
  expect(response.status).toBe(201);
  const { from, to, changes } = response.json<{ from: number; to: number; changes: Body[] }>();
  expect([from, to]).toEqual([5, 10]);
  expect(changes.map(({ key, cursor }) => [key, cursor])).toEqual([
    ['new', 5],
    ['copy', 6],
    ['there', 7],
    ['moved', 8],
    ['patched', 9],
    ['deleted', 10],
  ]);
  expect(response.headers['x-object-cursor']).toBe('10');
  expect(changes[1]).toMatchObject({ metadata: { c: 'd' }, version: 1, size: 6 });
  expect(changes[2]).toMatchObject({ metadata: { a: 'b' } });
  expect(changes[4]).toMatchObject({ content_type: 'text/css', version: 2, metadata: { a: 'b' } });
  expect(await read('/objects/photos/new')).toBe('bytes');
  expect(await read('/objects/photos/copy')).toBe('source');
  expect(await read('/objects/photos/there')).toBe('moved');
  expect(await read('/objects/photos/moved')).toBe(404);
  expect(await read('/objects/photos/deleted')).toBe(404);
  expect((await ask({ path: '/objects/photos/patched' })).headers).toMatchObject({
    'content-language': 'de',
    'cache-control': 'no-store',
  });
});

test.each<[string, unknown, number, Body]>([
  [
    'a condition that does not hold',
    { op: 'put', key: 'a', content: '', if_none_match: '*' },
    412,
    { header: 'If-None-Match' },
  ],
  [
    'a source that is missing',
    { op: 'copy', key: 'x', from: { key: 'none' } },
    404,
    { key: 'none' },
  ],
  [
    'a version that is missing',
    { op: 'copy', key: 'x', from: { key: 'a', version: 9 } },
    404,
    { newest: 1 },
  ],
  ['a deletion of nothing', { op: 'delete', key: 'none' }, 404, { key: 'none' }],
  ['a patch of nothing', { op: 'patch', key: 'none', metadata: {} }, 404, { key: 'none' }],
])('a commit with %s changes nothing, and names the change', async (_, change, status, details) => {
  const { commit, store, read, blobs } = await world();
  await store('a');
  const move = { op: 'move', key: 'b', from: { key: 'a' } };
  const first = [{ op: 'put', key: 'new', content: base64('bytes') }];
  const changes = JSON.stringify(change).includes('"key":"a"')
    ? [...first, change]
    : [...first, move, change];
  const response = await commit(changes);
  expect(response.status).toBe(status);
  const index = changes.length - 1;
  const { error } = response.json<{ error: { message: string; details: Body } }>();
  expect(error.message).toMatch(new RegExp(`^changes\\[${index}\\]: `));
  expect(error.details).toMatchObject({ ...details, index });
  expect(await read('/objects/photos/new')).toBe(404);
  expect(await read('/objects/photos/a')).toBe('a');
  expect(blobs()).toBe(1);
});

test.each(['copy', 'move'])(
  'a %s of an object whose bytes are missing is 404 and is reported',
  async (op) => {
    const { commit, store, read, deps } = await world();
    await store('a');
    await store('b');
    const { id } = (await deps.buckets.get('photos')) ?? { id: '' };
    const record = await deps.objects.get(id, 'b');
    const blob = record?.state === 'live' ? record.blob : '';
    deps.state.blobs.delete(blob);
    const changes = [
      { op: 'copy', key: 'c', from: { key: 'a' } },
      { op, key: 'd', from: { key: 'b' } },
    ];
    const response = await commit(changes);
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({
      error: { code: 'not_found', details: { index: 1, key: 'b' } },
    });
    expect(await read('/objects/photos/c')).toBe(404);
    expect(deps.log.lines).toMatchObject([
      { level: 'error', event: 'blob_missing', fields: { blob } },
    ]);
  },
);

test('a commit with if_cursor succeeds while the bucket is at that cursor', async () => {
  const { commit, store, blobs } = await world();
  await store('a');
  const change = { op: 'put', key: 'b', content: '' };
  expect((await commit([change], { if_cursor: 1 })).status).toBe(201);
  const refused = await commit([change, { op: 'delete', key: 'a' }], { if_cursor: 1 });
  expect(refused.status).toBe(412);
  expect(refused.json()).toMatchObject({ error: { details: { cursor: 2 } } });
  expect(blobs()).toBe(2);
});

test.each<[string, unknown[], Body]>([
  ['no change', [], { field: 'changes' }],
  [
    '17 moves',
    Array.from({ length: 17 }, (_, n) => ({ op: 'move', key: `b${n}`, from: { key: `a${n}` } })),
    { field: 'changes' },
  ],
  ['an unknown operation', [{ op: 'rename', key: 'a' }], { field: 'changes[0].op' }],
  [
    'an unknown field',
    [{ op: 'delete', key: 'a', metadata: {} }],
    { field: 'changes[0].metadata' },
  ],
  [
    'an unknown field of a source',
    [{ op: 'move', key: 'a', from: { key: 'b', version: 1 } }],
    { field: 'changes[0].from.version' },
  ],
  [
    'a key that is changed twice',
    [
      { op: 'delete', key: 'a' },
      { op: 'move', key: 'b', from: { key: 'a' } },
    ],
    { field: 'changes[1].from.key' },
  ],
  ['a key that is no key', [{ op: 'delete', key: 'a/../b' }], { field: 'changes[0].key' }],
  [
    'bytes that are not base64',
    [{ op: 'put', key: 'a', content: '=' }],
    { field: 'changes[0].content' },
  ],
  ['a patch of nothing', [{ op: 'patch', key: 'a' }], { field: 'changes[0].op' }],
])('a commit with %s is refused with 400', async (_, changes, details) => {
  const { commit } = await world();
  const response = await commit(changes);
  expect(response.status).toBe(400);
  expect(response.json()).toMatchObject({ error: { details } });
});

test('a commit holds 256 KiB of contents and no more', async () => {
  const { commit } = await world();
  const half = 'x'.repeat(128 * 1024);
  const changes = ['a', 'b'].map((key) => ({ op: 'put', key, content: base64(half) }));
  expect((await commit(changes)).status).toBe(201);
  const more = { op: 'put', key: 'c', content: base64('x') };
  expect((await commit([...changes, more])).status).toBe(413);
});

test('a commit whose changes do not fit into one message is refused', async () => {
  const { commit, blobs } = await world();
  const metadata = { a: 'x'.repeat(2000) };
  const changes = Array.from({ length: 20 }, (_, n) => {
    return { op: 'put', key: `k${n}`, content: '', metadata };
  });
  const response = await commit(changes);
  expect(response.status).toBe(413);
  expect(response.json()).toMatchObject({ error: { details: { limit: 24 * 1024 } } });
  expect(blobs()).toBe(0);
});

test('an object that is replaced while it is moved is copied again', async () => {
  const { commit, store, read, deps, blobs } = await world();
  await store('a', 'old');
  const { copy } = deps.blobs;
  let isFirst = true;
  deps.blobs.copy = async (...parameters) => {
    if (isFirst) await store('a', 'new');
    isFirst = false;
    return copy.apply(deps.blobs, parameters);
  };
  expect((await commit([{ op: 'move', key: 'b', from: { key: 'a' } }])).status).toBe(201);
  expect(await read('/objects/photos/b')).toBe('new');
  expect(await read('/objects/photos/a')).toBe(404);
  // Both versions of the source, and one copy.
  expect(blobs()).toBe(3);
});

test('a version that is older than the object can be copied over it', async () => {
  const { commit, store, read } = await world();
  await store('a', 'one');
  await store('a', 'two');
  const response = await commit([{ op: 'copy', key: 'a', from: { key: 'a', version: 1 } }]);
  expect(response.status).toBe(201);
  expect(await read('/objects/photos/a')).toBe('one');
});

test('an object of another bucket can be copied', async () => {
  const { commit, ask, read } = await world();
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"other"}' });
  await ask({ method: 'PUT', path: '/objects/other/a', body: 'theirs' });
  const response = await commit([{ op: 'copy', key: 'a', from: { bucket: 'other', key: 'a' } }]);
  expect(response.status).toBe(201);
  expect(await read('/objects/photos/a')).toBe('theirs');
});

test('a deletion with if_exists of a missing object is left out of the commit', async () => {
  const { commit, store } = await world();
  await store('a');
  const remove = (key: string) => ({ op: 'delete', key, if_exists: true });
  const response = await commit([remove('none'), remove('a')]);
  expect(response.json<{ changes: Body[] }>().changes.map(({ key }) => key)).toEqual(['a']);
  const nothing = await commit([remove('none'), remove('a')]);
  expect([nothing.status, nothing.json()]).toEqual([201, { bucket: 'photos', changes: [] }]);
});

test('a retry with the same Idempotency-Key gets the first response', async () => {
  const { ask, deps } = await world();
  const changes = [
    { op: 'put', key: 'a', content: '' },
    { op: 'put', key: 'b', content: '' },
  ];
  const request = {
    ...{ method: 'POST', path: '/commits', headers: { 'Idempotency-Key': 'k' } },
    body: JSON.stringify({ bucket: 'photos', changes }),
  };
  const first = await ask(request);
  const retry = await ask(request);
  expect(retry.json()).toEqual(first.json());
  expect((await deps.buckets.get('photos'))?.cursor).toBe(2);
});

test('a commit makes a staged upload an object, once', async () => {
  const { commit, ask, read, deps } = await world();
  const wanted = { bucket: 'photos', key: 'up', method: 'PUT', commit: false };
  const signed = await ask({ method: 'POST', path: '/signed-url', body: JSON.stringify(wanted) });
  const { upload_id: uploadId } = signed.json<{ upload_id: string }>();
  const upload = await deps.uploads.get(uploadId);
  if (!upload) throw new Error('no upload');
  const bytes = Buffer.from('staged');
  const properties = { contentType: 'text/plain', headers: {}, metadata: { a: 'b' } };
  const checksumSha256 = sha256Base64(bytes);
  const { etag } = await deps.blobs.put(upload.blob, bytes, { ...properties, checksumSha256 });
  const content = { size: bytes.length, etag, ...properties, checksumSha256 };
  const later = new Date(deps.clock.now() + 1000).toISOString();
  const change = { op: 'put', key: 'up', upload_id: uploadId };
  expect((await commit([change])).status).toBe(404);
  await deps.uploads.stage(uploadId, content, later);
  expect((await commit([{ ...change, key: 'other' }])).status).toBe(404);
  const signer = newKey({ id: 'key-1' });
  deps.state.apiKeys.set('key-1', { ...signer, revokedAt: deps.clock.iso() });
  expect((await commit([change])).status).toBe(404);
  deps.state.apiKeys.set('key-1', signer);
  const first = await commit([change, { op: 'put', key: 'b', content: '' }]);
  expect(first.json()).toMatchObject({ changes: [{ key: 'up', etag, metadata: { a: 'b' } }, {}] });
  expect(await read('/objects/photos/up')).toBe('staged');
  expect((await commit([change])).status).toBe(404);
});

test('if_cursor holds or fails although nothing is left to delete', async () => {
  const { commit, store } = await world();
  await store('a');
  const nothing = [{ op: 'delete', key: 'gone', if_exists: true }];
  expect((await commit(nothing, { if_cursor: 1 })).status).toBe(201);
  await store('a');
  const refused = await commit(nothing, { if_cursor: 1 });
  expect(refused.status).toBe(412);
  expect(refused.json()).toMatchObject({ error: { details: { cursor: 2 } } });
});

test('a patch that lost a race is measured again for the object that it finds', async () => {
  const { commit, store, deps } = await world();
  await store('a');
  const { commits } = deps;
  const [first] = [commits.commit.bind(commits)];
  let raced = false;
  commits.commit = async (one) => {
    if (!raced) {
      raced = true;
      await store('a', 'new', { 'x-object-meta-b': 'x'.repeat(1_000) });
    }
    return first(one);
  };
  const patched = await commit([{ op: 'patch', key: 'a', content_type: 'text/css' }]);
  expect(patched.json()).toMatchObject({
    changes: [{ version: 3, content_type: 'text/css', metadata: { b: 'x'.repeat(1_000) } }],
  });
});
