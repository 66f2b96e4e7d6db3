import { LambdaServiceError } from '../../src/services/lambda/invoker';
import { serve } from './service';
import { BASE, functionArn, method, permission, type Resources, sourceArn } from './stack';
import { send } from './wire';

const ok = () => ({ statusCode: 200, body: 'ok' });

describe('response', () => {
  test('contains the ids of the gateway, different for each request', async () => {
    const { port, invoked } = await serve({ api: ok });
    const responses = [await send(port, 'GET /open/x'), await send(port, 'GET /nope')];
    for (const response of responses) {
      expect(response.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
      expect(response.header('x-amz-apigw-id')).toMatch(/=$/);
      expect(response.header('X-Amzn-Trace-Id')).toMatch(/^Root=1-/);
    }
    expect(responses[0]?.header('x-amzn-RequestId')).toBe(
      invoked.lastEvent().requestContext.requestId,
    );
    expect(responses[0]?.header('x-amzn-RequestId')).not.toBe(
      responses[1]?.header('x-amzn-RequestId'),
    );
  });

  test('has the length of its body and remapped headers, whatever the function returns', async () => {
    const headers = {
      'Content-Length': '99',
      'WWW-Authenticate': 'Bearer',
      Date: 'then',
      ETag: '"x"',
    };
    const { port } = await serve({ api: () => ({ statusCode: 401, headers, body: 'é' }) });
    const response = await send(port, 'GET /open/x');
    expect([response.status, response.text, response.complete, response.rest.length]).toEqual([
      401,
      'é',
      true,
      0,
    ]);
    expect(response.header('content-length')).toBe('2');
    expect(response.header('x-amzn-Remapped-WWW-Authenticate')).toBe('Bearer');
    expect(response.header('www-authenticate')).toBeUndefined();
    expect(response.header('x-amzn-Remapped-Date')).toBe('then');
    expect(response.header('date')).toMatch(/GMT$/);
    expect(response.header('ETag')).toBe('"x"');
  });

  test('has no body for HEAD, and the length that the function returns', async () => {
    const { port } = await serve({
      api: () => ({ statusCode: 200, headers: { 'content-length': '1234' }, body: 'hidden' }),
    });
    const response = await send(port, 'HEAD /open/x');
    expect([response.status, response.header('content-length'), response.rest.length]).toEqual([
      200,
      '1234',
      0,
    ]);
  });

  test('has an empty body when X-HTTP-Method-Override is HEAD, so that the framing is intact', async () => {
    const { port } = await serve({
      api: () => ({ statusCode: 200, headers: { 'content-length': '1234' }, body: 'hidden' }),
    });
    const response = await send(port, 'GET /open/x', ['X-HTTP-Method-Override: HEAD']);
    expect([response.header('content-length'), response.text, response.complete]).toEqual([
      '0',
      '',
      true,
    ]);
  });

  test.each([204, 304])(
    'has neither a body nor a length when the status is %d',
    async (statusCode) => {
      const { port } = await serve({ api: () => ({ statusCode, body: 'hidden' }) });
      const response = await send(port, 'GET /open/x');
      expect([response.status, response.header('content-length'), response.rest.length]).toEqual([
        statusCode,
        undefined,
        0,
      ]);
    },
  );
});

describe('gateway', () => {
  const internal = '{"message": "Internal server error"}'.replace(' ', '');
  test.each<[string, () => unknown, number]>([
    [
      'a function that throws',
      () => {
        throw new Error('secret');
      },
      502,
    ],
    ['a malformed response', () => ({ status: 200 }), 502],
    ['a body that is not base64', () => ({ body: '%', isBase64Encoded: true }), 500],
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
  ])('reports %s as its own error', async (_, api, status) => {
    const lines: string[] = [];
    const { port } = await serve({ api }, { executionLog: (line) => lines.push(line) });
    const response = await send(port, 'GET /open/x');
    expect([response.status, response.text]).toEqual([status, internal]);
    expect(response.header('x-amzn-ErrorType')).toBe('InternalServerErrorException');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(response.header('x-amzn-RequestId'));
  });

  test('returns 504 when the function exceeds the integration timeout', async () => {
    const resources = { ...BASE, OpenAny: method('ANY', 'OpenProxy', {}, { TimeoutInMillis: 50 }) };
    const { port } = await serve({ api: () => new Promise(() => {}) }, { resources });
    const response = await send(port, 'GET /open/x');
    expect(response).toMatchObject({
      status: 504,
      text: '{"message":"Endpoint request timed out"}',
    });
  });

  test.each(['GET /nope', 'GET /', 'GET /open', 'GET /open/', 'GET /OPEN/x', 'TRACE /open/x'])(
    '%s returns 403, as AWS does, not 404 or 405',
    async (line) => {
      const { port, invoked } = await serve({ api: ok });
      const response = await send(port, line);
      expect(response).toMatchObject({
        status: 403,
        text: '{"message":"Missing Authentication Token"}',
      });
      expect(response.header('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException');
      expect(invoked.calls('api')).toEqual([]);
    },
  );
});

describe('permission to invoke', () => {
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
    ['absent', allowed(), 500],
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
  ])('decides the status when the statement is %s', async (_name, resources, status) => {
    const { port, invoked } = await serve({ api: ok }, { resources });
    expect((await send(port, 'GET /open/x')).status).toBe(status);
    expect(invoked.calls('api')).toHaveLength(status === 200 ? 1 : 0);
  });
});
