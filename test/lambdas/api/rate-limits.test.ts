/** The responses below and above the rate limits, on the fakes. */

import { BucketIds } from '../../../core/buckets/bucket-ids';
import { DEFAULT_RATES, type RateTiers } from '../../../core/limits';
import { createChannel } from '../../../lambdas/channel/app';
import { createRevocation } from '../../../lambdas/revocation/app';
import { createChanges } from '../../../service/changes-api';
import { createDownload } from '../../../service/download-api';
import { createApi } from '../../../service/storage-api';
import { openChannelWorld } from '../../support/channel-world';
import { createFakes } from '../../support/fakes/fakes';
import { send, type TestRequest } from '../../support/requests';

async function setUp(rateTiers: RateTiers = { default: DEFAULT_RATES }) {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    rateTiers,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream' as const,
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://sync.example/sync' },
  };
  const app = createApi(deps);
  const ask = (request: TestRequest) => send(app, request);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}', keyId: 'owner' });
  await ask({ method: 'PUT', path: '/objects/photos/a', body: 'x', keyId: 'owner' });
  return { deps, ask };
}

const OBJECT = '/objects/photos/a';

test.each<[string, string, TestRequest, number]>([
  ['GET of an object', 'read', { path: OBJECT }, 200],
  ['HEAD of an object', 'read', { method: 'HEAD', path: OBJECT }, 200],
  ['a part', 'read', { path: OBJECT, headers: { Range: 'bytes=0-0' } }, 206],
  ['a GET that is not modified', 'read', { path: OBJECT, headers: { 'If-None-Match': '*' } }, 304],
  ['a bucket', 'read', { path: '/buckets/photos' }, 200],
  ['an upload', 'read', { path: '/uploads/x' }, 404],
  ['a page of changes', 'read', { path: '/sync', query: { bucket: 'photos' } }, 200],
  ['an unknown path', 'read', { path: '/nope' }, 404],
  ['a forbidden request', 'read', { path: OBJECT, permissions: [] }, 403],
  ['PUT', 'write', { method: 'PUT', path: OBJECT, body: 'y' }, 200],
  ['a malformed body', 'write', { method: 'POST', path: '/buckets', body: '{' }, 400],
  ['DELETE', 'write', { method: 'DELETE', path: OBJECT }, 200],
  ['an unknown method', 'write', { method: 'PATCH', path: OBJECT }, 405],
  ['a list of objects', 'list', { path: '/objects/photos' }, 200],
  ['a list of buckets', 'list', { path: '/buckets' }, 200],
  ['a signed URL', 'sign', { method: 'POST', path: '/signed-url', body: '{}' }, 400],
])(
  '%s counts as %s, and its response has the headers of that limit',
  async (_what, name, request, status) => {
    const { ask } = await setUp();
    const { rate, burst } = DEFAULT_RATES[name as 'read'];
    const response = await ask(request);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'ratelimit-policy': `"${name}";q=${burst};w=${Math.ceil(burst / rate)}`,
      ratelimit: `"${name}";r=${burst - 1};t=1`,
    });
  },
);

test('a request above the limit gets 429 with Retry-After before anything is read or written', async () => {
  const rateTiers = { default: { ...DEFAULT_RATES, write: { rate: 0.1, burst: 2 } } };
  const { deps, ask } = await setUp(rateTiers);
  const put = { method: 'PUT', path: OBJECT, body: 'z' };
  expect((await ask(put)).status).toBe(200);
  expect((await ask(put)).status).toBe(200);
  const get = jest.spyOn(deps.buckets, 'get');
  const response = await ask({ ...put, permissions: [] });
  expect(response.status).toBe(429);
  expect(response.headers).toMatchObject({
    'retry-after': '10',
    'ratelimit-policy': '"write";q=2;w=20',
    ratelimit: '"write";r=0;t=10',
    'content-type': 'application/json',
  });
  expect(response.json()).toEqual({
    error: {
      code: 'rate_limited',
      message: expect.any(String),
      request_id: 'request-1',
      details: { class: 'write', retry_after: 10 },
    },
  });
  expect(get).not.toHaveBeenCalled();
  expect((await ask({ path: OBJECT })).headers['x-object-version']).toBe('3');
  expect((await ask({ ...put, keyId: 'another' })).status).toBe(200);

  deps.clock.advance(9_999);
  expect((await ask(put)).status).toBe(429);
  deps.clock.advance(1);
  expect((await ask(put)).status).toBe(200);
});

test('HEAD above the limit returns 429 without a body', async () => {
  const rateTiers = { default: { ...DEFAULT_RATES, read: { rate: 1, burst: 1 } } };
  const { ask } = await setUp(rateTiers);
  await ask({ path: OBJECT });
  const response = await ask({ method: 'HEAD', path: OBJECT });
  expect([response.status, response.body.length, response.headers['retry-after']]).toEqual([
    429,
    0,
    '1',
  ]);
});

test('all functions share the token buckets of a key', async () => {
  const rateTiers = { default: { ...DEFAULT_RATES, read: { rate: 1, burst: 2 } } };
  const { deps, ask } = await setUp(rateTiers);
  const download = createDownload(deps);
  expect((await ask({ path: '/buckets/photos' })).status).toBe(200);
  expect((await send(download, { path: OBJECT })).status).toBe(200);
  expect((await send(download, { path: OBJECT })).status).toBe(429);
});

test('waiting requests have a token bucket of their own, which does not limit pages', async () => {
  const wait = { rate: 0.1, burst: 1, concurrent: 5 };
  const { deps } = await setUp({ default: { ...DEFAULT_RATES, wait } });
  const app = createChanges({ ...deps, maxWaiting: 10 });
  const poll = { path: '/sync', query: { bucket: 'photos', cursor: '0', wait: '20' } };
  const admitted = await send(app, poll);
  expect([admitted.status, admitted.headers['ratelimit-policy']]).toEqual([200, '"wait";q=1;w=10']);
  const refused = await send(app, poll);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
  expect(refused.json()).toMatchObject({ error: { details: { class: 'wait' } } });
  const plain: Record<string, string>[] = [{ bucket: 'photos' }, { bucket: 'photos', wait: '0' }];
  for (const query of plain) {
    const page = await send(app, { path: '/sync', query });
    expect([page.status, page.headers['ratelimit-policy']]).toEqual([200, '"read";q=1000;w=1']);
  }
});

test('handshakes above the limit get 429 with Retry-After', async () => {
  const { deps, addKey } = await openChannelWorld();
  const rateTiers = {
    default: { ...DEFAULT_RATES, connect: { rate: 0.5, burst: 1, concurrent: 9 } },
  };
  const sync = createChannel({ ...deps, rateTiers });
  const { text } = addKey();
  const connect = (connectionId: string, key = text) =>
    sync({
      requestContext: { connectionId, requestId: 'r', eventType: 'CONNECT' },
      headers: { Authorization: `Bearer ${key}` },
    });
  expect((await connect('c1')).statusCode).toBe(200);
  const refused = await connect('c2');
  expect([refused.statusCode, refused.headers?.['Retry-After']]).toEqual([429, '2']);
  expect(await deps.subscriptions.get('c2')).toBeUndefined();
  expect((await connect('c3', addKey().text)).statusCode).toBe(200);
  deps.clock.advance(2_000);
  expect((await connect('c2')).statusCode).toBe(200);
});

test('revocation marks a changed key in its rates, but not a new key', async () => {
  const fakes = createFakes();
  const revocation = createRevocation(fakes);
  const record = (id: string, eventName: 'INSERT' | 'MODIFY' | 'REMOVE') => ({
    eventName,
    dynamodb: { Keys: { id: { S: id } }, SequenceNumber: id },
  });
  const Records = [record('new', 'INSERT'), record('changed', 'MODIFY'), record('gone', 'REMOVE')];
  expect(await revocation({ Records })).toEqual({ batchItemFailures: [] });
  const marked = [...fakes.state.rates].map(([id, { changedAt }]) => [id, changedAt]);
  expect(marked).toEqual([
    ['changed', fakes.clock.now()],
    ['gone', fakes.clock.now()],
  ]);

  jest.spyOn(fakes.rates, 'markChanged').mockRejectedValueOnce(new Error('broken'));
  expect(await revocation({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'changed' }],
  });
});
