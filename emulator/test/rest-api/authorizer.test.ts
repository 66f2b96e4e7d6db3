import { LambdaServiceError } from '../../src/services/lambda/invoker';
import { allow, policy } from './functions';
import { serve } from './service';
import { BASE, changed, sourceArn } from './stack';
import { send } from './wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const get = (port: number, token: string | undefined, path = '/closed/x') =>
  send(port, `GET ${path}`, token === undefined ? [] : [`Authorization: ${token}`]);

/** Authorizer BASE with other properties. */
const withAuthorizer = (properties: Record<string, unknown>) => changed('Authorizer', properties);
const REQUEST = {
  Type: 'REQUEST',
  IdentityValidationExpression: undefined,
  IdentitySource: 'method.request.header.Authorization, method.request.querystring.who',
};

describe('TOKEN authorizer', () => {
  test('gets the token and the method ARN, nothing else', async () => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    await get(port, 'Bearer x', '/closed//a%2Fb/?q=1');
    expect(JSON.parse(invoked.calls('authorizer')[0] ?? '')).toEqual({
      type: 'TOKEN',
      authorizationToken: 'Bearer x',
      methodArn: sourceArn('v1/GET/closed//a%2Fb/'),
    });
  });

  test('hands its context to the function as text', async () => {
    const context = { s: 'text', n: 1.5, b: true, e: '' };
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow('*', { context }) });
    expect((await get(port, 'Bearer x')).text).toBe('ok');
    expect(invoked.lastEvent().requestContext.authorizer).toEqual({
      ...{ s: 'text', n: '1.5', b: 'true', e: '' },
      principalId: 'ada',
      integrationLatency: expect.any(Number),
    });
  });

  test('a method without authorizer has no authorizer in its context', async () => {
    const { port, invoked } = await serve({ api: ok });
    await get(port, undefined, '/open/x');
    expect(invoked.lastEvent().requestContext).not.toHaveProperty('authorizer');
  });

  test.each<[string, string[]]>([
    ['no token', []],
    ['an empty token', ['Authorization:']],
    ['a token that does not match the expression', ['Authorization: Basic x']],
    ['a token of which only a part matches', ['Authorization: x Bearer y']],
    ['two tokens', ['Authorization: Bearer x', 'Authorization: Bearer y']],
  ])('%s is answered 401 without asking', async (_, lines) => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    const answer = await send(port, 'GET /closed/x', lines);
    expect([answer.status, answer.text]).toEqual([401, '{"message":"Unauthorized"}']);
    expect(answer.header('x-amzn-ErrorType')).toBe('UnauthorizedException');
    expect(invoked.calls('authorizer')).toEqual([]);
  });

  test.each<[string, () => unknown, number, string, string]>([
    [
      'throws Unauthorized',
      () => {
        throw new Error('Unauthorized');
      },
      ...([401, '{"message":"Unauthorized"}', 'UnauthorizedException'] as const),
    ],
    [
      'throws anything else',
      () => {
        throw new Error('unauthorized');
      },
      ...([500, '{"message":null}', 'AuthorizerFailureException'] as const),
    ],
    [
      'is throttled',
      () => {
        throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
      },
      ...([500, '{"message":null}', 'AuthorizerFailureException'] as const),
    ],
    [
      'denies',
      () => policy('Deny', '*'),
      403,
      '{"Message":"User is not authorized to access this resource with an explicit deny"}',
      'AccessDeniedException',
    ],
    [
      'allows something else',
      () => allow(sourceArn('v1/GET/other')),
      403,
      '{"Message":"User is not authorized to access this resource"}',
      'AccessDeniedException',
    ],
    ...[
      ['answers null', null],
      ['answers text', '"allow"'],
      ['answers no JSON', 'allow'],
      ['names no principal', { ...allow(), principalId: undefined }],
      ['names a numeric principal', { ...allow(), principalId: 7 }],
      ['has no policy', { principalId: 'ada' }],
      ['nests its context', allow('*', { context: { a: { b: 1 } } })],
      ['lists in its context', allow('*', { context: { a: [1] } })],
      ['has null in its context', allow('*', { context: { a: null } })],
      ['has an unknown key', allow('*', { extra: 1 })],
    ].map(
      ([name, output]) =>
        [
          String(name),
          () => output,
          500,
          '{"message":null}',
          'AuthorizerConfigurationException',
        ] as [string, () => unknown, number, string, string],
    ),
  ])('that %s', async (_, authorizer, status, body, type) => {
    const { port, invoked } = await serve({ api: ok, authorizer });
    const answer = await get(port, 'Bearer x');
    expect([answer.status, answer.text, answer.header('x-amzn-ErrorType')]).toEqual([
      status,
      body,
      type,
    ]);
    expect(invoked.calls('api')).toEqual([]);
  });

  test('that takes too long is a failure', async () => {
    const { port } = await serve(
      { api: ok, authorizer: () => new Promise(() => {}) },
      { bounds: { authorizerMs: 20 } },
    );
    expect((await get(port, 'Bearer x')).status).toBe(500);
  });

  test('without a permission of its own is a configuration error', async () => {
    const { AuthorizerPermission: _, ...resources } = BASE;
    const lines: string[] = [];
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { resources, executionLog: (line) => lines.push(line) },
    );
    const answer = await get(port, 'Bearer x');
    expect(answer.header('x-amzn-ErrorType')).toBe('AuthorizerConfigurationException');
    expect(invoked.calls('authorizer')).toEqual([]);
    expect(lines[0]).toContain('no AWS::Lambda::Permission');
  });

  test('a method ARN above 1,600 bytes is answered 414, but only where there is an authorizer', async () => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    const fits = 1_600 - sourceArn('v1/GET/closed/').length;
    expect((await get(port, 'Bearer x', `/closed/${'k'.repeat(fits)}`)).status).toBe(200);
    expect((await get(port, 'Bearer x', `/closed/${'k'.repeat(fits + 1)}`)).status).toBe(414);
    expect((await get(port, undefined, `/open/${'k'.repeat(fits + 1)}`)).status).toBe(200);
    expect(invoked.calls('api')).toHaveLength(2);
  });
});

describe('cached authorizer results', () => {
  test('are used for the same token until their time is over', async () => {
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

  test('hold the policy, which is judged anew for each method', async () => {
    const { port, invoked } = await serve({
      api: ok,
      authorizer: () => allow(sourceArn('v1/GET/closed/a')),
    });
    expect((await get(port, 'Bearer x', '/closed/a')).status).toBe(200);
    expect((await get(port, 'Bearer x', '/closed/b')).status).toBe(403);
    expect((await send(port, 'PUT /closed/a', ['Authorization: Bearer x'])).status).toBe(403);
    expect(invoked.calls('authorizer')).toHaveLength(1);
  });

  test('do not hold failures', async () => {
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

  test('are forgotten on flush, also those that were under way', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = () => {};
    const started = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const authorizer = async () => {
      asked();
      await gate;
      return allow();
    };
    const { api, port, invoked } = await serve({ api: ok, authorizer });
    const first = get(port, 'Bearer x');
    await started;
    api.flushAuthorizerCache();
    release();
    expect((await first).status).toBe(200);
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
  });

  test('are not kept when the time to live is 0', async () => {
    const resources = withAuthorizer({ AuthorizerResultTtlInSeconds: 0 });
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() }, { resources });
    await get(port, 'Bearer x');
    await get(port, 'Bearer x');
    expect(invoked.calls('authorizer')).toHaveLength(2);
    expect((await get(port, undefined)).status).toBe(401);
  });

  test('are bounded: the oldest goes', async () => {
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

describe('REQUEST authorizer', () => {
  test('gets the request without its body', async () => {
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { resources: withAuthorizer(REQUEST) },
    );
    const answer = await send(port, 'PUT /closed/a%20b?who=me', ['authorization: t'], 'secret');
    expect(answer.status).toBe(200);
    expect(JSON.parse(invoked.calls('authorizer')[0] ?? '')).toMatchObject({
      type: 'REQUEST',
      methodArn: sourceArn('v1/PUT/closed/a%20b'),
      resource: '/closed/{proxy+}',
      path: '/closed/a%20b',
      httpMethod: 'PUT',
      headers: { Authorization: 't' },
      multiValueHeaders: { Authorization: ['t'] },
      queryStringParameters: { who: 'me' },
      multiValueQueryStringParameters: { who: ['me'] },
      pathParameters: { proxy: 'a%20b' },
      stageVariables: null,
      requestContext: { stage: 'v1', resourcePath: '/closed/{proxy+}' },
    });
    expect(invoked.calls('authorizer')[0]).not.toContain('secret');
  });

  test('is cached by all its identity sources, each of which is needed', async () => {
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { resources: withAuthorizer(REQUEST) },
    );
    const ask = (query: string) => get(port, 't', `/closed/x${query}`);
    expect((await ask('')).status).toBe(401);
    expect((await ask('?who=')).status).toBe(401);
    expect((await get(port, undefined, '/closed/x?who=a')).status).toBe(401);
    expect(invoked.calls('authorizer')).toHaveLength(0);
    for (const query of ['?who=a', '?who=b', '?who=a&z', '?who=b']) await ask(query);
    expect(invoked.calls('authorizer')).toHaveLength(2);
  });

  test('is asked without identity when nothing is cached', async () => {
    const resources = withAuthorizer({ ...REQUEST, AuthorizerResultTtlInSeconds: 0 });
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() }, { resources });
    expect((await get(port, undefined)).status).toBe(200);
    expect(invoked.calls('authorizer')).toHaveLength(1);
  });

  test('may identify by stage variable and context', async () => {
    const resources = changed(
      'Stage',
      { Variables: { tenant: 'acme' } },
      withAuthorizer({
        ...REQUEST,
        IdentitySource: 'stageVariables.tenant,context.identity.userAgent',
      }),
    );
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() }, { resources });
    expect((await get(port, 't')).status).toBe(401);
    expect((await send(port, 'GET /closed/x', ['User-Agent: a'])).status).toBe(200);
    expect((await send(port, 'GET /closed/x', ['User-Agent: b'])).status).toBe(200);
    expect(invoked.calls('authorizer')).toHaveLength(2);
  });
});
