import type { Duration } from 'aws-cdk-lib';
import type { RateTier } from './access/rate-tiers';
import type { SignInOptions } from './access/sign-in';
import type { FunctionsOptions } from './functions/functions-options';
import type { ChannelApiOptions } from './gateway/channel-api';
import type { EdgeOptions } from './gateway/edge-options';
import type { RestApiOptions } from './gateway/rest-api';
import type { MonitoringOptions } from './monitoring/options';
import type { ContentBucketOptions } from './storage/content-bucket';

/** Settings of an ObjectStorage. All are optional. */
export interface ObjectStorageProps
  extends RestApiOptions,
    ChannelApiOptions,
    FunctionsOptions,
    MonitoringOptions,
    ContentBucketOptions,
    SignInOptions {
  /**
   * How long old versions of objects and the change log can be read. At least one hour.
   *
   * @default Duration.days(7)
   */
  readonly retention?: Duration;

  /**
   * The CloudFront distribution in front of both APIs: one address for dashboard, REST API and
   * change channel. `false` for a stack with its own distribution, and for partitions without
   * CloudFront: clients then use the addresses of the two APIs.
   *
   * @default - a distribution with a domain name of CloudFront
   */
  readonly edge?: EdgeOptions | false;

  /**
   * Origins of web pages, in addition to the dashboard, that may use the interface and open a
   * change channel, such as `https://app.example.com`. The edge does what the former needs: with
   * `edge: false` they may only open channels. A signed URL works on any page.
   *
   * @default - none
   */
  readonly allowedOrigins?: string[];

  /**
   * The rate limits of API keys, by tier and class (read, write, list, sign, wait, connect): `rate`
   * requests a second, and `burst` at once after a pause. Of class `wait` also `concurrent`: how
   * many requests wait at the same time. What a tier leaves out is as in the tier `default`.
   *
   * @default - one tier, `default`: read 1000/s, write 300/s, list 100/s, sign 300/s, wait 20/s and
   *   5 at the same time, connect 20/s
   */
  readonly rateTiers?: Readonly<Record<string, RateTier>>;
}
