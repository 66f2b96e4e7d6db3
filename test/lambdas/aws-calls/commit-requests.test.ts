/** The AWS calls of commits and of deletions by prefix are those of scripts/cost/calls.ts. */

import { callsOf } from '../../../scripts/cost/calls';
import { createApi } from '../../../service/storage-api';
import { FakeClock } from '../../support/fakes/clock';
import { send, type TestRequest } from '../../support/requests';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];
let keys = 0;

beforeAll(async () => {
  service = await startService();
  const app = createApi(service.open());
  await send(app, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(app, { method: 'PUT', path: '/objects/photos/a', body: 'x' });
});
afterAll(() => service.stop());

/** An instance that has cached the bucket's id and the secret, and holds token leases. */
async function warm() {
  const app = createApi(
    service.open({
      // The clock stands still, so that leases do not expire on a slow machine.
      clock: new FakeClock(),
      watch: (call, when) => {
        if (when === 'before') calls.push(call);
      },
    }),
  );
  const keyId = `counted-${++keys}`;
  const ask = (request: TestRequest) => send(app, { keyId, ...request });
  await ask({ path: '/objects/photos' });
  for (let n = 0; n < 2; n++) {
    await ask({ method: 'PUT', path: '/objects/photos/a', permissions: [] });
  }
  return ask;
}

async function cost(
  ask: Awaited<ReturnType<typeof warm>>,
  request: TestRequest,
  status: number,
): Promise<Record<string, number>> {
  calls = [];
  const response = await ask(request);
  if (response.status !== status) throw new Error(response.body.toString());
  expect([response.status, response.body.toString()]).toEqual([status, expect.any(String)]);
  const counts: Record<string, number> = {};
  for (const name of calls) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

test('a commit of 32 deletions makes the documented AWS calls, fewer than 8 single ones', async () => {
  const ask = await warm();
  const keys = Array.from({ length: 32 }, (_, n) => `several/${n}`);
  for (const key of keys) await ask({ method: 'PUT', path: `/objects/photos/${key}`, body: 'x' });
  const changes = keys.map((key) => ({ op: 'delete', key }));
  const body = JSON.stringify({ bucket: 'photos', changes });
  const made = await cost(ask, { method: 'POST', path: '/commits', body }, 201);
  // Its other 31 tokens, if this instance has no lease of as many.
  const { UpdateItem, ...others } = made;
  const { UpdateItem: allocation, ...expected } = callsOf('deleteSeveral');
  expect(others).toEqual(expected);
  expect(Number(UpdateItem) - Number(allocation)).toBeLessThanOrEqual(1);
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  expect(sum(made)).toBeLessThan(8 * sum(callsOf('delete')));
});

test('a copy moves no bytes through the function, and makes the documented AWS calls', async () => {
  const ask = await warm();
  const change = { op: 'copy', key: 'new', from: { key: 'a' } };
  const body = JSON.stringify({ bucket: 'photos', changes: [change] });
  const made = await cost(ask, { method: 'POST', path: '/commits', body }, 201);
  expect(made).toEqual(callsOf('copy'));
  expect(made).not.toHaveProperty('GetObject');
  expect(made).not.toHaveProperty('PutObject');
});

test('the deletion of a prefix makes two AWS calls for each 32 objects', async () => {
  const ask = await warm();
  const keys = Array.from({ length: 40 }, (_, n) => `below/${n}`);
  for (const key of keys) await ask({ method: 'PUT', path: `/objects/photos/${key}`, body: 'x' });
  const request = { method: 'DELETE', path: '/objects/photos', query: { prefix: 'below/' } };
  const { UpdateItem, ...others } = await cost(ask, request, 200);
  expect(others).toEqual({ GetItem: 1, Query: 1, TransactWriteItems: 2 });
  // Two allocations, and at most as many leases of tokens.
  expect(Number(UpdateItem)).toBeLessThanOrEqual(4);
});
