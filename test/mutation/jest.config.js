const path = require('node:path');
const { projects } = require('../../jest.config.js');

const { displayName: _, ...unit } = projects[0];
/** As scripts/mutate.mjs sets them. */
const folder = process.env.MUTATE ?? '';
const more = (process.env.MUTATE_TESTS ?? '').split(',').filter((name) => name !== '');

/** @type {import('jest').Config} */
module.exports = {
  ...unit,
  rootDir: path.join(__dirname, '../..'),
  testMatch: [`test/${folder}`, ...more].flatMap((name) => [
    `<rootDir>/${name}/**/*.test.ts`,
    `<rootDir>/${name}`,
  ]),
  testTimeout: 60_000,
};
