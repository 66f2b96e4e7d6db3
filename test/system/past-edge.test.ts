/** Requests to the hosts of the two APIs themselves, past the edge of the running service. */
import { request } from 'node:http';
import path from 'node:path';
import WebSocket from 'ws';
import { loadStack } from '../../emulator/src/template/assembly';
import { resolveStack } from '../../emulator/src/template/resolve-stack';
import { resourcesOfType } from '../../emulator/src/template/resources';
import { useEmulatedService } from '../support/local-service/shared-service';
import { openWireChannel } from './support/wire-channel';

jest.setTimeout(120_000);

const CDK_OUT = path.join(__dirname, '../../cdk.out');

const service = useEmulatedService();
let hosts: { readonly rest: string; readonly channel: string };

beforeAll(() => {
  const stack = resolveStack(loadStack(CDK_OUT, 'stowage-dev'));
  const hostOf = (type: string) => {
    const [api] = resourcesOfType(stack, type);
    return `${api?.physicalId}.execute-api.${stack.region}.amazonaws.com`;
  };
  hosts = { rest: hostOf('AWS::ApiGateway::RestApi'), channel: hostOf('AWS::ApiGatewayV2::Api') };
});
const authorization = () => `Bearer ${service().apiKey}`;

function direct(method: string, target: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status?: number; body: string }>((resolve, reject) => {
    const options = { method, headers: { ...headers, host: hosts.rest } };
    const sent = request(`${service().baseUrl}/api${target}`, options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject).end();
  });
}

/** The status with which a handshake at the host of the WebSocket API is refused. */
function handshake(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const url = `${service().baseUrl.replace('http', 'ws')}/sync`;
    const socket = new WebSocket(url, { headers: { ...headers, host: hosts.channel } });
    socket.on('open', () => {
      socket.terminate();
      reject(new Error('the channel opened'));
    });
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (sent, { statusCode }) => {
      sent.destroy();
      resolve(statusCode);
    });
  });
}

test('the REST API refuses requests that bypass the edge, even with a valid key', async () => {
  for (const [method, target, headers] of [
    ['GET', '/api/v2/storage/buckets', { authorization: authorization() }],
    ['GET', '/api/v2/storage/buckets', { authorization: authorization(), referer: 'guess' }],
    ['GET', '/api/v2/storage/buckets', {}],
    ['PUT', '/api/v2/storage/objects/a/b', { authorization: authorization() }],
    ['POST', '/admin/v1/keys/aaaaaaaaaaaa/revoke', {}],
    ['GET', '/', {}],
    ['GET', '/openapi.json', {}],
  ] as const) {
    const { status, body } = await direct(method, target, headers);
    expect([target, status]).toEqual([target, 403]);
    expect(JSON.parse(body).error).toEqual({
      code: 'forbidden',
      message: expect.stringContaining('base URL'),
      request_id: expect.any(String),
    });
  }
});

test('the WebSocket API refuses handshakes that bypass the edge, even with a valid key', async () => {
  expect(await handshake({ authorization: authorization() })).toBe(403);
  expect(await handshake({ authorization: authorization(), referer: 'guess' })).toBe(403);
});

test('requests and handshakes through the edge pass, whatever Referer the client sends', async () => {
  for (const referer of [undefined, 'https://app.example/page']) {
    const headers = { authorization: authorization(), ...(referer && { referer }) };
    const response = await fetch(`${service().baseUrl}/api/v2/storage/buckets`, { headers });
    expect(response.status).toBe(200);
  }
  const channel = await openWireChannel(service().baseUrl, service().apiKey);
  expect(channel.refused).toBeUndefined();
  channel.terminate();
});
