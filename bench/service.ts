/**
 * The service as a user runs it: what `npm start` starts, in a process of its own, its data in a
 * temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Of endpoints.json: what the service tells about itself. */
interface Description {
  readonly endpoints: { readonly s3: string; readonly dynamodb: string };
  readonly region: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface Service {
  readonly pid: number;
  /** BASE_URL and API_KEY for clients of the service. */
  readonly clientEnv: Readonly<Record<string, string>>;
  /** What Lambda and the stack would set, with the developer's own credentials. */
  readonly sdkEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Milliseconds. */
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 20_000;

/**
 * `nodeOptions`: for Node.js itself, such as `--cpu-prof`. Throws when the service does not start.
 */
export async function startService(
  root: string,
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const data = mkdtempSync(path.join(tmpdir(), 'stowage-bench-'));
  const script = path.join(root, 'dist/cli/serve.js');
  const ports = ['--port', '--s3-port', '--dynamodb-port', '--sqs-port', '--oidc-port'].flatMap(
    (port) => [port, '0'],
  );
  const child = spawn(process.execPath, [...nodeOptions, script, ...ports, '--data', data], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await end(child);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const clientEnv = await announcement(child);
    const file = path.join(data, 'endpoints.json');
    const sdkEnv = environment(JSON.parse(readFileSync(file, 'utf8')));
    return { pid: child.pid ?? 0, clientEnv, sdkEnv, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the service prints when it is ready. */
async function announcement(child: ChildProcess): Promise<Readonly<Record<string, string>>> {
  const impatience = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
  try {
    let text = '';
    for await (const chunk of child.stdout ?? []) {
      text += chunk;
      const [, baseUrl] = /base URL\s+(http\S+)/.exec(text) ?? [];
      const [, key] = /API key\s+(osk_\S+)\s/.exec(text) ?? [];
      if (baseUrl && key) return { BASE_URL: baseUrl, API_KEY: key };
    }
    throw new Error(`the service has not started: ${text}`);
  } finally {
    clearTimeout(impatience);
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
    CONTENT_BUCKET: output('ContentBucketName'),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
  await exit;
  clearTimeout(impatience);
}
