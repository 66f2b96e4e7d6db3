import { allow } from '../functions';
import { serve } from '../service';
import { BASE, CUSTOM, gatewayResponse, method, type Resources } from '../stack';
import { send } from '../wire';

describe('gateway responses', () => {
  const JSON_BODY = (text: string) => ({ ResponseTemplates: { 'application/json': text } });
  const responseOf = async (extra: Resources, line = 'GET /nope') => {
    const { port } = await serve(
      {
        api: () => ({ bad: true }),
        authorizer: () => allow('*', { context: { who: 'me' } }),
      },
      { resources: { ...BASE, ...extra } },
    );
    return send(port, line, ['Authorization: Bearer x']);
  };

  test('use the template, headers and status of their type', async () => {
    const response = await responseOf({
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
    expect(response.status).toBe(404);
    expect(response.header('WWW-Authenticate')).toBe('Bearer realm="x"');
    expect(response.header('Retry-After')).toBe('1');
    expect(response.header('Content-Type')).toBe('application/json');
    expect(response.header('x-amzn-ErrorType')).toBe('MissingAuthenticationTokenException');
    expect(JSON.parse(response.text)).toEqual({
      id: response.header('x-amzn-RequestId'),
      m: 'Missing Authentication Token',
      t: 'MISSING_AUTHENTICATION_TOKEN',
      p: '/v1/nope',
      s: '',
      h: 'GET',
      x: '',
      $: 1,
    });
  });

  test('use the default of their class and its status when the template does not have their type', async () => {
    const D = gatewayResponse('DEFAULT_4XX', JSON_BODY('{"d":"$context.error.message"}'));
    expect(await responseOf({ D })).toMatchObject({
      status: 403,
      text: '{"d":"Missing Authentication Token"}',
    });
    const E = gatewayResponse('DEFAULT_4XX', { StatusCode: '418' });
    expect(await responseOf({ E })).toMatchObject({
      status: 418,
      text: '{"message":"Missing Authentication Token"}',
    });
    const F = gatewayResponse('DEFAULT_5XX', JSON_BODY('{"f":"$context.error.message"}'));
    expect(await responseOf({ F }, 'GET /open/x')).toMatchObject({
      status: 502,
      text: '{"f":"Internal server error"}',
    });
    expect(await responseOf({ D, F }, 'GET /open/x')).toMatchObject({
      status: 502,
      text: '{"f":"Internal server error"}',
    });
  });

  test('can use the context of the authorizer after it has run', async () => {
    const F = gatewayResponse(
      'DEFAULT_5XX',
      JSON_BODY(
        '{"who":"$context.authorizer.who","p":"$context.authorizer.principalId","r":"$context.resourcePath"}',
      ),
    );
    const resources = { F, ClosedAny: method('ANY', 'ClosedProxy', CUSTOM) };
    expect((await responseOf(resources, 'GET /closed/x')).text).toBe(
      '{"who":"me","p":"ada","r":"/closed/{proxy+}"}',
    );
    expect((await responseOf(resources, 'GET /open/x')).text).toBe(
      '{"who":"","p":"","r":"/open/{proxy+}"}',
    );
  });
});
