// `npm test` of the root runs this project too; `npm test -w emulator` runs it alone.
/** @type {import('jest').Config} */
module.exports = {
  displayName: 'emulator',
  testEnvironment: 'node',
  // Ends a test that hangs. A slow or busy machine must not fail a test.
  testTimeout: 120_000,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  runtime: '<rootDir>/../test/support/jest/shared-packages.js',
  transform: { '\\.ts$': '<rootDir>/../test/support/jest/esbuild-transform.js' },
};
