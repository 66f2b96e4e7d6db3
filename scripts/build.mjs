// `npm run build`: bundles everything that runs, ahead of synth, into dist/.
//
//   dist/lambdas/<function>/index.js   the code asset of each function: CommonJS, minified, the AWS SDK included
//   dist/lambdas-maps/<function>/      its source map and licence notes, kept out of the asset
//   dist/lambdas-meta.json             esbuild's metafile of the functions (which module weighs what)
//   dist/local/, dist/scripts/         the local runtime and the scripts; npm packages stay in node_modules
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FUNCTION_BUNDLE, NODE_BUNDLE } from './function-bundle.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');

const FUNCTIONS = ['authorizer', 'api', 'download', 'ingest', 'fanout', 'janitor'];

/** Replaces a file in one step, so that a reader never meets half a bundle. */
async function replace(file, contents) {
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

/** Each function runs in a worker thread, which is started from a file beside the bundle that starts it. */
const WORKER = 'local/services/lambda/worker.js';

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
    sourcemap: 'linked',
  });
  for (const file of result.outputFiles) await replace(file.path, file.contents);
}

const started = performance.now();
const scripts = readdirSync(path.join(root, 'scripts')).filter((name) => name.endsWith('.ts'));
await Promise.all([
  buildLambdas(),
  buildNode('local', ['local/main.ts', WORKER]),
  buildNode('scripts', [...scripts.map((name) => `scripts/${name}`), WORKER]),
]);
console.log(`built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s`);
