import { type ChildProcess, fork } from 'node:child_process';
import { afterTest } from './clean-up';

/**
 * Runs a script that starts a service in a child process, which is killed after the test. The
 * script sends the endpoint of the service to its parent.
 */
export async function useProcess(
  script: string,
  ...args: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly endpoint: string }> {
  const child = fork(script, args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  afterTest(() => child.kill('SIGKILL'));
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the service exited with ${code}`)));
  });
  return { child, endpoint };
}

/** kill -9; resolves when the process has exited. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
