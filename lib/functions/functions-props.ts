import type { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { RateTiers } from '../../core/limits';
import type { OidcIssuer } from '../access/sign-in';
import type { ChannelApi } from '../gateway/channel-api';
import type { ContentBucket } from '../storage/content-bucket';
import type { Queues } from '../storage/queues';
import type { Tables } from '../storage/tables';
import type { FunctionsOptions, MetricsReporting } from './functions-options';

/** The parts of the service that the functions use, and the settings that they get. */
export interface FunctionsProps extends FunctionsOptions {
  /**
   * The parent of event source mappings and schedules. A mapping that moved below its function
   * would get another logical id, and Lambda refuses to create a second mapping between the same
   * source and function.
   */
  readonly service: Construct;
  readonly content: ContentBucket;
  readonly tables: Tables;
  readonly queues: Queues;
  readonly channelApi: ChannelApi;
  /** `wss://…`: the URL that clients open to follow changes. */
  readonly syncUrl: string;
  /** `https://…/`: the base URL of the HTTP interface. */
  readonly baseUrl: string;
  /** JSON list of the origins of web pages that may open a channel. */
  readonly allowedOrigins: string;
  /** The secrets by which requests of the distribution are recognized; absent without an edge. */
  readonly originSecrets?: readonly string[];
  readonly oidc: OidcIssuer;
  readonly responseStreaming: boolean;
  readonly retention: Duration;
  readonly apiTimeout: Duration;
  readonly downloadTimeout: Duration;
  readonly channelTimeout: Duration;
  readonly fanoutTimeout: Duration;
  /** Complete: see rate-tiers.ts. */
  readonly rateTiers: RateTiers;
  readonly reporting: MetricsReporting;
}

/** Options of a function, and the memory that the deployer sets for its kind. */
type Memory = Pick<FunctionsOptions, 'requestMemorySize' | 'backgroundMemorySize'>;

/** The options of a function that serves requests. */
export function forRequests<Props extends Memory>(props: Props) {
  return { ...props, memorySize: props.requestMemorySize ?? 1024 };
}

/**
 * The options of the function that downloads, which mostly waits and passes bytes on: with less
 * memory, and so less of a processor, it is slower by some milliseconds.
 */
export function forDownloads<Props extends Memory>(props: Props) {
  return { ...props, memorySize: props.requestMemorySize ?? 512 };
}

/** The options of a function that works in the background. */
export function forBackground<Props extends Memory>(props: Props) {
  return { ...props, memorySize: props.backgroundMemorySize ?? 512 };
}
