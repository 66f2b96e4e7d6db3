import { LambdaServiceError } from '../../../src/services/lambda/invoker';
import { allow, policy } from '../functions';
import { serve } from '../service';
import { BASE, changed, sourceArn } from '../stack';
import { send } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const get = (port: number, token: string | undefined, path = '/closed/x') =>
  send(port, `GET ${path}`, token === undefined ? [] : [`Authorization: ${token}`]);

/** BASE with other properties of its authorizer. */
const withAuthorizer = (properties: Record<string, unknown>) => changed('Authorizer', properties);
const REQUEST = {
  Type: 'REQUEST',
  IdentityValidationExpression: undefined,
  IdentitySource: 'method.request.header.Authorization, method.request.querystring.who',
};

describe('TOKEN authorizer', () => {
  test('receives only the token and the method ARN', async () => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    await get(port, 'Bearer x', '/closed//a%2Fb/?q=1');
    expect(JSON.parse(invoked.calls('authorizer')[0] ?? '')).toEqual({
      type: 'TOKEN',
      authorizationToken: 'Bearer x',
      methodArn: sourceArn('v1/GET/closed//a%2Fb/'),
    });
  });

  test('passes its context to the function as text', async () => {
    const context = { s: 'text', n: 1.5, b: true, e: '' };
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow('*', { context }) });
    expect((await get(port, 'Bearer x')).text).toBe('ok');
    expect(invoked.lastEvent().requestContext.authorizer).toEqual({
      ...{ s: 'text', n: '1.5', b: 'true', e: '' },
      principalId: 'ada',
      integrationLatency: expect.any(Number),
    });
  });

  test('adds nothing to the context of a method that has no authorizer', async () => {
    const { port, invoked } = await serve({ api: ok });
    await get(port, undefined, '/open/x');
    expect(invoked.lastEvent().requestContext).not.toHaveProperty('authorizer');
  });

  test.each<[string, string[]]>([
    ['no token', []],
    ['an empty token', ['Authorization:']],
    ['a token that does not match the expression', ['Authorization: Basic x']],
    ['a token that matches only in part', ['Authorization: x Bearer y']],
    ['two tokens', ['Authorization: Bearer x', 'Authorization: Bearer y']],
  ])('is not invoked for %s, and the gateway returns 401', async (_, lines) => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    const response = await send(port, 'GET /closed/x', lines);
    expect([response.status, response.text]).toEqual([401, '{"message":"Unauthorized"}']);
    expect(response.header('x-amzn-ErrorType')).toBe('UnauthorizedException');
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
      'allows another method only',
      () => allow(sourceArn('v1/GET/other')),
      403,
      '{"Message":"User is not authorized to access this resource"}',
      'AccessDeniedException',
    ],
    ...[
      ['returns null', null],
      ['returns text', '"allow"'],
      ['returns text that is not JSON', 'allow'],
      ['names no principal', { ...allow(), principalId: undefined }],
      ['names a numeric principal', { ...allow(), principalId: 7 }],
      ['has no policy', { principalId: 'ada' }],
      ['has an object in its context', allow('*', { context: { a: { b: 1 } } })],
      ['has a list in its context', allow('*', { context: { a: [1] } })],
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
  ])('determines the response when it %s', async (_, authorizer, status, body, type) => {
    const { port, invoked } = await serve({ api: ok, authorizer });
    const response = await get(port, 'Bearer x');
    expect([response.status, response.text, response.header('x-amzn-ErrorType')]).toEqual([
      status,
      body,
      type,
    ]);
    expect(invoked.calls('api')).toEqual([]);
  });

  test('fails the request with 500 when it exceeds its timeout', async () => {
    const { port } = await serve(
      { api: ok, authorizer: () => new Promise(() => {}) },
      { bounds: { authorizerMs: 20 } },
    );
    expect((await get(port, 'Bearer x')).status).toBe(500);
  });

  test('fails with a configuration error when API Gateway has no permission to invoke it', async () => {
    const { AuthorizerPermission: _, ...resources } = BASE;
    const lines: string[] = [];
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { resources, executionLog: (line) => lines.push(line) },
    );
    const response = await get(port, 'Bearer x');
    expect(response.header('x-amzn-ErrorType')).toBe('AuthorizerConfigurationException');
    expect(invoked.calls('authorizer')).toEqual([]);
    expect(lines[0]).toContain('no AWS::Lambda::Permission');
  });

  test('limits the method ARN to 1,600 bytes, unlike methods without an authorizer', async () => {
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() });
    const fits = 1_600 - sourceArn('v1/GET/closed/').length;
    expect((await get(port, 'Bearer x', `/closed/${'k'.repeat(fits)}`)).status).toBe(200);
    expect((await get(port, 'Bearer x', `/closed/${'k'.repeat(fits + 1)}`)).status).toBe(414);
    expect((await get(port, undefined, `/open/${'k'.repeat(fits + 1)}`)).status).toBe(200);
    expect(invoked.calls('api')).toHaveLength(2);
  });
});

describe('REQUEST authorizer', () => {
  test('receives the request without its body', async () => {
    const { port, invoked } = await serve(
      { api: ok, authorizer: () => allow() },
      { resources: withAuthorizer(REQUEST) },
    );
    const response = await send(port, 'PUT /closed/a%20b?who=me', ['authorization: t'], 'secret');
    expect(response.status).toBe(200);
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

  test('caches results by all identity sources, and requires each of them', async () => {
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

  test('is invoked without an identity when results are not cached', async () => {
    const resources = withAuthorizer({ ...REQUEST, AuthorizerResultTtlInSeconds: 0 });
    const { port, invoked } = await serve({ api: ok, authorizer: () => allow() }, { resources });
    expect((await get(port, undefined)).status).toBe(200);
    expect(invoked.calls('authorizer')).toHaveLength(1);
  });

  test('accepts a stage variable and a context value as identity sources', async () => {
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
