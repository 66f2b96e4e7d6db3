/** The AWS calls of links and of temporary keys are those of scripts/cost/calls.ts. */

import { callsOf } from '../../../scripts/cost/calls';
import { createLinks } from '../../../service/links/links';
import { createApi } from '../../../service/storage-api';
import { FakeClock } from '../../support/fakes/clock';
import { send, type TestRequest } from '../../support/requests';
import { newKey } from '../../support/samples';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];

beforeAll(async () => {
  service = await startService();
  const app = createApi(service.open());
  await send(app, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(app, { method: 'PUT', path: '/objects/photos/a', body: 'x' });
});
afterAll(() => service.stop());

type Ask = (request: TestRequest) => ReturnType<typeof send>;

/** An instance that has cached the bucket's id, and asks with a key that exists. */
async function warm(keyId: string) {
  const deps = service.open({
    // The clock stands still, so that leases do not expire on a slow machine.
    clock: new FakeClock(),
    watch: (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });
  await service.putKey(newKey({ id: keyId }));
  const app = createApi(deps);
  const ask: Ask = (request) => send(app, { keyId, ...request });
  await ask({ path: '/objects/photos' });
  return { deps, ask };
}

async function cost(ask: Ask, request: TestRequest, status: number) {
  calls = [];
  const response = await ask(request);
  expect([response.status, response.body.toString()]).toEqual([status, expect.anything()]);
  const counts: Record<string, number> = {};
  for (const name of calls) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

test('making, listing, opening and revoking a link make the documented AWS calls', async () => {
  const { deps, ask } = await warm('sharer');
  // The instance has read the secret, and leased tokens, for the first ones.
  const body = '{"bucket":"photos","key":"a"}';
  for (const request of [{ path: '/objects/photos' }, { path: '/links', permissions: [] }]) {
    await ask({ ...request, query: { bucket: 'photos' } });
  }
  for (let n = 0; n < 2; n++) await ask({ method: 'POST', path: '/links', permissions: [] });
  const create = { method: 'POST', path: '/links', body };
  expect(await cost(ask, create, 201)).toEqual(callsOf('createLink'));
  const { id, url } = (await ask(create)).json<{ id: string; url: string }>();
  const list = { path: '/links', query: { bucket: 'photos' } };
  expect(await cost(ask, list, 200)).toEqual({ GetItem: 1, Query: 1 });

  const links = createLinks({ ...deps, contentOrigin: 'https://content.example' });
  const { pathname, searchParams } = new URL(url);
  const open = (more: Record<string, string>) => () => {
    const query = { ...Object.fromEntries(searchParams), ...more };
    return send((event) => links({ ...event, path: pathname }), { path: '', query });
  };
  expect(await cost(open({}), { path: '' }, 200)).toEqual({ GetItem: 3 });
  expect(await cost(open({ download: '' }), { path: '' }, 307)).toEqual(callsOf('openLink'));
  const revoke = { method: 'DELETE', path: `/links/${id}` };
  expect(await cost(ask, revoke, 204)).toEqual({ DeleteItem: 1, GetItem: 1 });
});

test('making a temporary key makes the documented AWS calls, and stores nothing', async () => {
  const { ask } = await warm('maker');
  const body = '{"permissions":[{"buckets":["photos"],"actions":["read"]}]}';
  const create = { method: 'POST', path: '/tokens', body };
  // The instance reads the secret, and leases tokens, for the first ones.
  for (let n = 0; n < 3; n++) await ask(create);
  expect(await cost(ask, create, 201)).toEqual(callsOf('createToken'));
});
