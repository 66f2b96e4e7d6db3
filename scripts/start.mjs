// `npm start`: installs what is missing, builds, synthesizes, and runs the synthesized template on
// this machine. Arguments go to the runtime: `npm start -- --port 8000 --data /tmp/stowage`.
import './node-version.mjs';
import { FlagError, parseFlags, usage } from '../emulator/src/flags.cjs';
import { ensureInstalled, root, run, runTool } from './installed.mjs';

/** Checks the arguments first: a wrong one must not cost a minute of installing and building. */
function checkArguments() {
  try {
    if (!parseFlags(process.argv.slice(2)).help) return;
    process.stdout.write(usage());
    process.exit(0);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    console.error(`${error.message}\n'npm start -- --help' lists the options`);
    process.exit(1);
  }
}

checkArguments();
process.chdir(root);
ensureInstalled();
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
console.error('building …');
run(process.execPath, ['scripts/build.mjs'], quiet);
console.error('synthesizing the stack …');
// The CDK's schema rules take most of synth's time; `npm run synth` and `cdk deploy` apply them.
runTool('tsx', ['bin/app.ts'], { ...quiet, env: { ...process.env, CDK_VALIDATION: 'false' } });
console.error('starting …');
await import('../dist/cli/serve.js');
