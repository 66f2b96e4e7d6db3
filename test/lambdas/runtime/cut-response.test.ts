/** A body of S3 that breaks off, in the emulator's Lambda runtime and behind its gateway. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { startRestApi } from '../../../emulator/src/services/rest-api/rest-api';
import { useLambda } from '../../../emulator/test/lambda/service';
import { functionStack } from '../../../emulator/test/lambda/stack';
import { BASE, stackOf } from '../../../emulator/test/rest-api/stack';
import { send } from '../../../emulator/test/rest-api/wire';
import { afterTest, useFolder } from '../../../emulator/test/support/clean-up';
import { until } from '../../../emulator/test/support/until';

/** Streams what an address serves, as the download function streams what S3 serves. */
const FUNCTION = `
  import { get } from 'node:http';
  import { createHandler } from './lambdas/runtime/http-handler';
  import { EmfMeter } from './lambdas/runtime/telemetry/emf-meter';
  import { log } from './lambdas/runtime/telemetry/log';
  let served = 0;
  const open = (url) => new Promise((resolve) => get(url, resolve));
  export const handler = createHandler(
    async ({ queryStringParameters }) => ({
      status: 200,
      headers: { 'x-served': String(++served) },
      body: await open(queryStringParameters.from),
    }),
    'stream',
    { log, meter: new EmfMeter({ namespace: 'test', level: 'all' }) },
  );
`;

/** Announces a megabyte at /broken, sends a third of it, and hangs up. */
async function startSource(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/whole') return void response.end('whole');
    response.writeHead(200, { 'Content-Length': 1_000_000 });
    response.write(Buffer.alloc(333_333, 'x'), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a body that breaks off cuts the response, and the environment serves the next request', async () => {
  const folder = useFolder();
  buildSync({
    stdin: { contents: FUNCTION, resolveDir: join(__dirname, '../../..'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    outfile: join(folder, 'index.js'),
  });
  const stack = functionStack({ api: { Handler: 'index.handler' } }, {}, folder);
  const lambda = useLambda(stack, { dataDir: folder, maxEnvironments: 1 });
  const bounds = { stopMs: 50 };
  const api = await startRestApi({ stack: stackOf(BASE), invoker: lambda, port: 0, bounds });
  afterTest(() => api.stop());
  const port = Number(new URL(api.baseUrl).port);
  const source = await startSource();
  const read = (path: string) =>
    send(port, `GET /streamed?from=${encodeURIComponent(source + path)}`);

  const cut = await read('/broken');
  expect([cut.status, cut.complete, cut.header('x-served')]).toEqual([200, false, '1']);
  const next = await read('/whole');
  expect([next.text, next.complete, next.header('x-served')]).toEqual(['whole', true, '2']);

  const logged = () => readFileSync(join(folder, 'logs', 'api.log'), 'utf8');
  await until(() => logged().includes('CutResponses'));
  expect(logged().match(/"event":"response_cut"/g)).toHaveLength(1);
  expect(logged().match(/"CutResponses":1/g)).toHaveLength(1);
  expect(logged()).not.toContain('UnhandledPromiseRejection');
});
