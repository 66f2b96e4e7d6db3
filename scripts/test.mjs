// `npm test`: every check that needs nothing outside npm. Arguments go to jest, for example
// `npm test -- test/core`. `npm run test:heavy` adds `--full-size`: the load tests instead,
// at full size unless TEST_SIZE says otherwise.
import { runTool } from './installed.mjs';
import { installBuildAndSynthesize } from './prepare.mjs';

const FULL_SIZE = '--full-size';

installBuildAndSynthesize();
const args = process.argv.slice(2).filter((argument) => argument !== FULL_SIZE);
if (process.argv.includes(FULL_SIZE)) {
  // One at a time: each keeps both cores of a small machine busy.
  runTool('jest', ['--runInBand', ...(args.length > 0 ? args : ['test/system/load'])], {
    env: { TEST_SIZE: 'full', ...process.env },
  });
} else {
  runTool('jest', args);
}
