// The dashboard: dashboard/ -> dist/dashboard (static files), by Vite. Called by scripts/build.mjs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundleScript } from 'esbuild';
import { writeApiTypes } from './api-types.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(root, 'dist', 'dashboard');
const stamp = path.join(root, 'dist', 'dashboard.inputs');
/** Of the packages in the page, for scripts/package.mjs. */
const licences = path.join(root, 'dist', 'dashboard.licences.json');

/** Everything that the page is made of; packages by the lock file. */
const INPUTS = [
  'dashboard',
  'client',
  'core/access/permission-summary.ts',
  'core/charset.ts',
  'core/folded-name.ts',
  'core/hidden.ts',
  'scripts/build-dashboard.mjs',
  'package-lock.json',
  'tsconfig.json',
];

function fingerprint() {
  const hash = createHash('sha256');
  const add = (file) => {
    const absolute = path.join(root, file);
    if (statSync(absolute).isDirectory()) {
      for (const name of readdirSync(absolute).sort()) add(`${file}/${name}`);
    } else {
      hash.update(`${file}\0`).update(readFileSync(absolute)).update('\0');
    }
  };
  for (const input of INPUTS) add(input);
  return hash.digest('hex');
}

/** Fonts that a package brings inside its style sheet, as files of their own. */
const fontsAsFiles = {
  name: 'fonts-as-files',
  generateBundle(_options, bundle) {
    for (const asset of Object.values(bundle)) {
      if (asset.type !== 'asset' || !asset.fileName.endsWith('.css')) continue;
      asset.source = String(asset.source).replace(
        /url\("?data:font\/woff2;[^,"]*base64,([A-Za-z0-9+/=]+)"?\)/g,
        (_whole, base64) => {
          const source = Buffer.from(base64, 'base64');
          const reference = this.emitFile({ type: 'asset', name: 'font.woff2', source });
          return `url(./${path.posix.basename(this.getFileName(reference))})`;
        },
      );
    }
  },
};

/** The style sheet that dashboard/src/brand.ts computes. */
const brandAsFile = {
  name: 'brand-as-file',
  resolveId: (id) => (id === './brand.css' ? '\0brand.css' : undefined),
  async load(id) {
    if (id !== '\0brand.css') return undefined;
    const bundle = await bundleScript({
      entryPoints: [path.join(root, 'dashboard', 'src', 'brand.ts')],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
    });
    const script = Buffer.from(bundle.outputFiles[0].contents).toString('base64');
    const { brandStyles } = await import(`data:text/javascript;base64,${script}`);
    return brandStyles();
  },
};

/** Builds unless what is there was made of the very same files. */
export async function buildDashboard() {
  await writeApiTypes();
  const inputs = fingerprint();
  if (existsSync(path.join(out, 'index.html')) && existsSync(stamp)) {
    if (readFileSync(stamp, 'utf8') === inputs) return;
  }
  // A build that is interrupted must not pass for an earlier one.
  rmSync(stamp, { force: true });
  // Under another value, such as that of a test runner, the page would be one for developers, with
  // paths of this machine.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: path.join(root, 'dashboard'),
    // Relative, so that the page works below any path of the stage.
    base: './',
    logLevel: 'error',
    plugins: [brandAsFile, fontsAsFiles],
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2023',
      // Nothing as data: addresses, which the page's security policy does not allow.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 4096,
      reportCompressedSize: false,
      license: { fileName: 'licences.json' },
    },
  });
  await rename(path.join(out, 'licences.json'), licences);
  await writeFile(stamp, inputs);
}
