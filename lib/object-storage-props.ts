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
   * How long old versions of objects and the change log can be read. At least one hour.
   *
   * @default Duration.days(7)
   */
  readonly retention?: Duration;

  /**
   * What happens to the content bucket, the tables and the logs when the stack is deleted.
   * CloudFormation deletes only an empty bucket.
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
   * The issuer that signs in the people who administer API keys.
   *
   * @default - a Cognito user pool that the service creates, with the group `stowage-admins`
   */
  readonly oidc?: OidcIssuer;

  /**
   * Whether the service's own user pool requires a code of an authenticator app (TOTP) beside the
   * password. Its sign-in page walks each person through the set-up at the first sign-in.
   *
   * @default true
   */
  readonly secondFactor?: boolean;

  /**
   * Addresses of the dashboard, such as `https://files.example.com/`, to which the service's own
   * user pool redirects after sign-in and sign-out.
   *
   * @default - the address of the edge, or without an edge that of the REST API
   */
  readonly dashboardUrls?: string[];

  /**
   * The rate limits of API keys, by tier and class (read, write, list, sign, wait, connect): `rate`
   * requests a second, and `burst` at once after a pause. Of class `wait` also `concurrent`: how
   * many requests wait at the same time. What a tier leaves out is as in the tier `default`.
   *
   * @default - one tier, `default`: read 1000/s, write 300/s, list 100/s, sign 300/s, wait 20/s and
   *   5 at the same time, connect 20/s
   */
  readonly rateTiers?: Readonly<Record<string, RateTier>>;

  /**
   * The bucket for S3's server access logs of the content bucket.
   *
   * @default - no access logs
   */
  readonly serverAccessLogsBucket?: s3.IBucket;

  /**
   * Your own KMS key, in the stack's region, for blobs, tables, queues and logs. Functions may use
   * it through those services only. The encryption of existing objects does not change.
   *
   * @default - keys of AWS, at no cost
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Your own bucket for the blobs: created in the same stack, empty, and used by this service only,
   * which sets its policy, notifications and CORS. An imported bucket does not work, because the
   * CDK cannot set these. Encryption, removal policy and access logs of the bucket are up to you.
   *
   * @default - a bucket is created
   */
  readonly contentBucket?: s3.Bucket;
}
