// Silences a notice for the maintainers of the SDK, which every test process would repeat.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** @type {import('jest').Config} */
module.exports = {
  randomize: true,
  // One more than a small machine has cores: test files of services wait for much of their time.
  maxWorkers: 3,
  // Ends a test that hangs. A slow or busy machine must not fail a test.
  testTimeout: 120_000,
  // A worker above this is restarted before its next test file, which then loads everything again.
  workerIdleMemoryLimit: '900MB',
  projects: [
    {
      displayName: 'stowage',
      testEnvironment: 'node',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      // test/acceptance/run.ts runs the specs against a running service, `npm run test:package` the
      // tests of the npm package, `npm run test:heavy` those under load.
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/acceptance/specs/',
        '<rootDir>/test/package/',
        ...(process.env.TEST_SIZE ? [] : ['<rootDir>/test/system/load/']),
      ],
      globalSetup: '<rootDir>/test/support/jest/shared-service-setup.js',
      globalTeardown: '<rootDir>/test/support/jest/shared-service-teardown.js',
      runtime: '<rootDir>/test/support/jest/shared-packages.js',
      transform: { '\\.ts$': '<rootDir>/test/support/jest/esbuild-transform.js' },
      // The examples import the package.
      moduleNameMapper: { '^stowage$': '<rootDir>/lib/index.ts' },
      modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/cdk.out', '<rootDir>/.local'],
    },
    '<rootDir>/emulator',
  ],
};
