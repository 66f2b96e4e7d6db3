// node .ci/second-try.mjs COMMAND...: runs the tests of a command that ends in jest. When at most
// five test files fail, each of them runs once more, with nothing beside it: the machine of a
// check may be slow for seconds at a time, and one wait of thousands then fails. The last lines
// name those files as TRIED AGAIN, so that somebody looks at them, and count the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MOST_FILES = 5;

const folder = mkdtempSync(path.join(tmpdir(), 'tests-'));

/** The results of each test file, or undefined when jest did not get as far as writing them. */
function run([program, ...args]) {
  const file = path.join(folder, 'results.json');
  rmSync(file, { force: true });
  spawnSync(program, [...args, '--json', `--outputFile=${file}`], { stdio: 'inherit' });
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : undefined;
}

const hasFailed = ({ status }) => status === 'failed';

function runAgain(failed) {
  const names = failed.map(({ name }) => name);
  const again = run(['npx', 'jest', '--runInBand', '--runTestsByPath', ...names]) ?? failed;
  for (const name of names) console.log(`TRIED AGAIN ${path.relative('.', name)}`);
  return again;
}

/** Whether all tests passed. The sums by jest would count the tests of a failed file twice. */
function report(files) {
  const all = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = all.filter(({ status }) => status === 'passed').length;
  // A file that does not load, or whose clean-up fails, is one failure without a test.
  const broken = files.filter(
    (file) => hasFailed(file) && !file.assertionResults.some(hasFailed),
  ).length;
  const failed = all.filter(hasFailed).length + broken;
  const skipped = all.length - passed - (failed - broken);
  console.log(`Counted: ${failed} failed, ${skipped} skipped, ${passed} passed`);
  return passed > 0 && failed + skipped === 0;
}

try {
  const files = run(process.argv.slice(2));
  if (files === undefined) throw new Error('jest has ended without results');
  const failed = files.filter(hasFailed);
  const isFew = failed.length > 0 && failed.length <= MOST_FILES;
  const rest = files.filter((file) => !hasFailed(file));
  process.exitCode = report(isFew ? [...rest, ...runAgain(failed)] : files) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
