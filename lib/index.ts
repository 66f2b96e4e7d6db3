/**
 * The package: `import { ObjectStorage } from 'stowage'`. What is exported as a type alone can be named but not made: it is a
 * part of an ObjectStorage.
 */

export type { Rate, RateClass } from '../core/limits';
export type { MetricsLevel } from '../lambdas/metrics';
export type { AccessOptions } from './access';
export type { ChangeDelivery } from './change-delivery';
export { ChangeTarget, type ChangeTargetOptions } from './change-target';
export type { ContentBucket } from './content-bucket';
export type { Edge } from './edge';
export type { EdgeOptions } from './edge-options';
export type { Functions } from './functions';
export type { FunctionsOptions } from './functions-options';
export type { InternalAccess } from './internal-access';
export type { LogOptions } from './logs';
export type { MonitoringOptions } from './monitoring/options';
export type {
  RouteMetricOptions,
  ServiceMetrics,
  TierMetricOptions,
} from './monitoring/service-metrics';
export { ObjectStorage } from './object-storage';
export type { ObjectStorageProps } from './object-storage-props';
export type { Queues } from './queues';
export type { RateTier } from './rate-tiers';
export type { RestApi, RestApiOptions } from './rest-api';
export type { ServiceFunction, ServiceFunctionOptions } from './service-function';
export type { ServiceTable } from './service-table';
export type { OidcIssuer, SignIn } from './sign-in';
export { StorageStack, type StorageStackProps } from './storage-stack';
export type { SyncApi, SyncApiOptions } from './sync-api';
export type { Tables } from './tables';
