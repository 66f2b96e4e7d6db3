/** Starts the emulator with a temporary data folder, in its own process. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RATE_CLASSES } from '../core/limits';

/** The fields of endpoints.json that the bench uses. */
interface Description {
  readonly endpoints: { readonly s3: string; readonly dynamodb: string };
  readonly region: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface Service {
  readonly pid: number;
  /** STOWAGE_URL and STOWAGE_KEY for clients of the service. */
  readonly clientEnv: Readonly<Record<string, string>>;
  /** The environment that Lambda and the stack set, with the developer's credentials. */
  readonly sdkEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The dev environment of cdk.json, in which no request of a measurement meets a rate limit. */
const UNLIMITED = {
  bench: {
    removalPolicy: 'destroy',
    edge: { requestsPerFiveMinutes: false },
    secondFactor: false,
    rateTiers: {
      default: Object.fromEntries(
        RATE_CLASSES.map((name) => [name, { rate: 10_000, burst: 10_000 }]),
      ),
    },
  },
};

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** Throws when the service does not start. `nodeOptions`: such as `--cpu-prof`. */
export async function startService(
  root: string,
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const data = mkdtempSync(path.join(tmpdir(), 'stowage-bench-'));
  const script = path.join(root, 'dist/cli/emulate.js');
  const template = synthesize(root, path.join(data, 'cdk.out'));
  const ports = ['--port', '--s3-port', '--dynamodb-port', '--sqs-port', '--oidc-port'].flatMap(
    (port) => [port, '0'],
  );
  const child = spawn(
    process.execPath,
    [...nodeOptions, script, ...template, ...ports, '--data', data],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // A signal of the terminal reaches the service, too; one for this process alone does not.
  process.once('SIGTERM', () => {
    child.kill();
    process.exit(143);
  });
  const stop = async () => {
    await end(child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const clientEnv = await readAddress(child);
    const file = path.join(data, 'endpoints.json');
    const sdkEnv = environment(JSON.parse(readFileSync(file, 'utf8')));
    return { pid: child.pid ?? 0, clientEnv, sdkEnv, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the template to measure to a folder. Returns the options with which it is run. */
function synthesize(root: string, folder: string): readonly string[] {
  const context = JSON.stringify({ environments: UNLIMITED });
  const env = { CDK_OUTDIR: folder, CDK_CONTEXT_JSON: context, CDK_VALIDATION: 'false' };
  const tsx = path.join(root, 'node_modules/tsx/dist/cli.mjs');
  execFileSync(process.execPath, [tsx, 'bin/app.ts'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return ['--cdk-out', folder, '--stack', 'stowage-bench'];
}

/** Returns the base URL and the API key that the service prints when it is ready. */
async function readAddress(child: ChildProcess): Promise<Readonly<Record<string, string>>> {
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    let text = '';
    for await (const chunk of child.stdout ?? []) {
      text += chunk;
      const [, baseUrl] = /base URL\s+(http\S+)/.exec(text) ?? [];
      const [, key] = /API key\s+(osk_\S+)\s/.exec(text) ?? [];
      if (baseUrl && key) return { STOWAGE_URL: baseUrl, STOWAGE_KEY: key };
    }
    throw new Error(`the service did not start: ${text}`);
  } finally {
    clearTimeout(timeout);
  }
}

function environment({ endpoints, region, outputs, credentials }: Description) {
  const output = (name: string) => outputs[name] ?? '';
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    BUCKETS_TABLE: output('BucketsTableName'),
    OBJECTS_TABLE: output('ObjectsTableName'),
    CHANGES_TABLE: output('ChangesTableName'),
    UPLOADS_TABLE: output('UploadsTableName'),
    API_KEYS_TABLE: output('ApiKeysTableName'),
    RATES_TABLE: output('RatesTableName'),
    SUBSCRIPTIONS_TABLE: output('SubscriptionsTableName'),
    CONTENT_BUCKET: output('ContentBucketName'),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(timeout);
}
