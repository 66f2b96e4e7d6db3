/**
 * Starts MiniStack, an independent AWS emulator (PyPI `ministack`), in its strict configuration: it
 * enforces IAM policies (`AUTH`) and uses TLS, because the bucket policies of `cdk bootstrap` and
 * of the stack deny other connections.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { get } from 'node:https';
import path from 'node:path';
import { freePort } from '../support/free-port';
import { until } from '../support/until';
import { type Environment, start } from './processes';

export interface MiniStack {
  /** Origin of all its AWS APIs. */
  readonly endpoint: string;
  /** PEM file of its self-signed certificate. */
  readonly certificate: string;
  /**
   * Variables with which the CDK command line, the AWS SDK and Node.js reach MiniStack as the
   * account's administrator. They contain no variable of this process but PATH.
   */
  readonly environment: Environment;
}

/**
 * Starts MiniStack with all its files below `folder`. Throws when it is not ready within a minute.
 * `stopAll` in processes.ts stops it.
 */
export async function startMiniStack(executable: string, folder: string): Promise<MiniStack> {
  const port = await freePort();
  const temporary = path.join(folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  const base = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: temporary,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  const server = start(
    [executable],
    {
      ...base,
      AUTH: 'true',
      USE_SSL: '1',
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_EXECUTOR: 'local',
      // Its functions inherit this variable.
      NODE_OPTIONS: `--require ${path.join(__dirname, 'connections-endpoint.cjs')}`,
    },
    path.join(folder, 'ministack.log'),
  );

  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = path.join(temporary, 'ministack-tls', 'server.crt');
  await until('MiniStack to be ready', async () => {
    if (server.exitCode !== null || server.pid === undefined) throw new Error('MiniStack ended');
    return existsSync(certificate) && (await isHealthy(endpoint, readFileSync(certificate)));
  });
  return {
    endpoint,
    certificate,
    environment: {
      ...base,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      // The CDK command line reads the first, Node.js the second.
      AWS_CA_BUNDLE: certificate,
      NODE_EXTRA_CA_CERTS: certificate,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      CI: 'true',
    },
  };
}

function isHealthy(endpoint: string, ca: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${endpoint}/_ministack/health`, { ca, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
