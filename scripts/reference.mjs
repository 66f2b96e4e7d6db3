// `npm run reference`: writes docs/reference/ from the doc comments of what the package exports
// (typedoc.json); with `--check` only says whether it is up to date. Fails when something exported
// has no comment, or names a type that is not exported.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, runTool } from './installed.mjs';

const committed = path.join(root, 'docs', 'reference');
const check = process.argv.includes('--check');
const out = check ? mkdtempSync(path.join(tmpdir(), 'stowage-reference-')) : committed;
process.on('exit', () => {
  if (check) rmSync(out, { recursive: true, force: true });
});

runTool('typedoc', ['--logLevel', 'Warn', '--out', out]);
const pages = (folder) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
if (check && JSON.stringify(pages(out)) !== JSON.stringify(pages(committed))) {
  console.error('docs/reference is out of date: npm run reference');
  process.exit(1);
}
