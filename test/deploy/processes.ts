/** Child processes with a time limit that are stopped together with their own children. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export type Environment = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();

/** Starts a process in a group of its own. Its output goes to the file `log`, or to stdout. */
export function start(command: readonly string[], env: Environment, log?: string): ChildProcess {
  const [file, ...args] = command;
  if (file === undefined) throw new Error('no command');
  const output = log === undefined ? 'inherit' : openSync(log, 'a');
  const child = spawn(file, args, { env, stdio: ['ignore', output, output], detached: true });
  running.add(child);
  child.on('exit', () => running.delete(child));
  // `run` and the probe for a server fail when the command does not exist.
  child.on('error', (error) => console.error(`${file}: ${error.message}`));
  return child;
}

/** Ends a process and its group with SIGTERM, and after ten seconds with SIGKILL. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const exited =
    child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
  signal(child.pid, 'SIGTERM');
  await Promise.race([exited, pause(10_000, undefined, { ref: false })]);
  // Its children may still run.
  signal(child.pid, 'SIGKILL');
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Runs a command; throws when it fails or takes longer than `seconds`. */
export async function run(
  command: readonly string[],
  env: Environment,
  seconds: number,
): Promise<void> {
  const child = start(command, env);
  const timer = setTimeout(() => void stop(child), seconds * 1000);
  try {
    const [code, killedBy] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code ?? killedBy}`);
  } finally {
    clearTimeout(timer);
  }
}

function signal(group: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    // ESRCH: no process of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
