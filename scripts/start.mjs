// `npm start`: installs and builds what is missing or out of date, and runs `stowage serve`.
// Arguments go to it: `npm start -- --port 8000 --data /tmp/stowage`.
import './start/node-version.mjs';
import { root } from './installed.mjs';
import { installAndBuild } from './prepare.mjs';
import { endWithNpm } from './start/end-with-npm.mjs';

endWithNpm();
process.chdir(root);
installAndBuild();
process.argv.splice(2, 0, 'serve');
await import('../dist/cli/stowage.js');
