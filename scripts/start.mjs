// `npm start`: installs what is missing, builds, synthesizes, and runs the synthesized template on
// this machine. Arguments go to the runtime: `npm start -- --port 8000 --data /tmp/stowage`.
import { ensureInstalled, root, run, runTool } from './installed.mjs';

process.chdir(root);
// The notice concerns the maintainers of the dependency, not the users of the service.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
ensureInstalled();
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
run(process.execPath, ['scripts/build.mjs'], quiet);
console.error('synthesizing the stack …');
// The CDK's schema rules take most of synth's time; `npm run synth` and `cdk deploy` apply them.
runTool('tsx', ['bin/app.ts'], { ...quiet, env: { ...process.env, CDK_VALIDATION: 'false' } });
await import('../dist/cli/serve.js');
