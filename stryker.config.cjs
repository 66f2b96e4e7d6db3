// `npm run mutate -- 'core/log/*.ts'`: StrykerJS changes each expression of these files, one at a
// time, and lists the changes that no test kills.
const {
  projects: [stowage],
} = require('./jest.config.js');

module.exports = {
  testRunner: 'jest',
  jest: {
    config: {
      ...stowage,
      projects: [],
      // Without those that start services or browsers, and those that read the sources as text.
      testPathIgnorePatterns: [
        ...stowage.testPathIgnorePatterns,
        '<rootDir>/test/(architecture|dashboard|lib|system)/',
      ],
    },
  },
  coverageAnalysis: 'perTest',
  dryRunTimeoutMinutes: 30,
  // Texts of messages are no promise.
  mutator: { excludedMutations: ['StringLiteral'] },
  // A second run tries again only what it has to.
  incremental: true,
  incrementalFile: '.local/mutation.json',
  ignorePatterns: ['dist', 'cdk.out', '.local', 'coverage', 'dashboard/public'],
  tempDirName: '.local/mutation',
  concurrency: 2,
  reporters: ['clear-text', 'progress-append-only'],
};
