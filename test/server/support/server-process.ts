/** The server in a process of its own, which a test can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';

const ROOT = path.join(__dirname, '../../..');
// Below the packages, which it loads from there.
const PROGRAM = path.join(ROOT, 'node_modules/.cache/stowage-test-server.js');

/** Builds the program: a bundle starts three times as fast as its sources. */
export function buildServer(): void {
  buildSync({
    ...{ entryPoints: [path.join(__dirname, 'child.ts')], outfile: PROGRAM, bundle: true },
    ...{ platform: 'node', packages: 'external', logLevel: 'error' },
  });
}

/** Starts a process. `limits`: commands of a shell that limit it. */
export function spawnServer(folder: string, limits = 'true'): ChildProcess {
  const run = `${limits}; exec "$0" "$@"`;
  return spawn('sh', ['-c', run, process.execPath, PROGRAM, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly key: string,
  ) {}

  /** Starts the server, and waits until it serves. */
  static async start(folder: string, limits?: string): Promise<ServerProcess> {
    const child = spawnServer(folder, limits);
    const errors = child.stderr ? text(child.stderr) : Promise.resolve('');
    const line = await new Promise<string | undefined>((resolve) => {
      child.stdout?.once('data', (data) => resolve(String(data)));
      child.once('exit', () => resolve(undefined));
    });
    if (line === undefined) throw new Error(await errors);
    const { url, key } = JSON.parse(line);
    return new ServerProcess(child, url, key);
  }

  /** Kills the process as a power failure does, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  call(method: string, target: string, body?: string | object): Promise<Response> {
    const isJson = typeof body === 'object';
    return fetch(`${this.url}/api/v2/storage/${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(isJson && { 'Content-Type': 'application/json' }),
      },
      body: isJson ? JSON.stringify(body) : body,
    });
  }
}
