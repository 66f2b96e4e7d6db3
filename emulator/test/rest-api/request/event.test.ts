import { allow } from '../functions';
import { serve } from '../service';
import { changed, sourceArn } from '../stack';
import { send } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });

describe('event of a function', () => {
  test('has every key that AWS sends, with the same types', async () => {
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

  test('contains stage variables, the operation name and the forwarding headers', async () => {
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
  ])('has a body that %s', async (_, types, lines, body, isBase64Encoded) => {
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

  test('has the method of X-HTTP-Method-Override, which also determines route and permission', async () => {
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

  test.each(['GE"T', 'G T', 'GET,', 'GÉT'])(
    'is not sent when X-HTTP-Method-Override is %s, and the gateway returns 400',
    async (method) => {
      const { port, invoked } = await serve({ api: ok });
      const response = await send(port, 'POST /open/x', [`X-HTTP-Method-Override: ${method}`]);
      expect(response).toMatchObject({ status: 400, text: 'Bad Request' });
      expect(invoked.calls('api')).toEqual([]);
    },
  );
});
