/**
 * Whether dist/ and cdk.out/ hold what a build and a synth of the sources would write again, so
 * that no command repeats them. Plain CommonJS: it runs before anything is built.
 * Types are in freshness.d.cts.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

/**
 * Files and folders that build and synth read. Packages are those of the lock file, of which npm
 * writes what it installed into node_modules.
 */
const INPUTS = [
  'adapters',
  'bin',
  'cdk.json',
  'cli',
  'client',
  'core',
  'dashboard',
  'emulator/package.json',
  'emulator/src',
  'emulator/tsconfig.json',
  'lambdas',
  'lib',
  'node_modules/.package-lock.json',
  'package-lock.json',
  'package.json',
  'scripts',
  'server',
  'service',
  'tsconfig.json',
];

/** The files and folders that each step writes; `npm run package` and `types` write others. */
const OUTPUTS = {
  build: [
    'dist/cli',
    'dist/client/index.mjs',
    'dist/dashboard',
    'dist/emulator',
    'dist/lambdas',
    'dist/lambdas-maps',
    'dist/lambdas-meta.json',
  ],
  synth: ['cdk.out'],
};

/**
 * Runs `make`, which does the step, unless that would write what is there. A `make` that throws or
 * ends the process leaves no stamp, so the next call repeats it.
 */
function prepare(root, step, make, environment = process.env) {
  const stamp = path.join(root, `dist/prepared-${step}.json`);
  const inputs = fingerprint(root, environment);
  if (readStamp(stamp) === stampOf(root, step, inputs)) return;
  fs.rmSync(stamp, { force: true });
  make();
  // A source that was changed meanwhile may be in some of the bundles only.
  if (fingerprint(root, environment) !== inputs) return;
  const temporary = `${stamp}.${process.pid}.tmp`;
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.writeFileSync(temporary, stampOf(root, step, inputs));
  fs.renameSync(temporary, stamp);
}

/** The contents of all inputs, this Node.js, and the variables that the CDK reads. */
function fingerprint(root, environment) {
  const hash = createHash('sha256');
  const { version, platform, arch } = process;
  hash.update(JSON.stringify([version, platform, arch]));
  for (const name of Object.keys(environment).sort()) {
    if (name.startsWith('CDK_')) hash.update(JSON.stringify([name, environment[name]]));
  }
  for (const file of filesOf(root, INPUTS)) {
    const content = fs.readFileSync(path.join(root, file));
    hash.update(JSON.stringify([file, content.length])).update(content);
  }
  return hash.digest('hex');
}

/**
 * Outputs are compared by size and by the time of their last change of any kind (ctime), which no
 * program can set: who else writes a template or a bundle makes the stamp invalid.
 */
function stampOf(root, step, inputs) {
  const outputs = filesOf(root, OUTPUTS[step]).map((file) => {
    const found = fs.statSync(path.join(root, file), { bigint: true, throwIfNoEntry: false });
    // Another process that builds has removed it meanwhile.
    return found ? [file, String(found.size), String(found.ctimeNs)] : [file];
  });
  return JSON.stringify({ inputs, outputs });
}

/** undefined: there is none, or it cannot be read. */
function readStamp(stamp) {
  try {
    return fs.readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the files below the places that exist, sorted. */
function filesOf(root, places) {
  return places.flatMap((place) => {
    const found = fs.statSync(path.join(root, place), { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (!found.isDirectory()) return [place];
    const names = fs.readdirSync(path.join(root, place)).sort();
    return filesOf(
      root,
      names.map((name) => `${place}/${name}`),
    );
  });
}

module.exports = { INPUTS, prepare };
