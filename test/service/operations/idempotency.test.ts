/** Idempotency-Key on every operation that takes it, on the fakes. */
import type { ApiDeps } from '../../../service/operations/deps';
import { createApi } from '../../../service/storage-api';
import { put, setUp } from '../../lambdas/api/world';
import { send, type TestRequest } from '../../support/requests';

const GiB = 1024 ** 3;
const JSON_OF = (value: object) => JSON.stringify({ bucket: 'photos', ...value });
const post = (path: string, value: object): TestRequest => ({
  ...{ method: 'POST', path, body: JSON_OF(value) },
});

async function open() {
  const world = await setUp();
  const { ask } = world;
  await ask(put);
  const consumer = '/buckets/photos/consumers/indexer';
  await ask({ method: 'PUT', path: consumer, body: '{"cursor":0}' });
  const link = await ask(post('/links', { key: 'a' }));
  return { ...world, linkId: link.json<{ id: string }>().id };
}

type World = Awaited<ReturnType<typeof open>>;

/** Changes the cursor of the bucket, which many responses hold. */
const other = { method: 'PUT', path: '/objects/photos/other', body: 'x' };

const OPERATIONS: readonly [string, (world: World) => TestRequest][] = [
  ['a put', () => put],
  ['a delete', () => ({ ...put, method: 'DELETE' })],
  ['a new bucket', () => ({ method: 'POST', path: '/buckets', body: '{"name":"music"}' })],
  [
    'a changed bucket',
    () => ({ method: 'PATCH', path: '/buckets/photos', body: '{"lifecycle":[]}' }),
  ],
  ['a signed GET', () => post('/signed-url', { key: 'a', method: 'GET' })],
  ['a signed PUT', () => post('/signed-url', { key: 'a', method: 'PUT' })],
  [
    'a multipart upload',
    () => post('/signed-url', { key: 'a', method: 'PUT', multipart: { size: 1 } }),
  ],
  [
    'a commit',
    () => post('/commits', { changes: [{ op: 'patch', key: 'a', metadata: { b: 'c' } }] }),
  ],
  [
    'a new consumer',
    () => ({ method: 'PUT', path: '/buckets/photos/consumers/new', body: '{"cursor":1}' }),
  ],
  ['a deleted consumer', () => ({ method: 'DELETE', path: '/buckets/photos/consumers/indexer' })],
  ['a new link', () => post('/links', { key: 'a' })],
  ['a revoked link', ({ linkId }) => ({ method: 'DELETE', path: `/links/${linkId}` })],
];

/** An instance whose first read of the record comes before another call has saved it. */
function blind(deps: ApiDeps) {
  let reads = 0;
  const uploads = Object.assign(Object.create(deps.uploads), {
    getIdempotencyRecord: async (
      ...given: Parameters<ApiDeps['uploads']['getIdempotencyRecord']>
    ) => (reads++ === 0 ? undefined : deps.uploads.getIdempotencyRecord(...given)),
  });
  return createApi({ ...deps, uploads });
}

const shown = ({ status, body, headers }: Awaited<ReturnType<World['ask']>>) => {
  const { ratelimit: _, ...rest } = headers;
  return { status, body: body.toString(), headers: rest };
};

describe.each(OPERATIONS)('the Idempotency-Key of %s', (_what, requestIn) => {
  test('gives a later call, and one that runs beside the first, its response', async () => {
    const world = await open();
    const request = { ...requestIn(world), headers: { 'Idempotency-Key': 'k' } };
    const first = await world.ask(request);
    expect(first.status).toBeLessThan(300);
    const done = () => [
      world.deps.state.links.size,
      world.deps.state.uploads.size,
      world.deps.state.idempotencyRecords.size,
    ];
    const before = done();
    await world.ask(other);
    world.deps.clock.advance(2000);
    const object = async () => {
      const { status, headers } = await world.ask({ path: put.path });
      return [status, headers['x-object-version']];
    };
    const at = await object();
    const beside = await send(blind(world.deps), request);
    expect(shown(beside)).toEqual(shown(first));
    expect(shown(await world.ask(request))).toEqual(shown(first));
    expect([done(), await object()]).toEqual([before, at]);
  });
});

test('a bucket that two calls delete is deleted once, and gives both the same cursor', async () => {
  const { ask, deps } = await setUp();
  const request = {
    ...{ method: 'DELETE', path: '/buckets/photos' },
    headers: { 'Idempotency-Key': 'k' },
  };
  const first = await ask(request);
  expect(first.status).toBe(204);
  expect(shown(await send(blind(deps), request))).toEqual(shown(first));
  expect(shown(await ask(request))).toEqual(shown(first));
});

test('a copy of more than 5 GiB is begun once, whichever call asks for it', async () => {
  const { ask, deps } = await open();
  const { id = '' } = (await deps.buckets.get('photos')) ?? {};
  const record = deps.state.objects.get(id)?.get('a');
  if (record?.state !== 'live') throw new Error('no object');
  deps.state.objects.get(id)?.set('a', { ...record, size: 6 * GiB });
  const changes = [{ op: 'copy', key: 'b', from: { key: 'a' } }];
  const request = { ...post('/commits', { changes }), headers: { 'Idempotency-Key': 'k' } };
  const first = await ask(request);
  expect([first.status, first.json()]).toEqual([
    202,
    { upload_id: expect.any(String), bucket: 'photos', key: 'b', state: 'pending' },
  ]);
  expect(shown(await send(blind(deps), request))).toEqual(shown(first));
  expect(deps.state.uploads.size).toBe(1);
});

test('a call that finds neither its change made nor a response is 503', async () => {
  const { deps } = await open();
  const uploads = Object.assign(Object.create(deps.uploads), { create: async () => 'duplicate' });
  const app = createApi({ ...deps, uploads });
  const request = post('/signed-url', { key: 'a', method: 'PUT' });
  for (const sent of [request, { ...request, headers: { 'Idempotency-Key': 'k' } }]) {
    const response = await send(app, sent);
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
  }
});
