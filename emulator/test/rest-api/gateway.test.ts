import { LambdaServiceError } from '../../src/services/lambda/invoker';
import { allow } from './functions';
import { serve } from './service';
import {
  BASE,
  CUSTOM,
  changed,
  functionArn,
  gatewayResponse,
  method,
  permission,
  type Resources,
  sourceArn,
} from './stack';
import { send } from './wire';

const ok = () => ({ statusCode: 200, body: 'ok' });

describe('the event', () => {
  test('has every key that AWS sends, in AWS types', async () => {
    const now = Date.UTC(2026, 6, 10, 19, 19, 4, 7);
    const { port, invoked } = await serve({ api: ok }, { now: () => now });
    await send(port, 'GET /open/a%20b', [
      'User-Agent: me',
      'X-Amzn-Trace-Id: Self=1;Root=1-11111111-222222222222222222222222',
    ]);
    expect(invoked.lastEvent()).toEqual({
      resource: '/open/{proxy+}',
      path: '/open/a%20b',
      httpMethod: 'GET',
      headers: {
        Host: 'api123.execute-api.us-east-1.amazonaws.com',
        'User-Agent': 'me',
        'X-Amzn-Trace-Id': 'Root=1-11111111-222222222222222222222222',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-Port': '443',
        'X-Forwarded-Proto': 'https',
      },
      multiValueHeaders: expect.objectContaining({ 'User-Agent': ['me'] }),
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: { proxy: 'a%20b' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'api123',
        deploymentId: 'deploy1',
        domainName: 'api123.execute-api.us-east-1.amazonaws.com',
        domainPrefix: 'api123',
        extendedRequestId: expect.stringMatching(/^[\w+/]{15}=$/),
        httpMethod: 'GET',
        identity: {
          accessKey: null,
          accountId: null,
          caller: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '127.0.0.1',
          user: null,
          userAgent: 'me',
          userArn: null,
        },
        path: '/v1/open/a%20b',
        protocol: 'HTTP/1.1',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        requestTime: '10/Jul/2026:19:19:04 +0000',
        requestTimeEpoch: now,
        resourceId: 'OpenProxy',
        resourcePath: '/open/{proxy+}',
        stage: 'v1',
      },
      body: null,
      isBase64Encoded: false,
    });
  });

  test('carries stage variables, the operation name and the way the request came', async () => {
    const resources = changed(
      'Stage',
      { Variables: { a: 'b' } },
      changed('OpenAny', { OperationName: 'Op' }),
    );
    const { port, invoked } = await serve({ api: ok }, { resources });
    await send(port, 'GET /open/x', [
      'X-Forwarded-For: 1.2.3.4',
      'X-Forwarded-Proto: http',
      'X-Amzn-Trace-Id: "bad',
    ]);
    const event = invoked.lastEvent();
    expect(event.stageVariables).toEqual({ a: 'b' });
    expect(event.requestContext).toMatchObject({ operationName: 'Op' });
    expect(event.headers['X-Forwarded-For']).toBe('1.2.3.4, 127.0.0.1');
    expect(event.headers['X-Forwarded-Proto']).toBe('https');
    expect(event.headers['X-Amzn-Trace-Id']).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  });

  const bytes = Buffer.from('00ff80fe', 'hex');
  test.each<[string, string[], string[], unknown, boolean]>([
    ['is base64 with the catch-all', ['*/*'], [], 'AP+A/g==', true],
    [
      'is base64 for a listed type',
      ['image~1png'],
      ['Content-Type: image/PNG; a=b'],
      'AP+A/g==',
      true,
    ],
    ['is text for another type', ['image/png'], ['Content-Type: image/webp'], '\u0000���', false],
    ['is text without a type', ['image/png'], [], '\u0000���', false],
  ])('its body %s', async (_, types, lines, body, isBase64Encoded) => {
    const resources = changed('Api', { BinaryMediaTypes: types });
    const { port, invoked } = await serve({ api: ok }, { resources });
    await send(port, 'PUT /open/x', lines, bytes);
    expect(invoked.lastEvent()).toMatchObject({ body, isBase64Encoded });
  });

  test.each([
    ['no framing', []],
    ['Content-Length: 0', ['Content-Length: 0']],
    ['an empty chunked body', ['Transfer-Encoding: chunked', '', '0']],
  ])('has no body for %s', async (_, lines) => {
    const { port, invoked } = await serve({ api: ok });
    expect((await send(port, 'PUT /open/x', lines)).status).toBe(200);
    expect(invoked.lastEvent()).toMatchObject({ body: null, isBase64Encoded: false });
  });

  test('has the method of X-HTTP-Method-Override, for which routes and permissions are looked up', async () => {
    const { port, invoked } = await serve({
      api: ok,
      authorizer: () => allow(sourceArn('v1/DELETE/*')),
    });
    const lines = ['X-HTTP-Method-Override: DELETE', 'Authorization: Bearer x'];
    expect((await send(port, 'POST /closed/x', lines)).status).toBe(200);
    expect(invoked.lastEvent()).toMatchObject({
      httpMethod: 'DELETE',
      requestContext: { httpMethod: 'DELETE' },
    });
    expect((await send(port, 'POST /closed/x', ['X-HTTP-Method-Override: delete'])).status).toBe(
      403,
    );
  });

  test.each(['GE"T', 'G T', 'GET,', 'GÉT'])('has no method %s', async (method) => {
    const { port, invoked } = await serve({ api: ok });
    const answer = await send(port, 'POST /open/x', [`X-HTTP-Method-Override: ${method}`]);
    expect(answer).toMatchObject({ status: 400, text: 'Bad Request' });
    expect(invoked.calls('api')).toEqual([]);
  });
});

describe('the answer', () => {
  test('carries the ids of the gateway, each request its own', async () => {
    const { port, invoked } = await serve({ api: ok });
    const answers = [await send(port, 'GET /open/x'), await send(port, 'GET /nope')];
    for (const answer of answers) {
      expect(answer.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.header('x-amz-apigw-id')).toMatch(/=$/);
      expect(answer.header('X-Amzn-Trace-Id')).toMatch(/^Root=1-/);
    }
    expect(answers[0]?.header('x-amzn-RequestId')).toBe(
      invoked.lastEvent().requestContext.requestId,
    );
    expect(answers[0]?.header('x-amzn-RequestId')).not.toBe(answers[1]?.header('x-amzn-RequestId'));
  });

  test('has the length of its body, whatever the function says, and its headers remapped', async () => {
    const headers = {
      'Content-Length': '99',
      'WWW-Authenticate': 'Bearer',
      Date: 'then',
      ETag: '"x"',
    };
    const { port } = await serve({ api: () => ({ statusCode: 401, headers, body: 'é' }) });
    const answer = await send(port, 'GET /open/x');
    expect([answer.status, answer.text, answer.complete, answer.rest.length]).toEqual([
      401,
      'é',
      true,
      0,
    ]);
    expect(answer.header('content-length')).toBe('2');
    expect(answer.header('x-amzn-Remapped-WWW-Authenticate')).toBe('Bearer');
    expect(answer.header('www-authenticate')).toBeUndefined();
    expect(answer.header('x-amzn-Remapped-Date')).toBe('then');
    expect(answer.header('date')).toMatch(/GMT$/);
    expect(answer.header('ETag')).toBe('"x"');
  });

  test('to HEAD has no body, and the length that the function names', async () => {
    const { port } = await serve({
      api: () => ({ statusCode: 200, headers: { 'content-length': '1234' }, body: 'hidden' }),
    });
    const answer = await send(port, 'HEAD /open/x');
    expect([answer.status, answer.header('content-length'), answer.rest.length]).toEqual([
      200,
      '1234',
      0,
    ]);
  });

  test('to HEAD by override has an empty body, so that the connection stays in step', async () => {
    const { port } = await serve({
      api: () => ({ statusCode: 200, headers: { 'content-length': '1234' }, body: 'hidden' }),
    });
    const answer = await send(port, 'GET /open/x', ['X-HTTP-Method-Override: HEAD']);
    expect([answer.header('content-length'), answer.text, answer.complete]).toEqual([
      '0',
      '',
      true,
    ]);
  });

  test.each([204, 304])('%d has no body and no length', async (statusCode) => {
    const { port } = await serve({ api: () => ({ statusCode, body: 'hidden' }) });
    const answer = await send(port, 'GET /open/x');
    expect([answer.status, answer.header('content-length'), answer.rest.length]).toEqual([
      statusCode,
      undefined,
      0,
    ]);
  });
});

describe('failures', () => {
  const internal = '{"message": "Internal server error"}'.replace(' ', '');
  test.each<[string, () => unknown, number]>([
    [
      'a function that throws',
      () => {
        throw new Error('secret');
      },
      502,
    ],
    ['a malformed answer', () => ({ status: 200 }), 502],
    ['a body that is no base64', () => ({ body: '%', isBase64Encoded: true }), 500],
    ...(
      ['ResourceNotFoundException', 'TooManyRequestsException', 'AccessDeniedException'] as const
    ).map(
      (code) =>
        [
          `${code} of Lambda`,
          () => {
            throw new LambdaServiceError(code, 'secret');
          },
          500,
        ] as [string, () => unknown, number],
    ),
  ])('%s', async (_, api, status) => {
    const lines: string[] = [];
    const { port } = await serve({ api }, { executionLog: (line) => lines.push(line) });
    const answer = await send(port, 'GET /open/x');
    expect([answer.status, answer.text]).toEqual([status, internal]);
    expect(answer.header('x-amzn-ErrorType')).toBe('InternalServerErrorException');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(answer.header('x-amzn-RequestId'));
  });

  test('a function that takes longer than the integration allows is 504', async () => {
    const resources = { ...BASE, OpenAny: method('ANY', 'OpenProxy', {}, { TimeoutInMillis: 50 }) };
    const { port } = await serve({ api: () => new Promise(() => {}) }, { resources });
    const answer = await send(port, 'GET /open/x');
    expect([answer.status, answer.text]).toEqual([504, '{"message":"Endpoint request timed out"}']);
  });

  test.each(['GET /nope', 'GET /', 'GET /open', 'GET /open/', 'GET /OPEN/x', 'TRACE /open/x'])(
    '%s is answered 403 as AWS does, not 404 or 405',
    async (line) => {
      const { port, invoked } = await serve({ api: ok });
      const answer = await send(port, line);
      expect([answer.status, answer.text]).toEqual([
        403,
        '{"message":"Missing Authentication Token"}',
      ]);
      expect(answer.header('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException');
      expect(invoked.calls('api')).toEqual([]);
    },
  );
});

describe('permissions', () => {
  const { ApiPermission: _, ...WITHOUT } = BASE;
  const allowed = (...given: ReturnType<typeof permission>[]): Resources => ({
    ...WITHOUT,
    ...Object.fromEntries(given.map((value, i) => [`P${i}`, value])),
  });
  const edited = (properties: Record<string, unknown>) => {
    const base = permission('api');
    return { ...base, Properties: { ...base.Properties, ...properties } };
  };

  test.each<[string, Resources, number]>([
    ['none', allowed(), 500],
    ['for any source', allowed(edited({ SourceArn: undefined })), 200],
    ['for the method and path', allowed(permission('api', sourceArn('v1/GET/open/*'))), 200],
    ['for any method of the path', allowed(permission('api', sourceArn('v1/*/open/*'))), 200],
    ['for any stage', allowed(permission('api', sourceArn('*/GET/open/*'))), 200],
    ['for another method', allowed(permission('api', sourceArn('v1/PUT/open/*'))), 500],
    ['for another path', allowed(permission('api', sourceArn('v1/GET/closed/*'))), 500],
    ['for the parent path', allowed(permission('api', sourceArn('v1/GET/open'))), 500],
    ['for one value of a parameter', allowed(permission('api', sourceArn('v1/GET/open/x'))), 500],
    ['for another stage', allowed(permission('api', sourceArn('test-invoke-stage/*'))), 500],
    [
      'for another API',
      allowed(permission('api', sourceArn('v1/*').replace('api123', 'api999'))),
      500,
    ],
    [
      'by a second statement',
      allowed(permission('api', sourceArn('v1/PUT/*')), permission('api')),
      200,
    ],
    ['for another function', allowed(permission('authorizer')), 500],
    ['by function name', allowed(edited({ FunctionName: 'api' })), 200],
    ['by partial ARN', allowed(edited({ FunctionName: '000000000000:function:api' })), 200],
    ['by alias', allowed(edited({ FunctionName: `${functionArn('api')}:live` })), 500],
    ['for another principal', allowed(edited({ Principal: 's3.amazonaws.com' })), 500],
    ['for another action', allowed(edited({ Action: 'lambda:GetFunction' })), 500],
    ['for another account', allowed(edited({ SourceAccount: '111111111111' })), 500],
    ['for this account', allowed(edited({ SourceAccount: '000000000000' })), 200],
  ])('%s', async (_name, resources, status) => {
    const { port, invoked } = await serve({ api: ok }, { resources });
    expect((await send(port, 'GET /open/x')).status).toBe(status);
    expect(invoked.calls('api')).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe('gateway responses', () => {
  const JSON_BODY = (text: string) => ({ ResponseTemplates: { 'application/json': text } });
  const answerOf = async (extra: Resources, line = 'GET /nope') => {
    const { port } = await serve(
      {
        api: () => ({ bad: true }),
        authorizer: () => allow('*', { context: { who: 'me' } }),
      },
      { resources: { ...BASE, ...extra } },
    );
    return send(port, line, ['Authorization: Bearer x']);
  };

  test('take template, headers and status of their type', async () => {
    const answer = await answerOf({
      R: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', {
        StatusCode: '404',
        ResponseParameters: {
          'gatewayresponse.header.WWW-Authenticate': '\'Bearer realm="x"\'',
          'gatewayresponse.header.Retry-After': "'1'",
        },
        ...JSON_BODY(
          '{"id":"$context.requestId","m":$context.error.messageString,"t":"$context.error.responseType","p":"$context.path","s":"$stageVariables.a","h":"$context.httpMethod","x":"$context.resourcePath","$":1}',
        ),
      }),
      D: gatewayResponse('DEFAULT_4XX', { StatusCode: '499' }),
    });
    expect(answer.status).toBe(404);
    expect(answer.header('WWW-Authenticate')).toBe('Bearer realm="x"');
    expect(answer.header('Retry-After')).toBe('1');
    expect(answer.header('Content-Type')).toBe('application/json');
    expect(answer.header('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException');
    expect(JSON.parse(answer.text)).toEqual({
      id: answer.header('x-amzn-RequestId'),
      m: 'Missing Authentication Token',
      t: 'MISSING_AUTHENTICATION_TOKEN',
      p: '/v1/nope',
      s: '',
      h: 'GET',
      x: '',
      $: 1,
    });
  });

  test('fall back to the default of their class, which may rewrite the status', async () => {
    const D = gatewayResponse('DEFAULT_4XX', JSON_BODY('{"d":"$context.error.message"}'));
    expect(await answerOf({ D })).toMatchObject({
      status: 403,
      text: '{"d":"Missing Authentication Token"}',
    });
    const E = gatewayResponse('DEFAULT_4XX', { StatusCode: '418' });
    expect(await answerOf({ E })).toMatchObject({
      status: 418,
      text: '{"message":"Missing Authentication Token"}',
    });
    const F = gatewayResponse('DEFAULT_5XX', JSON_BODY('{"f":"$context.error.message"}'));
    expect(await answerOf({ F }, 'GET /open/x')).toMatchObject({
      status: 502,
      text: '{"f":"Internal server error"}',
    });
    expect(await answerOf({ D, F }, 'GET /open/x')).toMatchObject({
      status: 502,
      text: '{"f":"Internal server error"}',
    });
  });

  test('see what the authorizer said, once it has been asked', async () => {
    const F = gatewayResponse(
      'DEFAULT_5XX',
      JSON_BODY(
        '{"who":"$context.authorizer.who","p":"$context.authorizer.principalId","r":"$context.resourcePath"}',
      ),
    );
    const resources = { F, ClosedAny: method('ANY', 'ClosedProxy', CUSTOM) };
    expect((await answerOf(resources, 'GET /closed/x')).text).toBe(
      '{"who":"me","p":"ada","r":"/closed/{proxy+}"}',
    );
    expect((await answerOf(resources, 'GET /open/x')).text).toBe(
      '{"who":"","p":"","r":"/open/{proxy+}"}',
    );
  });
});

describe('logs', () => {
  test('the access log has the format of the stage', async () => {
    const Format =
      '{"id":"$context.requestId","s":$context.status,"n":$context.responseLength,"m":"$context.httpMethod","r":"$context.resourcePath","u":"$context.identity.user","e":"$context.error.responseType"}';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    const lines: string[] = [];
    let logged = () => {};
    const both = new Promise<void>((resolve) => {
      logged = () => lines.length === 2 && resolve();
    });
    const accessLog = (line: string) => {
      lines.push(line);
      logged();
    };
    const { port } = await serve({ api: ok }, { resources, accessLog });
    const first = await send(port, 'GET /open/x');
    const second = await send(port, 'GET /nope');
    await both;
    const id = (answer: typeof first) => answer.header('x-amzn-RequestId');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: id(first), s: 200, n: 2, m: 'GET', r: '/open/{proxy+}', u: '-', e: '-' },
      {
        id: id(second),
        s: 403,
        n: second.body.length,
        m: 'GET',
        r: '-',
        u: '-',
        e: 'MISSING_AUTHENTICATION_TOKEN',
      },
    ]);
  });

  test('the access log tells of the integration, when there was one', async () => {
    const Format = '$context.integrationLatency|$context.integration.error';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    let logged = (_: string) => {};
    const next = () =>
      new Promise<string>((resolve) => {
        logged = resolve;
      });
    const api = (payload: string) => (payload.includes('/open/bad') ? { bad: true } : ok());
    const { port } = await serve({ api }, { resources, accessLog: (line) => logged(line) });
    const lines: string[] = [];
    for (const path of ['/open/x', '/open/bad', '/nope']) {
      const line = next();
      await send(port, `GET ${path}`);
      lines.push((await line).replace(/^\d+/, 'N'));
    }
    expect(lines).toEqual([
      'N|-',
      'N|Malformed Lambda proxy response: unknown key \\"bad\\"',
      '-|-',
    ]);
  });

  test('a request cannot forge members of the access log', async () => {
    const Format =
      '{"path":"$context.path","agent":"$context.identity.userAgent","error":$context.error.messageString}';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    let logged = (_: string) => {};
    const line = new Promise<string>((resolve) => {
      logged = resolve;
    });
    const { port } = await serve({ api: ok }, { resources, accessLog: (text) => logged(text) });
    await send(port, 'GET /nope","path":"/forged\\', ['User-Agent: a","path":"/forged\\\t']);
    expect(JSON.parse(await line)).toEqual({
      path: '/v1/nope","path":"/forged\\',
      agent: 'a","path":"/forged\\',
      error: 'Missing Authentication Token',
    });
  });

  test('a stage without a format has no access log', async () => {
    const lines: string[] = [];
    const { port } = await serve({ api: ok }, { accessLog: (line) => lines.push(line) });
    await send(port, 'GET /open/x');
    expect(lines).toEqual([]);
  });
});
