/**
 * The provider of credentials from the environment alone. Bundles of functions have it in place of
 * `@aws-sdk/credential-provider-node`: scripts/bundles.mjs.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
