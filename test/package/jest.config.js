// `npm run test:package`: the npm packages, which the tests install and compile.
const {
  maxWorkers,
  testTimeout,
  projects: [{ testPathIgnorePatterns: _others, ...project }],
} = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...project,
  displayName: 'package',
  rootDir: '../..',
  globalSetup: '<rootDir>/test/package/pack.cjs',
  testMatch: ['<rootDir>/test/package/**/*.test.ts'],
  maxWorkers,
  testTimeout,
};
