/** The commands of npm that run a service. */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { usage } from '../../emulator/src/command/flags.cjs';

const ROOT = path.join(__dirname, '../..');

const emulate = (...args: readonly string[]) =>
  spawnSync(process.execPath, [path.join(ROOT, 'scripts/emulate.mjs'), ...args], {
    encoding: 'utf8',
  });

test('npm run emulate prints its options, and a wrong one, without a build', () => {
  const help = emulate('--help');
  expect(help).toMatchObject({ status: 0, stdout: usage(), stderr: '' });
  const wrong = emulate('--prot', '8000');
  expect(wrong).toMatchObject({ status: 1, stdout: '' });
  expect(wrong.stderr).toBe(
    "--prot is not an option; did you mean --port?\n'npm run emulate -- --help' lists the options\n",
  );
});

test('the service ends when a signal ends the shell between it and npm', async () => {
  const program = `
    import { endWithNpm } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'scripts/start/end-with-npm.mjs')).href)};
    endWithNpm();
    process.once('SIGTERM', () => { console.log('stopped'); process.exit(); });
    setInterval(() => {}, 1000);
    console.log('started');`;
  // A shell that waits for its command, which dash does also for the last one.
  const shell = spawn(
    'sh',
    ['-c', `"$0" --input-type=module -e "$1"; exit $?`, process.execPath, program],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    },
  );
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('started');
  shell.kill('SIGTERM');
  expect((await lines.next()).value).toBe('stopped');
});
