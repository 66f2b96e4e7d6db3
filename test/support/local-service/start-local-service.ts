/** Services on this machine as a user runs them: processes of their own, which a test can kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder';

const ROOT = path.join(__dirname, '..', '..', '..');
const EMULATE = path.join(ROOT, 'dist', 'cli', 'emulate.js');
const STOWAGE = path.join(ROOT, 'dist', 'cli', 'stowage.js');
const ENDS_WITH_PARENT = path.join(__dirname, 'ends-with-parent.cjs');
const START_TIMEOUT_MS = 100_000;

export interface Running {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pid: number;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Sends SIGINT and returns the exit code. */
  interrupt(): Promise<number | null>;
}

export const newDataFolder = (): TemporaryFolder => temporaryFolder('data');

/** Starts `stowage serve` on a free port, unless `more` names another, until it is ready. */
export function startServed(
  folder: string,
  more: readonly string[] = [],
  command: readonly string[] = [STOWAGE],
): Promise<Running> {
  return start([...command, 'serve', '--port', '0', '--data', folder, ...more], 'Ctrl-C stops it');
}

/**
 * Starts the emulator on free ports, unless the flags name others, until it is ready. `command`
 * replaces `dist/cli/emulate.js`.
 */
export async function startLocalService(
  folder: string,
  more: readonly string[] = [],
  command: readonly string[] = [EMULATE],
): Promise<Running> {
  const ports = ['', 's3-', 'dynamodb-', 'sqs-', 'oidc-', 'api-'].map((name) => `--${name}port`);
  const flags = [...ports.flatMap((port) => [port, '0']), '--data', folder, ...more];
  return start([...command, ...flags], 'Ctrl-C stops everything');
}

/** Starts a program of Node.js. `ready`: what it prints last. */
async function start(command: readonly string[], ready: string): Promise<Running> {
  const child = spawn(process.execPath, [ENDS_WITH_PARENT, ...command], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!output.includes(ready)) {
    if (child.exitCode !== null || Date.now() > deadline) {
      end();
      throw new Error(`the service did not start:\n${output}`);
    }
    await wait(50);
  }
  const stop = async (signal: NodeJS.Signals) => {
    process.removeListener('exit', end);
    return ended(child, signal);
  };
  return {
    baseUrl: /base URL +(\S+)/.exec(output)?.[1] ?? '',
    apiKey: /API key +(\S+)/.exec(output)?.[1] ?? '',
    pid: child.pid ?? 0,
    kill: async () => {
      await stop('SIGKILL');
    },
    interrupt: () => stop('SIGINT'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}
