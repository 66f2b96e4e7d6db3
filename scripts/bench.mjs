// `npm run bench`: builds, synthesizes and measures. It passes its arguments to bench/main.ts, such
// as `npm run bench -- --quick`.
import { ensureInstalled, root, run, runTool } from './installed.mjs';

process.chdir(root);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
ensureInstalled();
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
run(process.execPath, ['scripts/build.mjs'], quiet);
runTool('tsx', ['bin/app.ts'], quiet);
runTool('tsx', ['bench/main.ts', ...process.argv.slice(2)]);
