/** The planted bugs of this folder, and the command that tries them. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useTemporaryFolder } from '../support/temporary-folder';

const ROOT = path.join(__dirname, '../..');
const folder = useTemporaryFolder('planted');

function planted(...args: string[]) {
  const script = path.join(ROOT, 'scripts/planted.mjs');
  const env = { ...process.env, PLANTED_JOBS: '1' };
  return spawnSync(process.execPath, [script, ...args], { cwd: ROOT, env, encoding: 'utf8' });
}

test('every planted bug names its check, and applies', () => {
  const patches = readdirSync(__dirname).filter((file) => file.endsWith('.patch'));
  expect(patches.length).toBeGreaterThanOrEqual(50);
  const { status, stdout } = planted('--check');
  expect(stdout).toBe(`${patches.length} of ${patches.length} patches apply\n`);
  expect(status).toBe(0);
});

const HARMLESS = `A comment says something else, which no test can notice.

Check: test/core/http/ranges.test.ts

--- a/core/http/cache-control.ts
+++ b/core/http/cache-control.ts
@@ -1 +1,2 @@
+// Something else.
`;

test('a bug that its check notices is caught, and one that it does not notice is missed', () => {
  const name = 'suffix-range-off-by-one';
  const [file = ''] = readdirSync(__dirname).filter((one) => one.includes(name));
  copyFileSync(path.join(__dirname, file), path.join(folder, file));
  const [first] = spawnSync('head', ['-1', 'core/http/cache-control.ts'], {
    ...{ cwd: ROOT, encoding: 'utf8' },
  }).stdout.split('\n');
  writeFileSync(path.join(folder, 'harmless.patch'), `${HARMLESS} ${first}\n`);
  const { status, stdout } = planted(`--patches=${folder}`);
  expect(stdout).toMatch(/^caught \d+-suffix-range-off-by-one /m);
  expect(stdout).toMatch(/^MISSED harmless /m);
  expect(stdout).toMatch(/^1 of 2 caught /m);
  expect(status).toBe(1);
});
