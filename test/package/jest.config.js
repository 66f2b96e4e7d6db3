// `npm run test:package`: the npm package, which the tests pack, install and compile.
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
  testMatch: ['<rootDir>/test/package/**/*.test.ts'],
  maxWorkers,
  testTimeout,
};
