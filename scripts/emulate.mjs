// `npm run emulate`: installs, builds and synthesizes what is missing or out of date, and runs the
// synthesized template on this machine. Arguments go to the emulator:
// `npm run emulate -- --port 8000 --data /tmp/stowage`.
import './start/node-version.mjs';
import { FlagError, parseFlags, usage } from '../emulator/src/command/flags.cjs';
import { root } from './installed.mjs';
import { installBuildAndSynthesize } from './prepare.mjs';
import { endWithNpm } from './start/end-with-npm.mjs';

/** Checks the arguments first: a wrong one must not cost a minute of installing and building. */
function checkArguments() {
  try {
    if (!parseFlags(process.argv.slice(2)).help) return;
    process.stdout.write(usage());
    process.exit(0);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    console.error(`${error.message}\n'npm run emulate -- --help' lists the options`);
    process.exit(1);
  }
}

checkArguments();
endWithNpm();
process.chdir(root);
installBuildAndSynthesize();
console.error('starting …');
await import('../dist/cli/emulate.js');
