// A notice for whoever maintains the SDK, repeated by every test process.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  randomize: true,
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/emulator/test/**/*.test.ts'],
  // Judged against a running service by test/acceptance/run.ts.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/acceptance/specs/'],
  transform: { '\\.ts$': '<rootDir>/test/support/esbuild-transform.js' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/cdk.out', '<rootDir>/.local'],
  maxWorkers: 2,
};
