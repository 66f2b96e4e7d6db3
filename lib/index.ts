export { ContentBucket, type ContentBucketProps } from './content-bucket';
export { Edge, type EdgeOrigin, type EdgeProps } from './edge';
export type { EdgeOptions } from './edge-options';
export { Functions, type FunctionsOptions, type FunctionsProps } from './functions';
export { ObjectStorage, type ObjectStorageProps } from './object-storage';
export { Queues, type QueuesProps } from './queues';
export { parseTiers, type RateTier } from './rate-tiers';
export { RestApi, type RestApiOptions, type RestApiProps } from './rest-api';
export {
  type FunctionName,
  ServiceFunction,
  type ServiceFunctionOptions,
  type ServiceFunctionProps,
} from './service-function';
export { type OidcIssuer, SignIn, type SignInProps } from './sign-in';
export { StorageStack, type StorageStackProps } from './storage-stack';
export { SyncApi, type SyncApiOptions } from './sync-api';
export { Tables, type TablesProps } from './tables';
