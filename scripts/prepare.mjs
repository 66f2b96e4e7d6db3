// What the commands of npm need: installed packages, dist/ and cdk.out/.
import path from 'node:path';
import { prepare } from './freshness.cjs';
import { ensureInstalled, root, run, runTool } from './installed.mjs';

const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

/** Installs and builds what is missing or out of date. Ends this process when a step fails. */
export function installAndBuild() {
  ensureInstalled();
  step('build', () => {
    console.error('building …');
    run(process.execPath, ['scripts/build.mjs'], quiet);
  });
}

/** Does that, and synthesizes the stack when it is out of date. */
export function installBuildAndSynthesize() {
  installAndBuild();
  step('synth', () => {
    console.error('synthesizing the stack …');
    // The CDK's schema rules take most of synth's time; `npm run synth` and `cdk deploy` apply
    // them.
    const cdk = { CDK_VALIDATION: 'false', CDK_OUTDIR: path.join(root, 'cdk.out') };
    runTool('tsx', ['bin/app.ts'], { ...quiet, env: { ...process.env, ...cdk } });
  });
}

function step(name, make) {
  try {
    prepare(root, name, make);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    console.error(
      `cannot write ${path.relative(root, error.path)} (${error.code}): the folder belongs to another user or is read-only; make it writable, or use a clone of your own`,
    );
    process.exit(1);
  }
}
