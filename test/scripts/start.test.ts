/** The command line of `npm start`, which is checked before anything is installed or built. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { usage } from '../../emulator/src/flags.cjs';

const ROOT = path.join(__dirname, '../..');

const start = (...args: readonly string[]) =>
  spawnSync(process.execPath, [path.join(ROOT, 'scripts/start.mjs'), ...args], {
    encoding: 'utf8',
  });

test('npm start prints its options, and a wrong one, without a build', () => {
  const help = start('--help');
  expect(help).toMatchObject({ status: 0, stdout: usage(), stderr: '' });
  const wrong = start('--prot', '8000');
  expect(wrong).toMatchObject({ status: 1, stdout: '' });
  expect(wrong.stderr).toBe(
    "--prot is not an option; did you mean --port?\n'npm start -- --help' lists the options\n",
  );
});

test('npm start replaces its shell, so that a signal to npm ends the service', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.start).toMatch(/^exec node /);
});
