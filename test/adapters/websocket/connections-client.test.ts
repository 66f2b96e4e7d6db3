import { createHash } from 'node:crypto';
import https from 'node:https';
import {
  type ConnectionsClient,
  createConnectionsClient,
} from '../../../adapters/websocket/connections-client';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server';

const ID = 'TXzPWdnOjoECGjA=';
const OPTIONS = {
  region: 'eu-west-1',
  credentials: () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }),
};

const original = { ...process.env };
beforeEach(() => {
  delete process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI;
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

async function withClient(
  script: readonly ScriptedResponse[],
  use: (client: ConnectionsClient, server: ScriptedServer) => Promise<void>,
): Promise<void> {
  const server = await startScriptedServer(script);
  try {
    await use(createConnectionsClient(`${server.endpoint}/sync`, OPTIONS), server);
  } finally {
    await server.stop();
  }
}

test('the connections of a stage are at its host, by HTTPS', async () => {
  const stop = new Error('stop');
  const request = jest.spyOn(https, 'request').mockImplementation(() => {
    throw stop;
  });
  try {
    const host = 'abc.execute-api.eu-west-1.amazonaws.com';
    const client = createConnectionsClient(`https://${host}/sync`, OPTIONS);
    await expect(client.send('GET', ID)).rejects.toBe(stop);
    const path = '/sync/@connections/TXzPWdnOjoECGjA%3D';
    expect(request.mock.calls).toMatchObject([
      [{ host, port: undefined, method: 'GET', path, headers: { host } }],
    ]);
  } finally {
    request.mockRestore();
  }
});

test.each<[string, ScriptedResponse, object]>([
  [
    'a name and an id of the request',
    {
      status: 403,
      headers: { 'x-amzn-errortype': 'ForbiddenException:http://x', 'x-amzn-requestid': 'r-1' },
    },
    { name: 'ForbiddenException', $metadata: { httpStatusCode: 403, requestId: 'r-1' } },
  ],
  ['neither', { status: 502 }, { name: 'Status502', $metadata: { httpStatusCode: 502 } }],
])('a refusal with %s is an error with them', async (_, response, error) => {
  await withClient([response], async (client, { received }) => {
    const thrown = await client.send('DELETE', ID).catch((one: unknown) => one);
    expect({ ...(thrown as object) }).toMatchObject(error);
    expect(thrown).toHaveProperty('$metadata', (error as { $metadata: object }).$metadata);
    expect(received).toHaveLength(1);
  });
});

test('the same message is sent again as it is, and a message after many others too', async () => {
  await withClient([{ status: 200 }], async (client, { received }) => {
    const messages = ['ä', 'ä', ...Array.from({ length: 20 }, (_, n) => `m${n}`), 'ä', 'm0', ''];
    for (const message of messages) await client.send('POST', ID, message);
    expect(received.map(({ body }) => body)).toEqual(messages);
    for (const { headers, body } of received) {
      expect(headers['content-type']).toBe('application/octet-stream');
      const digest = createHash('sha256').update(body).digest('hex');
      expect(headers['x-amz-content-sha256']).toBe(digest);
    }
  });
});
