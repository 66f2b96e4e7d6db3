// `npm start`: installs, builds and synthesizes what is missing or out of date, and runs the
// synthesized template on this machine. Arguments go to the runtime:
// `npm start -- --port 8000 --data /tmp/stowage`.
import './start/node-version.mjs';
import { FlagError, parseFlags, usage } from '../emulator/src/command/flags.cjs';
import { root } from './installed.mjs';
import { installAndBuild } from './prepare.mjs';
import { endWithNpm } from './start/end-with-npm.mjs';

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
endWithNpm();
process.chdir(root);
installAndBuild();
console.error('starting …');
await import('../dist/cli/serve.js');
