/** The AWS calls of requests about consumers are those of the comments of the operations. */
import { publishChanges } from '../../../core/log/publish';
import { createApi } from '../../../service/storage-api';
import { FakeClock } from '../../support/fakes/clock';
import { send, type TestRequest } from '../../support/requests';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];

beforeAll(async () => {
  service = await startService();
  const deps = service.open();
  const app = createApi(deps);
  await send(app, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(app, { method: 'PUT', path: '/objects/photos/a', body: 'x' });
  await publishChanges(deps, 'photos');
});
afterAll(() => service.stop());

/** An instance that has cached the secret, and holds token leases. */
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
  const ask = (request: TestRequest) => send(app, { keyId: 'counted', ...request });
  await ask({ path: '/objects/photos' });
  // The second request of a class leases four tokens.
  for (const method of ['GET', 'GET', 'PUT', 'PUT']) {
    await ask({ method, path: '/objects/photos/a', permissions: [] });
  }
  await ask({ path: '/objects/photos', permissions: [] });
  return ask;
}

async function cost(
  ask: Awaited<ReturnType<typeof warm>>,
  request: TestRequest,
  status: number,
): Promise<Record<string, number>> {
  calls = [];
  const response = await ask(request);
  expect([response.status, response.body.toString()]).toEqual([status, expect.any(String)]);
  const counts: Record<string, number> = {};
  for (const name of calls) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

test('storing, reading, listing and deleting a consumer make the documented AWS calls', async () => {
  const ask = await warm();
  const path = '/buckets/photos/consumers/indexer';
  const put = (cursor: number, headers = {}) => ({
    ...{ method: 'PUT', path, headers, body: JSON.stringify({ cursor }) },
  });
  expect(await cost(ask, put(0), 201)).toEqual({ GetItem: 3, TransactWriteItems: 1 });
  expect(await cost(ask, { path }, 200)).toEqual({ GetItem: 4 });
  const list = { path: '/buckets/photos/consumers' };
  expect(await cost(ask, list, 200)).toEqual({ GetItem: 3, Query: 1 });
  expect(await cost(ask, put(1), 200)).toEqual({ GetItem: 3, PutItem: 1 });
  expect(await cost(ask, { path }, 200)).toEqual({ GetItem: 3 });
  const retried = put(1, { 'Idempotency-Key': 'consumer' });
  expect(await cost(ask, retried, 200)).toEqual({ GetItem: 4, TransactWriteItems: 1 });
  // Leases the next four tokens.
  await ask({ method: 'POST', path: '/buckets', permissions: [] });
  const remove = { method: 'DELETE', path };
  expect(await cost(ask, remove, 204)).toEqual({ GetItem: 2, TransactWriteItems: 1 });
});
