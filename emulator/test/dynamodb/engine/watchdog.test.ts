import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnWatched } from '../../../src/services/dynamodb/engine/watchdog';
import { afterTest } from '../../support/clean-up';

const WATCHDOG = path.join(__dirname, '../../../src/services/dynamodb/engine/watchdog.ts');

/** A program that ends only when it is killed. */
const PROGRAM = [process.execPath, ['-e', 'setInterval(() => {}, 1000)']] as const;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function hasEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(10);
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<number> {
  const [chunk] = await once(stream ?? process.stdin, 'data');
  return Number.parseInt(String(chunk), 10);
}

// The watchdog of Windows runs on every platform.
describe.each(['linux', 'win32'] as const)('the watchdog of %s', (platform) => {
  test('prints the pid of the program, and ends it when its standard input ends', async () => {
    const watchdog = spawnWatched(...PROGRAM, platform);
    const pid = await firstLine(watchdog.stdout);
    expect(isRunning(pid)).toBe(true);
    watchdog.stdin?.end();
    await once(watchdog, 'exit');
    await hasEnded(pid);
  });

  test('ends when the program ends', async () => {
    const watchdog = spawnWatched(...PROGRAM, platform);
    process.kill(await firstLine(watchdog.stdout), 'SIGKILL');
    await once(watchdog, 'exit');
  });

  test('ends the program when its parent is killed', async () => {
    const code = `
      const { spawnWatched } = require(${JSON.stringify(WATCHDOG)});
      const child = spawnWatched(${JSON.stringify(PROGRAM[0])}, ${JSON.stringify(PROGRAM[1])}, '${platform}');
      child.stdout.pipe(process.stdout);`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    afterTest(() => parent.kill('SIGKILL'));
    const pid = await firstLine(parent.stdout);
    parent.kill('SIGKILL');
    await hasEnded(pid);
  });
});
