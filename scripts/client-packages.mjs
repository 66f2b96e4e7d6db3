// The packages for programs that use a service, without the CDK, written by `npm run package`:
//
//   dist/packages/client              @stowage/client: ES module, CommonJS and declarations
//   dist/packages/react               @stowage/react: the same, beside React and @stowage/client
//   dist/stowage-client.tgz, dist/stowage-react.tgz
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { CLIENT_BUNDLE } from './bundles.mjs';
import { root, runNpm, runTool } from './installed.mjs';

const dist = path.join(root, 'dist');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * Writes index.js, index.mjs and declarations into a folder.
 * @param {string} source the folder of the sources, which has a tsconfig.json
 * @param {import('esbuild').BuildOptions} options
 */
export async function buildModule(source, outdir, options = {}) {
  runTool('tsc', ['-p', source, '--outDir', outdir]);
  const common = {
    ...CLIENT_BUNDLE,
    ...options,
    absWorkingDir: root,
    entryPoints: { index: `${source}/index.ts` },
    minify: true,
    outdir,
  };
  await build({ ...common, format: 'cjs' });
  await build({ ...common, format: 'esm', outExtension: { '.js': '.mjs' } });
  // The same names for `import`: declarations without extensions can be read as CommonJS only.
  writeFileSync(path.join(outdir, 'index.d.mts'), "export * from './index.js';\n");
}

function packageJson(name, description, more) {
  const { version, license, engines } = manifest;
  return {
    ...{ name, version, description, license, engines },
    type: 'commonjs',
    sideEffects: false,
    main: './index.js',
    types: './index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.mts', default: './index.mjs' },
        require: { types: './index.d.ts', default: './index.js' },
      },
      './package.json': './package.json',
    },
    ...more,
  };
}

/** Links to what stays in the repository become their text. */
const LINK = /\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g;

function finish(folder, page, json) {
  const text = readFileSync(path.join(root, page), 'utf8')
    .replaceAll(LINK, '$1')
    .replaceAll('./dist/client/index.mjs', '@stowage/client');
  writeFileSync(path.join(folder, 'README.md'), text);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(json, null, 2)}\n`);
  pack(folder, json);
}

/** Writes the tarball of a package into dist, under its name without the version. */
export function pack(folder, { name, version }) {
  const tarball = name.replace('@', '').replace('/', '-');
  const args = ['pack', '--silent', '--pack-destination', dist];
  runNpm(args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(path.join(dist, `${tarball}-${version}.tgz`), path.join(dist, `${tarball}.tgz`));
  console.log(`dist/${tarball}.tgz`);
}

/** `built`: the client as `buildModule` has written it. */
export async function packClients(built) {
  const folders = path.join(dist, 'packages');
  rmSync(folders, { recursive: true, force: true });
  const client = path.join(folders, 'client');
  cpSync(built, client, { recursive: true });
  finish(
    client,
    'docs/client.md',
    packageJson('@stowage/client', 'The client of a stowage object storage service.', {
      keywords: ['object-storage', 'upload', 'change-feed', 'websocket', 'sync'],
    }),
  );
  const react = path.join(folders, 'react');
  mkdirSync(react);
  // Where the sources of the hooks find the declarations of the client.
  runTool('tsc', ['-p', 'client']);
  // Its components run in the browser, also in a framework that renders on the server.
  const banner = { js: "'use client';" };
  await buildModule('react-hooks', react, { external: ['react', '@stowage/client'], banner });
  const { version } = manifest;
  finish(
    react,
    'react-hooks/README.md',
    packageJson('@stowage/react', 'React hooks that show a stowage bucket live and exactly.', {
      keywords: ['object-storage', 'react', 'hooks', 'realtime', 'upload'],
      peerDependencies: { '@stowage/client': version, react: '>=18' },
    }),
  );
}
