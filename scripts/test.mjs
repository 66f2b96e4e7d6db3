// `npm test`: everything that needs nothing outside npm. Arguments go to jest: `npm test --
// test/core`.
import { ensureInstalled, run, runTool } from './installed.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
// The system tests run the template. `npm run synth` applies the CDK's schema rules, which take
// most of its time.
runTool('tsx', ['bin/app.ts'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, CDK_VALIDATION: 'false' },
});
runTool('jest', process.argv.slice(2));
