/** Responses of @connections that no gateway sends on demand. */
import '../../support/node-errors';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayChannels } from '../../../adapters/websocket/channels';
import { createConnectionsClient } from '../../../lambdas/runtime/aws-clients';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server';

const ID = 'TXzPWdnOjoECGjA=';
const original = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  delete process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI;
  // Repeats at once.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

/** An error response of API Gateway. */
const refusal = (status: number, name: string): ScriptedResponse => ({
  status,
  headers: { 'x-amzn-errortype': name, 'content-type': 'application/json' },
  body: { message: name, connectionId: ID, requestId: 'request' },
});
const GONE = refusal(410, 'GoneException');
const FULL = refusal(429, 'LimitExceededException');
const HTML: ScriptedResponse = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>',
};
const OK: ScriptedResponse = { status: 200 };

async function withScript<T>(
  script: readonly ScriptedResponse[],
  use: (channels: GatewayChannels, server: ScriptedServer) => Promise<T>,
): Promise<T> {
  const server = await startScriptedServer(script);
  const client = createConnectionsClient(`${server.endpoint}/sync`);
  try {
    return await use(new GatewayChannels(client), server);
  } finally {
    await server.stop();
  }
}

test('each call sends the request that API Gateway expects', async () => {
  await withScript([OK], async (channels, { received }) => {
    expect(await channels.post(ID, '{"type":"ü"}')).toBe('sent');
    expect(await channels.isOpen(ID)).toBe(true);
    await channels.disconnect(ID);

    const path = '/sync/@connections/TXzPWdnOjoECGjA%3D';
    expect(received).toEqual([
      expect.objectContaining({ method: 'POST', path, body: '{"type":"ü"}' }),
      expect.objectContaining({ method: 'GET', path }),
      expect.objectContaining({ method: 'DELETE', path }),
    ]);
    expect(received[0]?.headers.authorization).toContain('/eu-west-1/execute-api/aws4_request');
  });
});

test('an endpoint in the environment replaces that of the deployment', async () => {
  const server = await startScriptedServer([OK]);
  process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = `${server.endpoint}/local`;
  const client = createConnectionsClient('https://abc.execute-api.eu-west-1.amazonaws.com/sync');
  try {
    expect(await new GatewayChannels(client).post(ID, 'x')).toBe('sent');
    expect(server.received[0]?.path).toBe('/local/@connections/TXzPWdnOjoECGjA%3D');
  } finally {
    await server.stop();
  }
});

describe('a post', () => {
  test.each<[string, ScriptedResponse, string]>([
    ['410', GONE, 'gone'],
    ['410 without a body', { status: 410 }, 'gone'],
    ['429', FULL, 'busy'],
    ['429 with another error name', refusal(429, 'TooManyRequestsException'), 'busy'],
    ['500', refusal(500, 'InternalServerErrorException'), 'busy'],
    ['502 of a proxy', HTML, 'busy'],
    ['503 without a body', { status: 503 }, 'busy'],
  ])('is not repeated after %s', async (_, refused, expected) => {
    await withScript([refused], async (channels, { received }) => {
      expect(await channels.post(ID, 'x')).toBe(expected);
      expect(received).toHaveLength(1);
    });
  });

  test.each<[string, ScriptedResponse]>([
    ['of more than 128 KiB', refusal(413, 'PayloadTooLargeException')],
    ['that is not permitted', refusal(403, 'ForbiddenException')],
    ['to an invalid connection id', refusal(400, 'BadRequestException')],
  ])('%s throws', async (_, refused) => {
    await withScript([refused], async (channels, { received }) => {
      await expect(channels.post(ID, 'x')).rejects.toThrow();
      expect(received).toHaveLength(1);
    });
  });

  test('without a response returns `busy` after at most a second and a half', async () => {
    await withScript(['silence'], async (channels, { received }) => {
      const start = performance.now();
      expect(await channels.post(ID, 'x')).toBe('busy');
      // Leaves a second for a slow machine.
      expect(performance.now() - start).toBeLessThan(2_500);
      expect(received).toHaveLength(1);
    });
  });

  test('does not wait for others: 64 run concurrently', async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      waiting.push(response);
      // Responds only when all requests have arrived.
      if (waiting.length === 64) for (const each of waiting) each.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = createConnectionsClient(`http://127.0.0.1:${port}/sync`);
    const channels = new GatewayChannels(client);
    try {
      const posts = Array.from({ length: 64 }, (_, n) => channels.post(`${n}=`, 'x'));
      expect(new Set(await Promise.all(posts))).toEqual(new Set(['sent']));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe.each<[string, (channels: GatewayChannels) => Promise<unknown>, unknown, unknown]>([
  ['isOpen', (channels) => channels.isOpen(ID), true, false],
  ['disconnect', (channels) => channels.disconnect(ID), undefined, undefined],
])('%s', (_, call, done, gone) => {
  test('returns when the connection is gone', async () => {
    await withScript([GONE], async (channels, { received }) => {
      expect(await call(channels)).toBe(gone);
      expect(received).toHaveLength(1);
    });
  });

  test('is repeated while the gateway is busy', async () => {
    await withScript([FULL, HTML, FULL, OK], async (channels, { received }) => {
      expect(await call(channels)).toBe(done);
      expect(received).toHaveLength(4);
    });
  });

  test('throws after four attempts', async () => {
    await withScript([FULL], async (channels, { received }) => {
      await expect(call(channels)).rejects.toThrow('LimitExceededException');
      expect(received).toHaveLength(4);
    });
  });

  test('throws without another attempt when it is not permitted', async () => {
    await withScript([refusal(403, 'ForbiddenException')], async (channels, { received }) => {
      await expect(call(channels)).rejects.toThrow('ForbiddenException');
      expect(received).toHaveLength(1);
    });
  });
});

describe('a connection to the gateway', () => {
  const CALLS = {
    post: (channels: GatewayChannels) => channels.post(ID, 'x'),
    isOpen: (channels: GatewayChannels) => channels.isOpen(ID),
    disconnect: (channels: GatewayChannels) => channels.disconnect(ID),
  };

  test.each<[keyof typeof CALLS, ScriptedResponse[], unknown, number]>([
    ['post', ['reset', OK], 'sent', 2],
    ['post', ['reset', GONE], 'gone', 2],
    ['post', ['reset'], 'busy', 2],
    ['post', ['reset', 'silence'], 'busy', 2],
    ['isOpen', ['reset', 'reset', OK], true, 3],
    ['disconnect', ['reset', 'reset', OK], undefined, 3],
  ])(
    'that breaks during %s is opened again: %j gives %j',
    async (operation, script, outcome, requests) => {
      await withScript(script, async (channels, { received }) => {
        expect(await CALLS[operation](channels)).toBe(outcome);
        expect(received).toHaveLength(requests);
      });
    },
  );

  test.each(['isOpen', 'disconnect'] as const)(
    'that breaks four times during %s makes it throw',
    async (operation) => {
      await withScript(['reset'], async (channels, { received }) => {
        const failed = { name: 'TimeoutError', code: 'ECONNRESET' };
        await expect(CALLS[operation](channels)).rejects.toMatchObject(failed);
        expect(received).toHaveLength(4);
      });
    },
  );

  test('that cannot be opened makes post return `busy`', async () => {
    const server = await startScriptedServer([OK]);
    await server.stop();
    const channels = new GatewayChannels(createConnectionsClient(server.endpoint));

    expect(await channels.post(ID, 'x')).toBe('busy');
  });
});

/** What a client throws besides: its own mistakes, and failures of a kind that Node.js adds. */
describe('after an error of the client', () => {
  const failing = (error: unknown) => {
    let attempts = 0;
    const send = () => {
      attempts++;
      return Promise.reject(error);
    };
    return { channels: new GatewayChannels({ send }), attempts: () => attempts };
  };
  const withCode = (code: string) => Object.assign(new Error('failed'), { code });
  const named = (name: string) => Object.assign(new Error('failed'), { name });
  const withStatus = (httpStatusCode?: number) =>
    Object.assign(new Error('failed'), { $metadata: { httpStatusCode } });

  test.each<[string, unknown, number]>([
    ['ECONNRESET', withCode('ECONNRESET'), 2],
    ['EPIPE', withCode('EPIPE'), 2],
    ['ECONNREFUSED', withCode('ECONNREFUSED'), 1],
    ['ETIMEDOUT', withCode('ETIMEDOUT'), 1],
    ['EHOSTUNREACH', withCode('EHOSTUNREACH'), 1],
    ['EAI_AGAIN', withCode('EAI_AGAIN'), 1],
    ['ENOTFOUND', withCode('ENOTFOUND'), 1],
    ['a timeout', named('TimeoutError'), 1],
    ['an abort', named('AbortError'), 1],
    ['status 500', withStatus(500), 1],
    ['status 599', withStatus(599), 1],
  ])('%s post returns `busy`', async (_, error, attempts) => {
    const client = failing(error);
    expect(await client.channels.post(ID, 'x')).toBe('busy');
    expect(client.attempts()).toBe(attempts);
  });

  test.each<[string, unknown]>([
    ['of an unknown code', withCode('ERR_INVALID_ARG_TYPE')],
    ['without a code', new TypeError('failed')],
    ['that is no Error', 'ECONNRESET'],
    ['that is an object with a code', { code: 'ECONNRESET', name: 'TimeoutError' }],
    ['that is an object with a status', { $metadata: { httpStatusCode: 410 } }],
    ['of status 400', withStatus(400)],
    ['of status 499', withStatus(499)],
    [
      'of a response with a status, whatever its name',
      Object.assign(withStatus(403), { name: 'TimeoutError' }),
    ],
    ['of a response without a status', withStatus()],
  ])('%s, post throws it after one attempt', async (_, error) => {
    const client = failing(error);
    await expect(client.channels.post(ID, 'x')).rejects.toBe(error);
    expect(client.attempts()).toBe(1);
  });
});
