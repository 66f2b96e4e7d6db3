// `npm run bench`: builds, synthesizes and measures. It passes its arguments to bench/main.ts, such
// as `npm run bench -- --quick`.
import { root, runTool } from './installed.mjs';
import { installBuildAndSynthesize } from './prepare.mjs';

process.chdir(root);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
installBuildAndSynthesize();
runTool('tsx', ['bench/main.ts', ...process.argv.slice(2)]);
