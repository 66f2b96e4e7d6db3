import { deferred } from '../../../src/runtime/deferred';
import { until } from '../../support/until';
import { serve } from '../service';
import { changed } from '../stack';
import { send } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });

describe('access log', () => {
  test('has the format of the stage', async () => {
    const Format =
      '{"id":"$context.requestId","s":$context.status,"n":$context.responseLength,"m":"$context.httpMethod","r":"$context.resourcePath","u":"$context.identity.user","e":"$context.error.responseType"}';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    const lines: string[] = [];
    const accessLog = (line: string) => lines.push(line);
    const { port } = await serve({ api: ok }, { resources, accessLog });
    const first = await send(port, 'GET /open/x');
    const second = await send(port, 'GET /nope');
    await until(() => lines.length === 2);
    const id = (response: typeof first) => response.header('x-amzn-RequestId');
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

  test('contains the latency and the error of the integration when it was invoked', async () => {
    const Format = '$context.integrationLatency|$context.integration.error';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    const lines: string[] = [];
    const api = (payload: string) => (payload.includes('/open/bad') ? { bad: true } : ok());
    const { port } = await serve({ api }, { resources, accessLog: (line) => lines.push(line) });
    for (const path of ['/open/x', '/open/bad', '/nope']) await send(port, `GET ${path}`);
    await until(() => lines.length === 3);
    expect(lines.map((line) => line.replace(/^\d+/, 'N'))).toEqual([
      'N|-',
      'N|Malformed Lambda proxy response: unknown key \\"bad\\"',
      '-|-',
    ]);
  });

  test('escapes values, so that a request cannot forge members', async () => {
    const Format =
      '{"path":"$context.path","agent":"$context.identity.userAgent","error":$context.error.messageString}';
    const resources = changed('Stage', { AccessLogSetting: { DestinationArn: 'arn', Format } });
    const line = deferred<string>();
    const { port } = await serve({ api: ok }, { resources, accessLog: line.resolve });
    await send(port, 'GET /nope","path":"/forged\\', ['User-Agent: a","path":"/forged\\\t']);
    expect(JSON.parse(await line.value)).toEqual({
      path: '/v1/nope","path":"/forged\\',
      agent: 'a","path":"/forged\\',
      error: 'Missing Authentication Token',
    });
  });

  test('is empty when the stage has no format', async () => {
    const lines: string[] = [];
    const { port } = await serve({ api: ok }, { accessLog: (line) => lines.push(line) });
    await send(port, 'GET /open/x');
    expect(lines).toEqual([]);
  });
});
