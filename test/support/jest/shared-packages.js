/**
 * Loads the CDK and the TypeScript compiler outside of the sandbox that Jest makes for each test
 * file: once per worker instead of once per file, which takes seconds. Other packages stay inside,
 * where tests change the clock, the environment and what an `Error` is.
 */
const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

const SHARED = /^(aws-cdk-lib|cdk-nag|constructs|typescript)(\/|$)/;

class SharedPackages extends Runtime {
  requireModuleOrMock(from, name) {
    if (!SHARED.test(name)) return super.requireModuleOrMock(from, name);
    return createRequire(from)(name);
  }
}

module.exports = SharedPackages;
