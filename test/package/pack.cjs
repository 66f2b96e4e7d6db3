// Makes the npm packages once, before the test files that install them. With PACKAGES=built they
// are those that `npm run package` has made.
const { spawnSync } = require('node:child_process');
const path = require('node:path');

module.exports = () => {
  if (process.env.PACKAGES === 'built') return;
  const script = path.join(__dirname, '../../scripts/package.mjs');
  const { status, error } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) throw error ?? new Error(`exit ${status}`);
};
