// `npm run package`, after `npm run build`: writes the package that other CDK apps install, as a
// folder and as a tarball. The folder holds exactly the files of the tarball.
//
//   dist/package/lib, core, lambdas   the construct: CommonJS and declarations, file by file
//   dist/package/client               the client: ES module, CommonJS and declarations
//   dist/package/dist/lambdas         the prebuilt functions with the dashboard
//   dist/package/bin                  the command `stowage` with the emulator, in one file
//   dist/package/testing              the service for tests of applications
//   dist/package/sbom.cdx.json        the bill of materials: what the bundles contain
//   dist/package/docs, README.md      the documents; the first page is docs/construct.md
//   dist/stowage.tgz                  what `npm install` takes
//
// The packages without the CDK: client-packages.mjs.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { FUNCTION_BUNDLE } from './bundles.mjs';
import { buildModule, pack, packClients } from './client-packages.mjs';
import { root, runTool } from './installed.mjs';
import { bundledPackages, notices } from './notices.mjs';
import { billOfMaterials } from './sbom.mjs';

const out = path.join(root, 'dist', 'package');
const readManifest = (folder) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
const manifest = readManifest('.');

/** Native programs, which no bundle holds: of the emulator, and of the service in one process. */
const { optionalDependencies: ofEmulator } = readManifest('emulator');
const { libsql } = manifest.devDependencies;
const optionalDependencies = { ...ofEmulator, libsql };

const NATIVE = Object.keys(optionalDependencies).flatMap((name) => [name, `${name}/*`]);

/** The files of the repository that the package contains. */
const COPIED = ['CHANGELOG.md', 'LICENSE', 'docs', 'dashboard/public/openapi.json', 'dist/lambdas'];

function packageJson() {
  const { name, version, description, license, engines, keywords } = manifest;
  const tested = manifest.devDependencies;
  return {
    name,
    version,
    description,
    keywords,
    license,
    engines,
    type: 'commonjs',
    main: './lib/index.js',
    types: './lib/index.d.ts',
    exports: {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './client': {
        import: { types: './client/index.d.mts', default: './client/index.mjs' },
        require: { types: './client/index.d.ts', default: './client/index.js' },
      },
      './testing': { types: './testing/index.d.ts', default: './testing/index.js' },
      './package.json': './package.json',
    },
    bin: { stowage: 'bin/stowage.js' },
    // The oldest versions that CI tests: older ones lack `Validations` or are untested.
    peerDependencies: {
      'aws-cdk-lib': `^${tested['aws-cdk-lib']}`,
      constructs: '^10.5.0',
    },
    // Used by `stowage serve`, `stowage start` and `stowage/testing` only; npm skips what has no
    // program for the platform.
    optionalDependencies,
  };
}

/** Returns esbuild's metafile. */
async function buildCommand() {
  const { metafile } = await build({
    ...FUNCTION_BUNDLE,
    absWorkingDir: root,
    entryPoints: ['cli/stowage.ts', 'emulator/src/services/lambda/worker.js'],
    entryNames: '[name]',
    outdir: path.join(out, 'bin'),
    external: NATIVE,
    metafile: true,
  });
  const command = path.join(out, 'bin', 'stowage.js');
  writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, 'utf8')}`);
  chmodSync(command, 0o755);
  return metafile;
}

/** Returns esbuild's metafile. */
async function buildTesting() {
  const folder = path.join(out, 'testing');
  const { metafile } = await build({
    ...FUNCTION_BUNDLE,
    absWorkingDir: root,
    entryPoints: { index: 'server/testing.ts' },
    outdir: folder,
    external: NATIVE,
    metafile: true,
  });
  // The declarations of one file: it names no type of another.
  const declared = path.join(root, 'dist', 'testing-types');
  const types = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false'];
  runTool('tsc', ['-p', 'tsconfig.testing.json', ...types, '--outDir', declared]);
  cpSync(path.join(declared, 'server/testing.d.ts'), path.join(folder, 'index.d.ts'));
  rmSync(declared, { recursive: true });
  return metafile;
}

/** `[text](target#section)`, but for addresses and sections of the same page. */
const LINK = /\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g;

/**
 * docs/construct.md is the page of the package too. A link to what stays in the repository becomes
 * its text.
 */
function writeDocuments() {
  const folder = path.join(out, 'docs');
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.md')) continue;
    const file = path.join(folder, name);
    const links = (link, text, target) =>
      existsSync(path.join(path.dirname(file), target)) ? link : text;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(LINK, links));
  }
  const construct = readFileSync(path.join(folder, 'construct.md'), 'utf8');
  const readme = construct.replaceAll(LINK, (_link, text, target, section = '') => {
    return `[${text}](${path.posix.join('docs', target)}${section})`;
  });
  writeFileSync(path.join(out, 'README.md'), readme);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of COPIED) cpSync(path.join(root, name), path.join(out, name), { recursive: true });
writeDocuments();
runTool('tsc', ['-p', 'tsconfig.package.json']);
await buildModule('client', path.join(out, 'client'));
const built = (name) => JSON.parse(readFileSync(path.join(root, 'dist', name), 'utf8'));
const metafiles = [await buildCommand(), await buildTesting(), built('lambdas-meta.json')];
const parts = metafiles.flatMap((metafile) => bundledPackages(root, metafile));
const bundled = [...parts, ...built('dashboard.licences.json')];
writeFileSync(path.join(out, 'NOTICES.txt'), notices(bundled));
writeFileSync(path.join(out, 'sbom.cdx.json'), billOfMaterials(manifest, bundled));
writeFileSync(path.join(out, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
pack(out, manifest);
await packClients(path.join(out, 'client'));
