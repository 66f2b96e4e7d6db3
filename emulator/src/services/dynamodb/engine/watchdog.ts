/**
 * Starts a program that ends when this process ends, even by a signal that no process can catch:
 * the watchdog then sees that the other end of its pipe is closed.
 */
import { type ChildProcess, spawn } from 'node:child_process';

/**
 * For systems with a POSIX shell, whose processes take 1 MB each. Without job control the shell
 * gives a background command no standard input, hence descriptor 3.
 */
const SHELL = `
  exec 3<&0
  "$@" 3<&- </dev/null >/dev/null & engine=$!
  echo $engine
  (cat <&3; kill -9 $engine) >/dev/null & watch=$!
  wait $engine
  kill $watch`;

/** For Windows, with a Node.js of 40 MB. */
const NODE = `
  const [program, ...args] = process.argv.slice(1);
  const options = { stdio: 'ignore', windowsHide: true };
  const engine = require('node:child_process').spawn(program, args, options);
  engine.on('error', () => process.exit(1));
  engine.on('exit', () => process.exit(0));
  const end = () => engine.kill('SIGKILL');
  process.stdin.on('end', end).on('error', end).resume();
  console.log(engine.pid);`;

/** The first line of the child's standard output is the pid of the program. */
export function spawnWatched(
  program: string,
  args: readonly string[],
  platform = process.platform,
): ChildProcess {
  const isWindows = platform === 'win32';
  const command = isWindows ? process.execPath : '/bin/sh';
  const watchdog = isWindows ? ['-e', NODE, '--'] : ['-c', SHELL, 'sh'];
  return spawn(command, [...watchdog, program, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A process group of its own: Ctrl-C reaches the service only, which ends the engine last.
    detached: true,
    windowsHide: true,
  });
}
