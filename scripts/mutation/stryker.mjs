// Runs StrykerJS over files, with tests that are Jest's patterns.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { EXCLUDED } from './draw.mjs';

const CHECKER = fileURLToPath(new URL('drawn-checker.mjs', import.meta.url));

/**
 * The results, one per change. Only the changes in the file `drawn` are tried: the others count as
 * refused by a checker, which is how StrykerJS leaves a change out.
 */
export async function runStryker({ mutate, tests, withProperties, drawn }) {
  // For test/mutation/jest.config.js and the checker, in processes of their own.
  process.env.MUTATE_TESTS = tests.join(',');
  process.env.MUTATE_PROPERTIES = withProperties ? 'yes' : '';
  process.env.MUTATE_DRAWN = drawn;
  const stryker = new Stryker({
    mutate,
    testRunner: 'jest',
    jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
    plugins: ['@stryker-mutator/*', pathToFileURL(CHECKER).href],
    checkers: ['drawn'],
    // Each change is tried with the tests that reach it, and no others.
    coverageAnalysis: 'perTest',
    mutator: { excludedMutations: EXCLUDED },
    disableTypeChecks: false,
    concurrency: 1,
    dryRunTimeoutMinutes: 30,
    timeoutMS: 10_000,
    ignorePatterns: ['dist', 'cdk.out', '.local', 'coverage', 'dashboard/public'],
    tempDirName: '.local/mutation',
    ignoreStatic: false,
    allowEmpty: true,
    reporters: ['progress-append-only'],
  });
  return await stryker.runMutationTest();
}
