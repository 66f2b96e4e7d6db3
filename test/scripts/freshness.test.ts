/** When the commands of npm build and synthesize, and when they use what is there. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { INPUTS, prepare } from '../../scripts/freshness.cjs';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = path.join(__dirname, '../..');

const OUTPUTS = {
  build: ['dist/cli/stowage.js', 'dist/lambdas/api/index.js'],
  synth: ['cdk.out/dev.template.json'],
};

const folders: { remove(): void }[] = [];
afterAll(() => folders.forEach((folder) => void folder.remove()));

/** A project with a file at or below each input; its outputs are copies of all inputs. */
function project() {
  const data = temporaryFolder('freshness');
  folders.push(data);
  const root = data.folder;
  const at = (file: string) => path.join(root, file);
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  const files = INPUTS.map((input) => (/\.json$/.test(input) ? input : `${input}/deep/file.ts`));
  for (const file of files) write(file, `content of ${file}`);
  const make = (step: keyof typeof OUTPUTS) => {
    const sources = files.map((file) => (existsSync(at(file)) ? readFileSync(at(file)) : ''));
    for (const output of OUTPUTS[step]) write(output, `${output} of ${sources.join()}`);
  };
  /** Whether the calls build or synthesize. */
  const builds = (environment = {}, during: () => void = () => undefined) => {
    let built = false;
    for (const step of ['build', 'synth'] as const) {
      const work = () => {
        built = true;
        make(step);
        during();
      };
      prepare(root, step, work, environment);
    }
    return built;
  };
  return { root, at, write, files, builds };
}

/** A project that was built once. */
function built() {
  const made = project();
  expect(made.builds()).toBe(true);
  expect(made.builds()).toBe(false);
  return made;
}

test('a start builds nothing when nothing changed, or only times', () => {
  const { at, files, builds } = built();
  for (const file of files) utimesSync(at(file), 1, 1);
  expect(builds()).toBe(false);
});

test('a start builds when a file of any input is changed, added, renamed or removed', () => {
  const { at, write, files, builds } = built();
  for (const file of files) {
    appendFileSync(at(file), ' changed');
    expect([file, builds()]).toEqual([file, true]);
    rmSync(at(file));
    expect([file, builds()]).toEqual([file, true]);
    write(file, 'again');
    expect([file, builds()]).toEqual([file, true]);
    if (file.endsWith('.ts')) {
      renameSync(at(file), at(`${file}x`));
      expect([file, builds()]).toEqual([file, true]);
    }
    expect([file, builds()]).toEqual([file, false]);
  }
});

test('a start builds when text moves from one file to the next', () => {
  const { write, builds } = built();
  write('core/a.ts', 'one two');
  write('core/b.ts', '');
  expect(builds()).toBe(true);
  write('core/a.ts', 'one ');
  write('core/b.ts', 'two');
  expect(builds()).toBe(true);
});

test('a start builds after a checkout of another commit, and after the way back', () => {
  const { root, at, write, builds } = project();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  write('.gitignore', 'dist/\ncdk.out/\nnode_modules/\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  expect(builds()).toBe(true);
  write('lib/deep/file.ts', 'the second commit');
  git('commit', '-qam', 'two');
  expect(builds()).toBe(true);
  git('checkout', '-q', 'HEAD~1');
  expect(builds()).toBe(true);
  expect(readFileSync(at('cdk.out/dev.template.json'), 'utf8')).not.toContain('second commit');
  expect(builds()).toBe(false);
  git('checkout', '-q', 'main');
  expect(builds()).toBe(true);
  expect(readFileSync(at('cdk.out/dev.template.json'), 'utf8')).toContain('second commit');
});

test.each(Object.values(OUTPUTS).flat())(
  'a start builds when %s was removed or written by another command',
  (output) => {
    const { at, builds } = built();
    const content = readFileSync(at(output), 'utf8');
    rmSync(at(output));
    expect(builds()).toBe(true);
    writeFileSync(at(output), content.replace(/.$/, '!'));
    // The times that a program can set do not hide it.
    utimesSync(at(output), 1, 1);
    expect(builds()).toBe(true);
    expect(builds()).toBe(false);
  },
);

test('a start builds when the settings of the CDK in the environment are others', () => {
  const { builds } = built();
  expect(builds({ CDK_CONTEXT_JSON: '{"environments":{"other":{}}}' })).toBe(true);
  expect(builds({ CDK_CONTEXT_JSON: '{"environments":{"other":{}}}', HOME: '/x' })).toBe(false);
  expect(builds()).toBe(true);
});

test('a start builds under another version of Node.js', () => {
  const { builds } = built();
  const { version } = process;
  Object.defineProperty(process, 'version', { value: 'v99.0.0', configurable: true });
  try {
    expect(builds()).toBe(true);
  } finally {
    Object.defineProperty(process, 'version', { value: version, configurable: true });
  }
  expect(builds()).toBe(true);
});

test('a start repeats a build that failed, and one during which a source changed', () => {
  const { root, write, builds } = built();
  write('lib/deep/file.ts', 'broken');
  const fail = () => {
    throw new Error('does not compile');
  };
  expect(() => prepare(root, 'build', fail, {})).toThrow('does not compile');
  write('lib/deep/file.ts', 'content of lib/deep/file.ts');
  expect(builds()).toBe(true);
  write('core/deep/file.ts', 'one');
  expect(builds({}, () => write('core/deep/file.ts', 'two'))).toBe(true);
  expect(builds()).toBe(true);
  expect(builds()).toBe(false);
});

test('build and synth read no source outside the inputs', async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['bin/app.ts', 'cli/*.ts', 'client/index.ts', 'emulator/src/main.ts'],
    bundle: true,
    platform: 'node',
    packages: 'external',
    outdir: path.join(ROOT, 'dist'),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const functions = JSON.parse(readFileSync(path.join(ROOT, 'dist/lambdas-meta.json'), 'utf8'));
  const read = [...Object.keys(metafile.inputs), ...Object.keys(functions.inputs)];
  const sources = read.filter((file) => !file.includes('node_modules/'));
  expect(sources).toEqual(expect.arrayContaining(['bin/app.ts', 'lambdas/api/handler.ts']));
  const isInput = (file: string) =>
    INPUTS.some((input) => file === input || file.startsWith(`${input}/`));
  expect(sources.filter((file) => !isInput(file))).toEqual([]);
});
