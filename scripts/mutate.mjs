// `npm run mutate -- core/log`: changes each expression of the folder, one at a time, and looks
// which changes no test of test/core/log notices. Further arguments are tests that say more about
// the folder than its own do: `npm run mutate -- core/log test/core/objects`. Takes minutes to an
// hour: docs/proof.md has the figures.
import { Stryker } from '@stryker-mutator/core';

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder: npm run mutate -- core/log');

// For test/mutation/jest.config.js, in a process of its own.
process.env.MUTATE = folder;
process.env.MUTATE_TESTS = more.join(',');

const stryker = new Stryker({
  mutate: folder.endsWith('.ts') ? [folder] : [`${folder}/**/*.ts`, '!**/*ports.ts'],
  testRunner: 'jest',
  jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
  // Each change is tried with the tests that reach it, and no others.
  coverageAnalysis: 'perTest',
  // What runs while a module is loaded would be tried with every test.
  ignoreStatic: true,
  // Messages are for people: no test repeats a whole one.
  mutator: { excludedMutations: ['StringLiteral'] },
  disableTypeChecks: false,
  concurrency: 1,
  dryRunTimeoutMinutes: 30,
  timeoutMS: 5_000,
  ignorePatterns: ['dist', 'cdk.out', '.local', 'coverage', 'docs', 'dashboard/public'],
  tempDirName: '.local/mutation',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.local/mutation-${folder.replaceAll('/', '-')}.json` },
});
await stryker.runMutationTest();
