/**
 * The package: `import { ObjectStorage } from 'stowage'`. Classes that are exported as types only
 * are parts of an ObjectStorage, which creates them.
 */

export type { LastingClass, LastingRate, Rate, RateClass } from '../core/limits';
export type { MetricsLevel } from '../lambdas/runtime/telemetry/metrics';
export type { RateTier } from './access/rate-tiers';
export type { OidcIssuer, SignIn, SignInOptions } from './access/sign-in';
export type { ConcurrencyOptions, ReservedConcurrency } from './functions/concurrency';
export type { Functions } from './functions/functions';
export type { FunctionsOptions } from './functions/functions-options';
export type { ServiceFunction, ServiceFunctionOptions } from './functions/service-function';
export type { ChannelApi, ChannelApiOptions } from './gateway/channel-api';
export type { Edge } from './gateway/edge';
export type { EdgeOptions } from './gateway/edge-options';
export type { RestApi, RestApiOptions } from './gateway/rest-api';
export type { InternalAccess } from './grants/internal-access';
export type { AccessOptions } from './grants/permissions';
export type {
  MeasuredService,
  RouteMetricOptions,
  TierMetricOptions,
} from './monitoring/measured-service';
export type { MonitoringOptions } from './monitoring/options';
export { ObjectStorage } from './object-storage';
export type { ObjectStorageProps } from './object-storage-props';
export type { IObjectStorage, ObjectStorageAttributes } from './object-storage-reference';
export type { ContentBucket, ContentBucketOptions } from './storage/content-bucket';
export type { LogOptions } from './storage/log-group';
export type { StorageOptions } from './storage/options';
export type { Queues } from './storage/queues';
export type { ServiceTable } from './storage/service-table';
export type { Tables } from './storage/tables';
export { StorageStack, type StorageStackProps } from './storage-stack';
export { ChangeTarget, type ChangeTargetOptions } from './targets/change-target';
export type { ChangeTargets } from './targets/change-targets';
export { WebAclStack, type WebAclStackProps } from './web-acl-stack';
