import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type { RateTier } from './access/rate-tiers';
import type { OidcIssuer } from './access/sign-in';
import type { FunctionsOptions } from './functions/functions-options';
import type { ChannelApiOptions } from './gateway/channel-api';
import type { EdgeOptions } from './gateway/edge-options';
import type { RestApiOptions } from './gateway/rest-api';
import type { MonitoringOptions } from './monitoring/options';

/** Settings of an ObjectStorage. All are optional. */
export interface ObjectStorageProps
  extends RestApiOptions,
    ChannelApiOptions,
    FunctionsOptions,
    MonitoringOptions {
  /**
   * How long old versions of objects, and the change log, can be read. At least one hour.
   *
   * @default Duration.days(7)
   */
  readonly retention?: Duration;

  /**
   * What happens to the content bucket, the tables and the logs when the stack is deleted.
   * CloudFormation deletes an empty bucket only.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB refuses to delete the tables until this is switched off.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly deletionProtection?: boolean;

  /**
   * The CloudFront distribution in front of everything: one address for dashboard, REST API and
   * change channel. `false` for stacks that bring their own, and for partitions without CloudFront:
   * clients then find the two APIs at their own addresses.
   *
   * @default - a distribution with CloudFront's own name
   */
  readonly edge?: EdgeOptions | false;

  /**
   * Origins of web pages that may open a change channel beside the dashboard, such as
   * `https://app.example.com`. A signed URL works on any page.
   *
   * @default - none
   */
  readonly allowedOrigins?: string[];

  /**
   * Who signs in the people that administer API keys.
   *
   * @default - a Cognito user pool of this service's own, with the group `stowage-admins`
   */
  readonly oidc?: OidcIssuer;

  /**
   * Addresses of the dashboard, to which its users return from signing in and out, such as
   * `https://files.example.com/`. For the service's own user pool.
   *
   * @default - the address of the edge, without one that of the REST API
   */
  readonly dashboardUrls?: string[];

  /**
   * Requests that an API key may send, by the tier that it is in: per class (read, write, list,
   * sign, connect) `rate` a second for ever, and `burst` at once after a rest. Classes that a tier
   * leaves out are as in the tier `default`.
   *
   * @default - one tier, `default`: read 1000/s, write 300/s, list 100/s, sign 300/s, connect 20/s
   */
  readonly rateTiers?: Readonly<Record<string, RateTier>>;

  /**
   * Bucket that receives S3's server access logs of the content bucket.
   *
   * @default - no access logs
   */
  readonly serverAccessLogsBucket?: s3.IBucket;

  /**
   * A KMS key of your own, in the stack's region, for blobs, tables, queues and logs. Functions get
   * the right to use it through those services alone. Existing objects stay as they are encrypted.
   *
   * @default - keys of AWS's own, at no cost
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * A bucket of your own for the blobs, made in the same stack, empty, and for this service alone,
   * which adds its policy, notifications and CORS to it. Not for imported buckets, which take none
   * of them. Its encryption, removal policy and access logs are yours.
   *
   * @default - a bucket is made
   */
  readonly contentBucket?: s3.Bucket;
}
