// `npm run build`: bundles everything that runs, ahead of synth, into dist/.
//
//   dist/dashboard/                    the dashboard's static files, copied into site's code asset
//   dist/lambdas/<function>/index.js   each function's code asset: CommonJS, minified, with the SDK
//   dist/lambdas-maps/<function>/      its source map and licence notes, kept out of the asset
//   dist/lambdas-meta.json             esbuild's metafile of the functions: sizes of modules
//   dist/emulator/, dist/cli/          emulator and commands; npm packages stay in node_modules
//   dist/client/                       the client: index.mjs for Node.js and browsers
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { CLIENT_BUNDLE, FUNCTION_BUNDLE, NODE_BUNDLE } from './bundles.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');

// test/lib/functions/bundles.test.ts sees that they are those that the construct deploys.
const FUNCTIONS = readdirSync(path.join(root, 'lambdas')).filter((name) =>
  existsSync(path.join(root, 'lambdas', name, 'handler.ts')),
);

/**
 * Replaces a file in one step, so that a reader never meets half a bundle. Leaves one alone that is
 * the same already: others may be reading it, and what is compared with it stays valid.
 */
async function replace(file, contents) {
  const there = await readFile(file).catch(() => undefined);
  if (there?.equals(Buffer.from(contents))) return;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}

async function buildLambdas() {
  const entryPoints = Object.fromEntries(
    FUNCTIONS.map((name) => [name, path.join('lambdas', name, 'handler.ts')]),
  );
  const result = await build({
    ...FUNCTION_BUNDLE,
    absWorkingDir: root,
    write: false,
    entryPoints,
    entryNames: '[name]/index',
    outdir: path.join(dist, 'lambdas'),
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'external',
    metafile: true,
  });
  for (const file of result.outputFiles) {
    const isCode = file.path.endsWith('.js');
    const folder = isCode ? 'lambdas' : 'lambdas-maps';
    const relative = path.relative(path.join(dist, 'lambdas'), file.path);
    await replace(path.join(dist, folder, relative), file.contents);
  }
  await replace(path.join(dist, 'lambdas-meta.json'), JSON.stringify(result.metafile));
  for (const name of readdirSync(path.join(dist, 'lambdas'))) {
    if (!FUNCTIONS.includes(name)) await rm(path.join(dist, 'lambdas', name), { recursive: true });
  }
}

/**
 * Each function runs in a worker thread, which is started from a file beside the bundle that starts
 * it.
 */
const WORKER = 'emulator/src/services/lambda/worker.js';

/** Its notice that Node.js 20 ends concerns the maintainers, not the users of the service. */
const NO_SDK_NOTICE = "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';";

/** Bundles our own sources only: packages with native parts must be found where npm put them. */
async function buildNode(folder, entryPoints) {
  const result = await build({
    ...NODE_BUNDLE,
    absWorkingDir: root,
    write: false,
    entryPoints,
    entryNames: '[name]',
    outdir: path.join(dist, folder),
    packages: 'external',
    banner: { js: NO_SDK_NOTICE },
    sourcemap: 'linked',
  });
  for (const file of result.outputFiles) await replace(file.path, file.contents);
}

/** One ES module without imports; `npm run types` puts its declarations beside it. */
async function buildClient() {
  const result = await build({
    ...CLIENT_BUNDLE,
    absWorkingDir: root,
    format: 'esm',
    write: false,
    entryPoints: { index: 'client/index.ts' },
    outdir: path.join(dist, 'client'),
    outExtension: { '.js': '.mjs' },
    sourcemap: 'linked',
  });
  for (const file of result.outputFiles) await replace(file.path, file.contents);
}

/** The dashboard beside the code of `site`: as it is, and compressed where that saves something. */
async function buildSite() {
  await buildDashboard();
  const from = path.join(dist, 'dashboard');
  const to = path.join(dist, 'lambdas', 'site', 'public');
  const files = filesBelow(from);
  const kept = new Set();
  for (const name of files.sort(pageLast)) {
    const bytes = await readFile(path.join(from, name));
    await replace(path.join(to, name), bytes);
    kept.add(name);
    if (!/\.(js|css|html|svg|json)$/.test(name)) continue;
    await replace(path.join(to, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    kept.add(`${name}.gz`);
  }
  for (const name of filesBelow(to)) if (!kept.has(name)) await rm(path.join(to, name));
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

/** It names all others. */
const pageLast = (a, b) => Number(a === 'index.html') - Number(b === 'index.html');

const started = performance.now();
await Promise.all([
  buildLambdas(),
  buildSite(),
  buildNode('emulator', ['emulator/src/main.ts', WORKER]),
  buildClient(),
  buildNode('cli', ['cli/stowage.ts', 'cli/emulate.ts', WORKER]),
]);
console.log(`built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s`);
