/** The command `smoke` against the emulator, and through proxies that are wrong in one respect. */
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { useEmulatedService } from '../support/local-service/shared-service';
import { runInProcess } from './support/in-process';

jest.setTimeout(240_000);

const service = useEmulatedService();

async function smoke(args: readonly string[], key = service().apiKey) {
  const { status, stdout, stderr } = await stowage(['smoke', ...args], key);
  const lines = `${stdout}${stderr}`.trim().split('\n');
  return { status, lines, failed: lines.filter((line) => line.startsWith('FAIL')) };
}

const stowage = (args: readonly string[], key = '') =>
  runInProcess(args, { env: { ...process.env, STOWAGE_KEY: key } });

/** The status of the bucket that a run has named in its first line. */
async function bucketOf([first = '']: readonly string[]): Promise<number> {
  const name = /smoke-[0-9a-f]+/.exec(first)?.[0];
  if (name === undefined) throw new Error(`no bucket in ${first}`);
  const headers = { authorization: `Bearer ${service().apiKey}` };
  const url = `${service().baseUrl}/api/v2/storage/buckets/${name}`;
  return (await fetch(url, { headers })).status;
}

interface Exchange {
  readonly method: string;
  readonly url: string;
  status: number;
  headers: http.OutgoingHttpHeaders;
  body: Buffer;
}

/** A fault of a proxy: changes a request on its way there, or a response on its way back. */
interface Fault {
  readonly request?: (request: { url: string }) => void;
  readonly response?: (exchange: Exchange) => void;
}

/** Runs smoke through a proxy with the fault. */
async function smokeThrough({ request, response }: Fault, args: readonly string[] = []) {
  const proxy = http.createServer((incoming, outgoing) => {
    const asked = { url: incoming.url ?? '/' };
    const method = incoming.method ?? 'GET';
    request?.(asked);
    const { hostname, port } = new URL(service().baseUrl);
    const options = { hostname, port, method, path: asked.url, headers: incoming.headers };
    const onward = http.request(options, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const { statusCode: status = 0, headers } = answer;
      const exchange = { method, url: asked.url, status, headers, body: Buffer.concat(chunks) };
      response?.(exchange);
      outgoing.writeHead(exchange.status, exchange.headers).end(exchange.body);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  try {
    return await smoke(['--base-url', `http://127.0.0.1:${port}/`, ...args]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

test('smoke passes against the emulator and removes its bucket', async () => {
  const { status, lines, failed } = await smoke(['--base-url', service().baseUrl]);

  expect(failed).toEqual([]);
  expect(status).toBe(0);
  expect(lines.at(-1)).toMatch(/^\d+ as assumed, \d+ only reported, 0 failed$/);
  expect(lines.every((line) => /^(ok|note|\d+) /.test(line))).toBe(true);
  expect(await bucketOf(lines)).toBe(404);
});

test('smoke sees Retry-After when the rate of its key is low', async () => {
  const args = ['create-key', '--data', service().data, '--tier', 'small'];
  const { stdout } = await stowage(args);
  const key = stdout.trim();

  const flags = ['--base-url', service().baseUrl, '--only', 'the rate of its key'];
  const { status, lines } = await smoke(flags, key);

  expect(lines[1]).toMatch(/^ok {4}a request above .*: status 429, Retry-After: \d+$/);
  expect(status).toBe(0);
});

/** Keeps refusals of GET for a path, as CloudFront does by default. */
function keepRefusals(): Fault {
  const kept = new Map<string, Exchange>();
  return {
    response: (exchange) => {
      if (exchange.method !== 'GET') return;
      const [where = ''] = exchange.url.split('?');
      const earlier = kept.get(where);
      if (earlier !== undefined) Object.assign(exchange, earlier, { method: 'GET' });
      else if (exchange.status >= 400) kept.set(where, { ...exchange });
    },
  };
}

const drop = (name: string): Fault => ({ response: ({ headers }) => delete headers[name] });

const FAULTS: readonly (readonly [what: string, Fault, only: string, line: RegExp])[] = [
  [
    'keeps refusals',
    keepRefusals(),
    'a refusal is not cached',
    /^FAIL {2}a refusal is not cached on the way: status 404 .* right after the object was stored$/,
  ],
  [
    'merges slashes',
    {
      request: (request) => {
        request.url = request.url.replace(/\/\//g, '/');
      },
    },
    'with an empty segment',
    /^FAIL {2}a key with an empty segment arrives as it was sent: stored as "keys\/a\/b"$/,
  ],
  [
    'decodes paths',
    {
      request: (request) => {
        request.url = request.url.replace(/%25/g, '%');
      },
    },
    'with a literal %2F',
    /^FAIL {2}a key with a literal %2F arrives as it was sent: stored as "keys\/g\/h"$/,
  ],
  [
    'renames WWW-Authenticate',
    drop('www-authenticate'),
    'without a valid key',
    /^FAIL {2}a request without a valid key .* 401 with WWW-Authenticate: undefined$/,
  ],
  [
    'refuses large bodies itself',
    {
      response: (exchange) => {
        if (exchange.status !== 413) return;
        exchange.headers = { 'content-type': 'text/plain' };
        exchange.body = Buffer.from('too long');
      },
    },
    'above 4 MiB',
    /^FAIL {2}a body above 4 MiB .*: status 413 "too long" with the Content-Type text\/plain$/,
  ],
  [
    'cuts bodies',
    {
      response: (exchange) => {
        if (exchange.method !== 'GET' || !exchange.url.endsWith('/get')) return;
        exchange.body = exchange.body.subarray(0, 5);
        delete exchange.headers['transfer-encoding'];
        exchange.headers['content-length'] = '5';
      },
    },
    'GET of an object sends its bytes',
    /^FAIL {2}GET of an object sends its bytes: status 200 with "stowa"$/,
  ],
  [
    'reports a wrong size',
    {
      response: ({ headers, method }) => {
        if (method === 'HEAD') headers['x-object-size'] = '7';
      },
    },
    'state their length',
    /^FAIL {2}responses state their length: the x-object-size 7$/,
  ],
  [
    'ignores ranges',
    {
      response: (exchange) => {
        if (exchange.status === 206) exchange.status = 200;
      },
    },
    'a range is sent',
    /^FAIL {2}a range is sent with 206: status 200 "smoke" instead of 206$/,
  ],
];

test.each(FAULTS)('smoke fails at a proxy that %s', async (_what, fault, only, line) => {
  const { status, lines, failed } = await smokeThrough(fault, ['--only', only]);

  expect(failed).toEqual([expect.stringMatching(line)]);
  expect(status).toBe(1);
  expect(await bucketOf(lines)).toBe(404);
});

test('smoke fails when the API behind the edge accepts requests', async () => {
  const flags = ['--only', 'bypass the edge', '--api-url', service().baseUrl];
  const { status, failed } = await smoke(['--base-url', service().baseUrl, ...flags]);

  expect(failed).toEqual([expect.stringMatching(/bypass the edge: status 200 .* instead of 403$/)]);
  expect(status).toBe(1);
});

test('smoke reports an invalid key in one line', async () => {
  const { status, lines } = await smoke(['--base-url', service().baseUrl, '--key', 'osk_x']);

  expect(lines[0]).toMatch(/^FAIL {2}a bucket can be created: status 401 /);
  expect([status, lines.length]).toEqual([1, 2]);
});
