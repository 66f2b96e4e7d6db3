/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  randomize: true,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/esbuild-transform.js' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/cdk.out', '<rootDir>/.local'],
  maxWorkers: 2,
};
