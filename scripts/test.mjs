// `npm test`: everything that needs nothing outside npm. Arguments go to jest: `npm test -- test/core`.
import { ensureInstalled, run, runTool } from './installed.mjs';

ensureInstalled();
run(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
runTool('jest', process.argv.slice(2));
