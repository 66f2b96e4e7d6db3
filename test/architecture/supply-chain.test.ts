/** The packages that the project installs: integrity, licences, install scripts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
);

/** Third-party packages by folder. */
const PACKAGES = Object.entries(lock.packages).filter(
  ([folder, { link }]) => folder.includes('node_modules/') && link !== true,
);

/** Licences that allow use, and distribution as a part of the product. */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Python-2.0',
  'Zlib',
];

/** Reports whether an SPDX expression without nested parentheses has an allowed choice. */
function isAllowed(expression = ''): boolean {
  return expression
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => LICENCES.includes(licence)));
}

const foldersWhere = (matches: (found: LockedPackage) => boolean) =>
  PACKAGES.filter(([, found]) => matches(found)).map(([folder]) => folder);

test('the lock file lists more than 400 packages', () => {
  expect(PACKAGES.length).toBeGreaterThan(400);
});

test('every package in the lock file has an integrity hash', () => {
  // A bundled package has none: the hash of the package that bundles it covers both.
  const missing = foldersWhere(
    ({ integrity = '', inBundle }) => inBundle !== true && !integrity.startsWith('sha512-'),
  );
  expect(missing).toEqual([]);
});

test('no package in the lock file has a download address', () => {
  expect(foldersWhere(({ resolved = '' }) => /^\w+:/.test(resolved))).toEqual([]);
});

test('every package has a licence that allows its use', () => {
  expect(foldersWhere(({ license }) => !isAllowed(license))).toEqual([]);
});

test.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', '(GPL-2.0 OR AGPL-3.0)', undefined])(
  'the licence %s is not allowed',
  (expression) => {
    expect(isAllowed(expression)).toBe(false);
  },
);

test('npm runs no install script, and only three known packages have one', () => {
  expect(readFileSync(path.join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  // These work without their scripts, because optional packages contain their programs.
  const names = foldersWhere(({ hasInstallScript }) => hasInstallScript === true).map((folder) =>
    folder.replace(/^.*node_modules\//, ''),
  );
  expect(names.sort()).toEqual(['@parcel/watcher', 'esbuild', 'unrs-resolver']);
});
