/** The emulator is a workspace of its own, independent of the product that it runs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, ROOT } from './sources';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly private?: boolean;
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
const root = readManifest('.');
const emulator = readManifest('emulator');
const own = { ...emulator.dependencies, ...emulator.devDependencies };

test('the emulator is a private workspace of the repository, with its version', () => {
  expect(root.workspaces).toEqual(['emulator']);
  expect([emulator.private, emulator.version]).toEqual([true, root.version]);
});

test('the emulator pins the packages that it shares with the product to the same versions', () => {
  const shared = Object.entries(root.devDependencies ?? {}).filter(([name]) => name in own);
  expect(own).toMatchObject(Object.fromEntries(shared));
  expect(Object.values(own).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('no file of the emulator names the product or a path of the HTTP interface', () => {
  const product = /stowage|\/api\/v2|\/admin\/v1/i;
  const found = filesBelow('emulator', ['.ts', '.js', '.md', '.json'])
    .filter(({ path: file }) => file !== 'emulator/package.json')
    .flatMap(({ path: file, text }) =>
      text
        .split('\n')
        .filter((line) => product.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
