// Runs StrykerJS over files, with tests that are Jest's patterns.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { EXCLUDED } from './draw.mjs';

const CHECKER = fileURLToPath(new URL('drawn-checker.mjs', import.meta.url));

/**
 * The results, one per change. With `drawn`, a file, only the changes in it are tried: the others
 * count as refused by a checker, which is how StrykerJS leaves a change out.
 */
export async function runStryker({ mutate, tests, withProperties = true, drawn, options }) {
  // For test/mutation/jest.config.js and the checker, in processes of their own.
  process.env.MUTATE_TESTS = tests.join(',');
  process.env.MUTATE_PROPERTIES = withProperties ? 'yes' : '';
  process.env.MUTATE_DRAWN = drawn ?? '';
  const stryker = new Stryker({
    mutate,
    testRunner: 'jest',
    jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
    ...(drawn && {
      plugins: ['@stryker-mutator/*', pathToFileURL(CHECKER).href],
      checkers: ['drawn'],
    }),
    // Each change is tried with the tests that reach it, and no others.
    coverageAnalysis: 'perTest',
    mutator: { excludedMutations: EXCLUDED },
    disableTypeChecks: false,
    concurrency: 1,
    dryRunTimeoutMinutes: 30,
    timeoutMS: 5_000,
    ignorePatterns: ['dist', 'cdk.out', '.local', 'coverage', 'dashboard/public'],
    tempDirName: '.local/mutation',
    ...options,
  });
  return await stryker.runMutationTest();
}
