// `node scripts/api-types.mjs`: writes dist/openapi/schema.d.ts, the TypeScript types of the
// OpenAPI document, for the dashboard. Does nothing when the file was made from the same document
// by the same generator. `npm run types` and `npm run build` run it first.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const file = path.join(root, 'dist', 'openapi', 'schema.d.ts');

export async function writeApiTypes() {
  const document = readFileSync(path.join(root, 'dashboard', 'public', 'openapi.json'), 'utf8');
  const { version } = createRequire(import.meta.url)('openapi-typescript/package.json');
  const digest = createHash('sha256').update(document).digest('hex');
  const firstLine = `// Made by openapi-typescript ${version} from ${digest}.\n`;
  if (current().startsWith(firstLine)) return;
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  // Not `immutable`: openapi-fetch takes readonly arrays apart as if they were records.
  const types = astToString(await openapiTS(document));
  mkdirSync(path.dirname(file), { recursive: true });
  // In one step: another command may be reading it.
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, firstLine + types);
  renameSync(temporary, file);
}

function current() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeApiTypes();
