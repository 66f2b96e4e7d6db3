// `npm run planted`: plants each bug of test/planted in a copy of the sources, and runs the check
// that has to catch it. A patch begins with what it breaks, and names its check:
//
//     Check: test/core/log/trim.test.ts
//     Title: a part of the titles of the tests that run; all of the file when absent
//
// Arguments choose the patches whose names contain one of them. `--check` only looks whether each
// patch is whole and applies; `--patches=FOLDER` takes others. PLANTED_JOBS: how many run at the
// same time.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const [given] = process.argv.flatMap((argument) => /^--patches=(.+)$/.exec(argument)?.[1] ?? []);
const PATCHES = given ?? path.join(ROOT, 'test/planted');
const COPIES = path.join(ROOT, '.local/planted', given === undefined ? 'all' : 'given');
const LIMIT_MS = 5 * 60_000;
const COPIED = [
  ...[
    'adapters',
    'bin',
    'cli',
    'client',
    'core',
    'emulator',
    'lambdas',
    'lib',
    'openapi',
    'react-hooks',
    'service',
  ],
  ...['scripts', 'test', 'jest.config.js', 'package.json', 'tsconfig.json', 'cdk.json'],
];

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const patches = readdirSync(PATCHES)
  .filter((file) => file.endsWith('.patch'))
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .sort()
  .map(patchIn);

if (patches.length === 0) throw new Error(`no patch is named ${names.join(', ')}`);
if (process.argv.includes('--check')) checkAll();
else await runAll();

function patchIn(file) {
  const text = readFileSync(path.join(PATCHES, file), 'utf8');
  const [head = ''] = text.split('\n--- ');
  const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1];
  return {
    name: file.replace(/\.patch$/, ''),
    file: path.join(PATCHES, file),
    breaks: head.split('\n')[0],
    check: field('Check'),
    title: field('Title'),
  };
}

function checkAll() {
  const broken = patches.filter((patch) => !patch.breaks || !patch.check || !applies(patch));
  for (const { name } of broken) console.log(`${name} is not whole, or does not apply`);
  console.log(`${patches.length - broken.length} of ${patches.length} patches apply`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

function applies({ file }) {
  return gitApply(ROOT, ['--check', file]).status === 0;
}

/** Without a repository: neither the index nor the folder of the copy in the tree matters. */
function gitApply(folder, args) {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(folder) };
  return spawnSync('git', ['apply', ...args], { cwd: folder, env, encoding: 'utf8' });
}

async function runAll() {
  const began = Date.now();
  const missed = [];
  let slowest = 0;
  const left = [...patches];
  const work = async (_, job) => {
    const folder = copyOf(job);
    for (let patch = left.shift(); patch; patch = left.shift()) {
      const { verdict, seconds } = await tryPatch(folder, patch);
      if (verdict !== 'caught') missed.push(patch.name);
      slowest = Math.max(slowest, seconds);
      console.log(`${verdict} ${patch.name} (${patch.check}, ${seconds} s)`);
    }
  };
  try {
    const jobs = Number(process.env.PLANTED_JOBS ?? 2);
    await Promise.all(Array.from({ length: Math.min(jobs, patches.length) }, work));
  } finally {
    rmSync(COPIES, { recursive: true, force: true });
  }
  const caught = patches.length - missed.length;
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${caught} of ${patches.length} caught in ${seconds} s, each within ${slowest} s`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

function copyOf(job) {
  const folder = path.join(COPIES, String(job));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const one of COPIED) {
    const filter = (source) => path.basename(source) !== 'node_modules';
    cpSync(path.join(ROOT, one), path.join(folder, one), { recursive: true, filter });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

async function tryPatch(folder, patch) {
  const began = Date.now();
  const verdict = await verdictOf(folder, patch);
  return { verdict, seconds: Math.ceil((Date.now() - began) / 1000) };
}

/** Without the patch the check passes: it is one of the tests of `npm test`. */
async function verdictOf(folder, patch) {
  const applied = gitApply(folder, [patch.file]);
  if (applied.status !== 0) return `DOES NOT APPLY ${applied.stderr}`;
  try {
    return await outcomeOf(folder, patch);
  } finally {
    gitApply(folder, ['--reverse', patch.file]);
  }
}

/** A test has to fail: a file that does not load says nothing about the bug. */
async function outcomeOf(folder, { check, title }) {
  const jest = path.join(ROOT, 'node_modules/.bin/jest');
  const args = ['--selectProjects', 'stowage', '--runInBand', '--bail', '--json', check];
  const child = spawn(jest, [...args, ...(title ? ['-t', title] : [])], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  try {
    const { numFailedTests, numPassedTests } = JSON.parse(output.slice(output.indexOf('{')));
    if (numFailedTests > 0) return 'caught';
    return numPassedTests > 0 ? 'MISSED' : 'RAN NO TEST';
  } catch {
    return 'OUT OF TIME';
  }
}
