import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../errors/user-error';
import { commandOfProcess, startOfProcess } from '../../../machine/processes';
import { engineBinary } from './binary';
import { Engine } from './engine';
import { spawnWatched } from './watchdog';

const READY_MILLISECONDS = 10_000;

export interface EngineProcess {
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves when the engine has ended for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the engine on a database file in `directory`. Throws UserError when another service uses
 * it.
 */
export async function startEngine(directory: string): Promise<EngineProcess> {
  const binary = engineBinary();
  mkdirSync(directory, { recursive: true });
  const pidFile = join(directory, 'engine.json');
  const database = join(directory, 'dynamodb.sqlite');
  await endEngineOfKilledService(pidFile, database);
  // Another process may take the free port before the engine listens on it.
  for (let attempt = 1; ; attempt++) {
    const host = hiddenHost();
    const port = await freePort(host);
    const address = ['--host', host, '--port', `${port}`];
    const child = spawnWatched(binary, ['serve', ...address, '--db-path', database]);
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const pid = await firstLine(child);
    writeFileSync(pidFile, JSON.stringify({ engine: pid, service: identity(process.pid) }));
    const endpoint = `http://${host}:${port}`;
    if (await isReady(endpoint, child)) {
      const stop = async () => {
        child.stdin?.end();
        await ended;
        rmSync(pidFile, { force: true });
      };
      return { endpoint, pid, ended, stop };
    }
    child.stdin?.end();
    await ended;
    if (attempt === 3)
      throw new Error(`the DynamoDB engine did not start: ${binary} on ${database}`);
  }
}

/** Reads the pid of the engine, which is the first line of the watchdog. */
async function firstLine(child: ChildProcess): Promise<number> {
  const text = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the DynamoDB engine ended at once')));
  });
  child.stdout?.resume();
  return Number.parseInt(text, 10);
}

async function isReady(endpoint: string, child: ChildProcess): Promise<boolean> {
  const engine = new Engine(endpoint, 1);
  const deadline = Date.now() + READY_MILLISECONDS;
  try {
    while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      const response = await engine.call('ListTables', {}).catch(() => undefined);
      if (response !== undefined) return true;
      await delay(5);
    }
    return false;
  } finally {
    await engine.close();
  }
}

/**
 * Ends the engine that a killed service left behind, because only one engine may use a database:
 * waits a second for the watchdog to end it, then kills it. Throws UserError when another service
 * uses the database.
 */
async function endEngineOfKilledService(pidFile: string, database: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const { engine, service } = readPidFile(pidFile);
  if (service !== '' && service === identity(Number.parseInt(service, 10))) {
    throw new UserError(`${database} is in use by process ${Number.parseInt(service, 10)}`);
  }
  const isOurs = () => commandOfProcess(engine).includes(database);
  for (const deadline = Date.now() + 1000; isOurs() && Date.now() < deadline; ) await delay(5);
  if (isOurs()) process.kill(engine, 'SIGKILL');
  for (const deadline = Date.now() + 5000; isOurs(); ) {
    if (Date.now() > deadline) throw new UserError(`${database} is in use by process ${engine}`);
    await delay(5);
  }
  rmSync(pidFile, { force: true });
}

function readPidFile(pidFile: string): { engine: number; service: string } {
  try {
    const { engine, service } = JSON.parse(readFileSync(pidFile, 'utf8'));
    if (typeof engine === 'number' && typeof service === 'string') return { engine, service };
  } catch {
    // The service was killed while writing the file: only the watchdog can end its engine.
  }
  return { engine: 0, service: '' };
}

/** Empty when there is no such process. */
function identity(pid: number): string {
  const start = startOfProcess(pid);
  return start === null ? '' : `${pid} ${start}`;
}

/**
 * A random loopback address. The engine checks no signature and accepts web pages of any origin
 * (CORS `*`): on 127.0.0.1 a page would only have to try the ports. All of 127.0.0.0/8 is loopback
 * (RFC 1122, 3.2.1.3), which is too much to search; 0 and 255 may be broadcast. Only Linux and
 * Windows accept all of it; macOS has 127.0.0.1 alone.
 */
function hiddenHost(platform = process.platform): string {
  if (platform !== 'linux' && platform !== 'win32') return '127.0.0.1';
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}
