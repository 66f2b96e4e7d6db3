import { deferred } from '../../../src/runtime/deferred';
import { allow } from '../functions';
import { serve } from '../service';
import { changed, sourceArn } from '../stack';
import { send } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const get = (port: number, token: string | undefined, path = '/closed/x') =>
  send(port, `GET ${path}`, token === undefined ? [] : [`Authorization: ${token}`]);

/** BASE with other properties of its authorizer. */
const withAuthorizer = (properties: Record<string, unknown>) => changed('Authorizer', properties);

describe('cached authorizer results', () => {
  test('are used for the same token until they expire', async () => {
    let now = 1_700_000_000_000;
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { now: () => now },
    );
    await get(port, 'Bearer x');
    now += 299_999;
    await get(port, 'Bearer x', '/closed/other');
    expect(invoked.calls('authorizer')).toHaveLength(1);
    await get(port, 'Bearer y');
    expect(invoked.calls('authorizer')).toHaveLength(2);
    now += 1;
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(3);
  });

  test('contain the policy, which is evaluated for each method', async () => {
    const { port, invoked } = await serve({
      api: ok,
      authorizer: () => allow(sourceArn('v1/GET/closed/a')),
    });
    expect((await get(port, 'Bearer x', '/closed/a')).status).toBe(200);
    expect((await get(port, 'Bearer x', '/closed/b')).status).toBe(403);
    expect((await send(port, 'PUT /closed/a', ['Authorization: Bearer x'])).status).toBe(403);
    expect(invoked.calls('authorizer')).toHaveLength(1);
  });

  test('do not include failures', async () => {
    let fail = true;
    const authorizer = () => {
      if (fail) throw new Error('Unauthorized');
      return allow();
    };
    const { port } = await serve({ api: ok, authorizer });
    expect((await get(port, 'Bearer x')).status).toBe(401);
    fail = false;
    expect((await get(port, 'Bearer x')).status).toBe(200);
  });

  test('do not include a result whose invocation was in progress during a flush', async () => {
    const [gate, started] = [deferred<void>(), deferred<void>()];
    const authorizer = async () => {
      started.resolve();
      await gate.value;
      return allow();
    };
    const { api, port, invoked } = await serve({ api: ok, authorizer });
    const first = get(port, 'Bearer x');
    await started.value;
    api.flushAuthorizerCache();
    gate.resolve();
    expect((await first).status).toBe(200);
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
  });

  test('are not saved when the time to live is 0', async () => {
    const resources = withAuthorizer({ AuthorizerResultTtlInSeconds: 0 });
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() }, { resources });
    await get(port, 'Bearer x');
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
    expect((await get(port, undefined)).status).toBe(401);
  });

  test('lose the oldest result when the cache is full', async () => {
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { bounds: { cachedGrants: 2 } },
    );
    for (const token of ['a', 'b', 'c', 'c', 'b', 'a']) await get(port, `Bearer ${token}`);
    expect(invoked.calls('authorizer').map((call) => JSON.parse(call).authorizationToken)).toEqual(
      ['a', 'b', 'c', 'a'].map((token) => `Bearer ${token}`),
    );
  });
});
