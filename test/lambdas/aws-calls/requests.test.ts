/**
 * The AWS calls of each request, counted on the real adapters, are those of scripts/cost/calls.ts
 * and of the comments of the operations.
 */

import { randomUUID } from 'node:crypto';
import { publishChanges } from '../../../core/log/publish';
import { applyLifecycle } from '../../../core/maintenance/apply-lifecycle';
import { expireObjects } from '../../../core/maintenance/expire-objects';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { settleUploads } from '../../../core/maintenance/settle-uploads';
import { NEVER_STOP } from '../../../core/stop-signal';
import { ingestBlob } from '../../../core/uploads/uploads';
import { callsOf } from '../../../scripts/cost/calls';
import { createApi } from '../../../service/storage-api';
import { FakeClock } from '../../support/fakes/clock';
import { send, type TestRequest } from '../../support/requests';
import { newKey } from '../../support/samples';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const open = () =>
  service.open({
    // The clock stands still, so that leases do not expire on a slow machine.
    clock: new FakeClock(),
    watch: (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });

let keys = 0;

/** An instance that has cached the bucket's id and holds token leases of an API key of its own. */
async function warm() {
  const deps = open();
  const app = createApi(deps);
  const keyId = `key-${++keys}`;
  const ask = (request: TestRequest) => send(app, { keyId, ...request });
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await ask({ method: 'PUT', path: '/objects/photos/a', body: 'one' });
  await ask({ path: '/objects/photos' });
  // As fanout does within a second.
  await publishChanges(deps, 'photos');
  // The second request of a class leases four tokens.
  for (const request of [{ path: '/objects/photos' }, { path: '/sync' }, { path: '/sync' }]) {
    await ask({ ...request, permissions: [] });
  }
  for (let n = 0; n < 2; n++) {
    await ask({ method: 'POST', path: '/signed-url', permissions: [] });
  }
  return { deps, app, ask };
}

type Ask = Awaited<ReturnType<typeof warm>>['ask'];

async function cost(ask: Ask, request: TestRequest, status: number) {
  calls = [];
  const response = await ask(request);
  expect([response.status, response.body.toString()]).toEqual([status, expect.anything()]);
  return counted(calls);
}

/** `{ GetItem: 2, … }` */
function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

// Removes what a test created, so that the next one can create it.
afterEach(async () => {
  const app = createApi(open());
  for (const path of ['/objects/photos/new', '/buckets/other']) {
    await send(app, { method: 'DELETE', path });
  }
});

const COSTS: [string, TestRequest, number, Readonly<Record<string, number>>][] = [
  ['PUT', { method: 'PUT', path: '/objects/photos/a', body: 'x' }, 200, callsOf('put')],
  [
    'PUT of a new key',
    { method: 'PUT', path: '/objects/photos/new', body: 'x' },
    201,
    callsOf('create'),
  ],
  ['GET', { path: '/objects/photos/a' }, 200, callsOf('get')],
  ['HEAD', { method: 'HEAD', path: '/objects/photos/a' }, 200, callsOf('head')],
  ['a list of objects', { path: '/objects/photos' }, 200, callsOf('list')],
  [
    'a signed GET',
    { method: 'POST', path: '/signed-url', body: '{"bucket":"photos","key":"a","method":"GET"}' },
    201,
    callsOf('signGet'),
  ],
  [
    'a signed PUT',
    { method: 'POST', path: '/signed-url', body: '{"bucket":"photos","key":"b","method":"PUT"}' },
    201,
    callsOf('signPut'),
  ],
];

test.each(COSTS)('%s makes the documented AWS calls', async (_name, request, status, expected) => {
  const { ask } = await warm();
  expect(await cost(ask, request, status)).toEqual(expected);
});

test('an Idempotency-Key adds the documented AWS calls', async () => {
  const { ask } = await warm();
  const headers = () => ({ 'idempotency-key': randomUUID() });
  const put = { method: 'PUT', path: '/objects/photos/a', body: 'x', headers: headers() };
  const { GetItem = 0, ...others } = callsOf('put', 'idempotency');
  expect(await cost(ask, put, 200)).toEqual({ ...others, GetItem });
  const body = '{"bucket":"photos","key":"b","method":"PUT"}';
  const sign = { method: 'POST', path: '/signed-url', body, headers: headers() };
  expect(await cost(ask, sign, 201)).toEqual(callsOf('signPutOnce'));
});

test('DELETE makes the documented AWS calls', async () => {
  const { ask } = await warm();
  await ask({ method: 'PUT', path: '/objects/photos/gone', body: 'x' });
  const request = { method: 'DELETE', path: '/objects/photos/gone' };
  expect(await cost(ask, request, 200)).toEqual(callsOf('delete'));
});

test('the first request of an instance reads the bucket once, and leases tokens', async () => {
  const { deps } = await warm();
  const request = { path: '/objects/photos/a', keyId: 'cold' };
  await send(createApi(deps), request);
  const clock = new FakeClock(deps.clock.now() + 1000);
  const app = createApi({ ...open(), clock });
  const calls = await cost((sent) => send(app, sent), request, 200);
  expect(calls).toEqual({ ...callsOf('get', 'lease'), GetItem: 2 });
});

test('the report of an upload makes the documented AWS calls, and a repeated one a GetItem', async () => {
  const { deps, ask } = await warm();
  await service.putKey(newKey({ id: 'uploader' }));
  const signed = await ask({
    keyId: 'uploader',
    method: 'POST',
    path: '/signed-url',
    body: '{"bucket":"photos","key":"up","method":"PUT"}',
  });
  const { url, headers } = signed.json<{ url: string; headers: Record<string, string> }>();
  expect((await fetch(url, { method: 'PUT', headers, body: 'bytes' })).status).toBe(200);
  const [blob = ''] = service.reported.slice(-1);
  calls = [];
  expect(await ingestBlob(deps, blob)).toBe('committed');
  expect(counted(calls)).toEqual(callsOf('ingest'));
  calls = [];
  expect(await ingestBlob(deps, blob)).toBe('nothing');
  expect(calls).toEqual(['GetItem']);
});

test('the authorizer and the janitor’s task of each minute make the documented AWS calls', async () => {
  const { deps } = await warm();
  calls = [];
  await deps.apiKeys.get('key-1');
  expect(counted(calls)).toEqual(callsOf('authorize'));
  for (const { record } of (await deps.buckets.list({ from: '' }, 100)).items) {
    await publishChanges(deps, record.name, {
      id: record.id,
      fillAllGaps: true,
      upTo: record.cursor,
    });
  }
  const buckets = (await deps.buckets.list({ from: '' }, 100)).items;
  const empty = buckets.filter(({ stats }) => stats.published < stats.oldest);
  calls = [];
  await maintainLogs(deps, NEVER_STOP);
  const { BatchGetItem, ...each } = callsOf('maintain');
  const further = (buckets.length - 1 - empty.length) * (callsOf('quietBucket').GetItem ?? 0);
  // One BatchGetItem reads up to 50 buckets.
  expect(counted(calls)).toEqual({ BatchGetItem, ...each, GetItem: (each.GetItem ?? 0) + further });
});

test('a run that finds no expired upload costs one look at each shard of the index', async () => {
  const deps = open();
  calls = [];
  await settleUploads(deps, NEVER_STOP);
  expect(counted(calls)).toEqual(callsOf('settleNothing'));
});

test('a run that finds no expired object costs its reads, and 1 PutItem once an hour', async () => {
  const { deps } = await warm();
  const run = async () => {
    await expireObjects(deps, NEVER_STOP);
    await applyLifecycle(deps, NEVER_STOP);
  };
  calls = [];
  await run();
  // The daily walk has begun and ended, too, and no run had succeeded: it has read the buckets.
  const { Query = 0, ...each } = callsOf('expireNothing');
  expect(counted(calls)).toEqual({ ...each, Query: Query + 2, BatchGetItem: 1, PutItem: 2 });
  calls = [];
  await run();
  expect(counted(calls)).toEqual(callsOf('expireNothing'));
});
