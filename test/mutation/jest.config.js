const path = require('node:path');
const { projects } = require('../../jest.config.js');

const { displayName: _, ...unit } = projects[0];
/** As scripts/mutation/stryker.mjs sets them. */
const tests = (process.env.MUTATE_TESTS ?? '').split(',').filter((name) => name !== '');

/** @type {import('jest').Config} */
module.exports = {
  ...unit,
  rootDir: path.join(__dirname, '../..'),
  testMatch: tests.flatMap((name) => [`<rootDir>/${name}/**/*.test.ts`, `<rootDir>/${name}`]),
  testPathIgnorePatterns: [
    ...unit.testPathIgnorePatterns,
    ...(process.env.MUTATE_PROPERTIES ? [] : ['\\.property\\.test\\.ts$']),
  ],
  testTimeout: 60_000,
};
