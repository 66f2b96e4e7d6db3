// Collects the licences of the bundled npm packages, which must be distributed with the bundles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The packages whose files esbuild read, by its metafile.
 * @returns {{name: string, version: string, identifier: string, text: string}[]}
 */
export function bundledPackages(root, metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (folder !== undefined) folders.add(path.join(root, folder));
  }
  return [...folders]
    .filter((folder) => existsSync(path.join(folder, 'package.json')))
    .map(licenceOf);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const text = texts
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim())
    .join('\n\n');
  return { name, version, identifier: license, text };
}

/** One text for all, each licence once with the packages that are under it. */
export function notices(packages) {
  const byText = new Map();
  for (const { name, version, identifier, text } of packages) {
    const terms = text || `${identifier}, without a text of its own`;
    const names = byText.get(terms) ?? new Set();
    byText.set(terms, names.add(`${name} ${version} (${identifier})`));
  }
  const sections = [...byText].map(
    ([text, names]) => `${[...names].sort().join('\n')}\n\n${text}\n`,
  );
  const line = `\n${'-'.repeat(80)}\n\n`;
  return [
    'Parts of this package are made by others, under these terms.\n',
    ...sections.sort(),
  ].join(line);
}
