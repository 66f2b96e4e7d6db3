// What `npm start`, `npm test` and `npm run bench` need: installed packages, dist/ and cdk.out/.
import path from 'node:path';
import { prepare } from './freshness.cjs';
import { ensureInstalled, root, run, runTool } from './installed.mjs';

const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

/**
 * Installs, builds and synthesizes what is missing or out of date. Ends this process when a step
 * fails.
 */
export function installAndBuild() {
  ensureInstalled();
  prepare(root, () => {
    console.error('building …');
    run(process.execPath, ['scripts/build.mjs'], quiet);
    console.error('synthesizing the stack …');
    // The CDK's schema rules take most of synth's time; `npm run synth` and `cdk deploy` apply
    // them.
    const cdk = { CDK_VALIDATION: 'false', CDK_OUTDIR: path.join(root, 'cdk.out') };
    runTool('tsx', ['bin/app.ts'], { ...quiet, env: { ...process.env, ...cdk } });
  });
}
