import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importsOf } from './imports';
import { filesBelow, ROOT, type SourceFile } from './sources';

/**
 * Patterns that match the packages of a manifest, and the paths inside them. `@types/a` stands for
 * `a`.
 */
function packagesOf(manifest: string): readonly RegExp[] {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(ROOT, manifest), 'utf8'),
  );
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.map((name) => new RegExp(`^${name.replace(/^@types\//, '')}(/|$)`));
}

/** What each folder may import: the table of docs/design.md, "Folders". */
const LAYERS: Readonly<Record<string, readonly RegExp[]>> = {
  core: [/^node:/, /^core\//],
  service: [/^node:/, /^core\//, /^service\//],
  adapters: [
    /^node:/,
    /^@aws-sdk\//,
    /^@smithy\/core\//,
    /^aws-jwt-verify(\/|$)/,
    /^libsql$/,
    /^core\//,
    /^adapters\//,
  ],
  lambdas: [
    /^node:/,
    /^@aws-sdk\//,
    /^aws-lambda$/,
    /^core\//,
    /^service\//,
    /^adapters\//,
    /^lambdas\//,
  ],
  server: [
    /^node:/,
    /^ws$/,
    /^prom-client$/,
    /^package\.json$/,
    /^core\//,
    /^service\//,
    /^adapters\//,
    /^server\//,
  ],
  lib: [
    /^node:/,
    /^aws-cdk-lib(\/|$)/,
    /^constructs$/,
    /^lib\//,
    /^lambdas\/runtime\/(env|telemetry\/metrics)$/,
    /^service\/(routes|administration)\/routes$/,
    /^core\/(http\/inert|limits)$/,
  ],
  bin: [/^node:/, /^aws-cdk-lib(\/|$)/, /^cdk-nag$/, /^lib(\/|$)/, /^bin\//],
  // Sources and tests import nothing of the product, and only packages of the emulator's manifest.
  emulator: [/^node:/, /^emulator\//, ...packagesOf('emulator/package.json')],
  openapi: [/^openapi\//, /^core\//, /^service\/(routes|administration)\/routes$/],
  // Runs in browsers too, so it imports nothing else.
  client: [/^client\//],
  'react-hooks': [/^react$/, /^@stowage\/client$/, /^react-hooks\//],
  // From core only files that import nothing but types, because they become part of the page.
  dashboard: [
    /^react(-dom\/client)?$/,
    /^@cloudscape-design\//,
    /^oidc-client-ts$/,
    /^client-zip$/,
    /^openapi-fetch$/,
    /^client\//,
    /^core\/(access\/permission-summary|charset|hidden|folded-name)$/,
    /^dashboard\//,
    /^dist\/openapi\/schema$/,
  ],
  'test/acceptance': [
    /^node:/,
    /^(?!(core|service|adapters|lambdas|lib|bin|emulator|cli|scripts|bench)(\/|$)|test\/(?!acceptance\/))/,
  ],
};

function violations(folder: string, files: readonly SourceFile[]): readonly string[] {
  const allowed = LAYERS[folder] ?? [];
  return files.flatMap((file) => outside(file, allowed));
}

function outside(file: SourceFile, allowed: readonly RegExp[]): readonly string[] {
  return importsOf(file)
    .filter((imported) => !allowed.some((pattern) => pattern.test(imported)))
    .map((imported) => `${file.path} imports ${imported}`);
}

test.each(Object.keys(LAYERS))('%s imports only what docs/design.md allows it', (folder) => {
  const files = filesBelow(folder, ['.ts', '.tsx']);
  expect(violations(folder, files)).toEqual([]);
});

test.each<[string, string, string]>([
  [
    'a type from a layer above',
    'core/a.ts',
    "import type { Bucket } from '../lib/content-bucket';",
  ],
  ['the SDK in the domain', 'core/a.ts', "import type { S3Client } from '@aws-sdk/client-s3';"],
  ['a construct in a function', 'lambdas/api/a.ts', "import { Tables } from '../../lib/tables';"],
  ['a handler in a construct', 'lib/a.ts', "import { handler } from '../lambdas/api/handler';"],
  [
    'the product in its emulator',
    'emulator/src/a.ts',
    "export { ERRORS } from '../../core/errors';",
  ],
  [
    'a dynamic import of the product in its emulator',
    'emulator/src/a.ts',
    "const app = await import('../../lambdas/api/handler');",
  ],
  [
    'the product in the tests of its emulator',
    'emulator/test/a.ts',
    "import '../../test/support/a';",
  ],
  ['a package that its emulator does not declare', 'emulator/src/a.ts', "import 'autocannon';"],
  ['a call of require in the domain', 'core/a.ts', "const fs = require('@aws-sdk/client-s3');"],
  ['the product in its client', 'client/a.ts', "import type { ErrorCode } from '../core/errors';"],
  [
    'a module of Node.js in the client',
    'client/channel/a.ts',
    "import { once } from 'node:events';",
  ],
  ['the product in its page', 'dashboard/src/a.tsx', "import { LIMITS } from '../../core/limits';"],
  ['a module of Node.js in the page', 'dashboard/src/a.ts', "import path from 'node:path';"],
  ['the product in the acceptance suite', 'test/acceptance/a.ts', "import '../../core/errors';"],
  ['fakes in the acceptance suite', 'test/acceptance/a.ts', "import '../support/fakes/clock';"],
])('%s is a violation', (_what, file, text) => {
  const folder = Object.keys(LAYERS).find((layer) => file.startsWith(`${layer}/`)) ?? '';
  expect(violations(folder, [{ path: file, text }])).toHaveLength(1);
});

// Time, chance and settings come through `deps` and props, so that tests and other stacks can set
// them.
test.each([
  ['core', /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bconsole\.\w+\(/],
  ['lib', /\bprocess\.env\b|\bDate\.now\(|\bnew Date\(\)|\.tryGetContext\(|\bconsole\.\w+\(/],
])('%s reads no environment variable, no clock and no console', (folder, forbidden) => {
  const found = filesBelow(folder, ['.ts']).flatMap(({ path: file, text }) =>
    text
      .split('\n')
      .filter((line) => forbidden.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
