// The black-box suite against STOWAGE_URL: run it with run.ts, which checks the environment first.
/** @type {import('jest').Config} */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/specs/**/*.test.ts'],
  transform: { '\\.ts$': '<rootDir>/../support/jest/esbuild-transform.js' },
  setupFilesAfterEnv: ['<rootDir>/support/tally.ts'],
  // A single behaviour may wait for S3 to report an upload, which takes seconds in AWS.
  testTimeout: 90_000,
  maxWorkers: 2,
};
