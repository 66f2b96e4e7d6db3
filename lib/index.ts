export { ContentBucket, type ContentBucketProps } from './content-bucket';
export { Functions, type FunctionsOptions, type FunctionsProps } from './functions';
export { ObjectStorage, type ObjectStorageProps } from './object-storage';
export { RestApi, type RestApiOptions, type RestApiProps } from './rest-api';
export {
  type FunctionName,
  ServiceFunction,
  type ServiceFunctionOptions,
  type ServiceFunctionProps,
} from './service-function';
export { StorageStack, type StorageStackProps } from './storage-stack';
export { Tables, type TablesProps } from './tables';
