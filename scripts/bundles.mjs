// How code is bundled; bench/ bundles what it compares with the functions in the same way.

/**
 * Runs on Node.js 20 locally and on Lambda's Node.js 24; CommonJS loads quicker than ESM in a cold
 * start.
 * @type {import('esbuild').BuildOptions}
 */
export const NODE_BUNDLE = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
export const FUNCTION_BUNDLE = {
  ...NODE_BUNDLE,
  // Functions have their credentials in the environment: the providers of profiles, SSO and
  // containers would be a fifth of a bundle.
  alias: { '@aws-sdk/credential-provider-node': './lambdas/runtime/credential-provider.ts' },
  // ESM entry points of the SDK first: only they can be tree-shaken.
  mainFields: ['module', 'main'],
  minify: true,
};

/**
 * The client, without imports: the syntax that browsers of the last three years and Node.js 20 have
 * in common.
 * @type {import('esbuild').BuildOptions}
 */
export const CLIENT_BUNDLE = {
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
};
