/** The packages for programs without the CDK, installed from their tarballs. */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { useTemporaryFolder } from '../support/temporary-folder';

jest.setTimeout(300_000);

const ROOT = path.join(__dirname, '../..');
const project = useTemporaryFolder('clients');

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args}: ${stdout}${stderr}`);
  return stdout;
}

const compile = (...args: string[]) =>
  run(process.execPath, path.join(ROOT, 'node_modules/typescript/bin/tsc'), ...args);

beforeAll(() => {
  const manifest = { private: true, type: 'module' };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  const tarballs = ['client', 'react'].map((name) => path.join(ROOT, `dist/stowage-${name}.tgz`));
  run('npm', 'install', '--offline', '--legacy-peer-deps', '--no-audit', ...tarballs);
  // Of this repository: what the packages leave to the app.
  for (const name of ['react', 'react-dom', '@types', 'csstype']) {
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(project, 'node_modules', name));
  }
});

test('the client alone has no dependencies and at most 26.5 kB of code, compressed', () => {
  const folder = path.join(project, 'node_modules/@stowage/client');
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('peerDependencies');
  const code = readFileSync(path.join(folder, 'index.mjs'));
  expect(gzipSync(code).length).toBeLessThan(26_500);
  const kinds = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replace(/^[^.]*/, ''),
  );
  expect([...new Set(kinds)].sort()).toEqual([
    '',
    '.d.mts',
    '.d.ts',
    '.js',
    '.json',
    '.md',
    '.mjs',
  ]);
});

test('the client alone loads by import and by require', () => {
  const shown = 'console.log(typeof StowageClient, new StowageError("network", "x").name)';
  const esm = `import { StowageClient, StowageError } from '@stowage/client'; ${shown}`;
  const cjs = `const { StowageClient, StowageError } = require('@stowage/client'); ${shown}`;
  for (const args of [
    ['--input-type=module', '-e', esm],
    ['--input-type=commonjs', '-e', cjs],
  ]) {
    expect(run(process.execPath, ...args)).toBe('function StowageError\n');
  }
});

test('the example live-list compiles with both packages', () => {
  const example = path.join(ROOT, 'examples/live-list');
  for (const name of ['src', 'tsconfig.json']) {
    cpSync(path.join(example, name), path.join(project, name), { recursive: true });
  }
  compile('-p', '.');
});
