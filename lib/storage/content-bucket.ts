import { Aws, Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { LIMITS } from '../../core/limits';
import { grantKey } from './encryption';
import { protection, type StorageOptions } from './options';
import { cfnOf, prepareOwnBucket } from './own-bucket';

/** Options of the bucket of the blobs. */
export interface ContentBucketOptions extends StorageOptions {
  /**
   * The bucket for S3's server access logs of the content bucket.
   *
   * @default - no access logs
   */
  readonly serverAccessLogsBucket?: s3.IBucket;

  /**
   * Your own bucket for the blobs: created in the same stack, empty, and used by this service only,
   * which sets its policy, notifications and CORS. An imported bucket does not work, because the
   * CDK cannot set these. Encryption, removal policy and access logs of the bucket are up to you.
   *
   * @default - a bucket is created
   */
  readonly contentBucket?: s3.Bucket;

  /**
   * Whether S3 keeps what is removed from the content bucket for `retention`, in whole days, as a
   * noncurrent version: what a fault or a person removes can be brought back, because no function
   * may remove a version. The bytes of old versions of objects are paid for twice as long. A bucket
   * of your own has its own setting.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly versioned?: boolean;
}

interface ContentBucketProps extends ContentBucketOptions {
  /** See ObjectStorageProps. */
  readonly retention?: Duration;
}

/** Blobs of PUT requests and of presigned uploads; docs/design.md, "Blobs". */
const OBJECTS = 'objects/*';
const UPLOADS = 'uploads/*';

/**
 * Age at which S3 aborts an incomplete multipart upload, even while parts arrive. Until then its
 * URLs can be signed again, because 5 TiB take days. The janitor aborts an abandoned one a day
 * after its last URLs expired.
 */
const ABORT_MULTIPART_AFTER = Duration.days(7);

/**
 * A signed URL carries all the authority that S3 checks, and no cookie or key goes with it. So any
 * page may use one.
 */
const CORS: s3.CorsRule = {
  allowedOrigins: ['*'],
  allowedMethods: [
    s3.HttpMethods.GET,
    s3.HttpMethods.HEAD,
    s3.HttpMethods.PUT,
    s3.HttpMethods.POST,
    s3.HttpMethods.DELETE,
  ],
  allowedHeaders: ['*'],
  // A browser that uploads in parts needs each part's ETag to complete the upload, and one that
  // downloads them has to know whether it decodes them.
  exposedHeaders: ['ETag', 'Content-Range', 'Accept-Ranges', 'Content-Encoding'],
  maxAge: 3600,
};

/**
 * The write-once bucket of the blobs. The bucket policy requires `If-None-Match` of every writer,
 * so nothing is overwritten.
 */
export class ContentBucket extends Construct {
  /** The bucket of the blobs. */
  public readonly bucket: s3.Bucket;
  private readonly cfnBucket: s3.CfnBucket;

  /** @internal */
  constructor(scope: Construct, id: string, props: ContentBucketProps = {}) {
    super(scope, id);
    this.bucket = props.contentBucket ?? this.createBucket(props);
    if (props.contentBucket !== undefined) prepareOwnBucket(this, props.contentBucket);
    this.bucket.addCorsRule(CORS);
    this.cfnBucket = cfnOf(this.bucket);
    this.denyOverwriting();
  }

  /**
   * @internal Allows storing blobs, and signing URLs that store them. The bucket policy denies
   * overwriting to all.
   */
  public grantWrite(grantee: iam.IGrantable): iam.Grant {
    // Decrypt: S3 reads the encrypted parts to complete a multipart upload.
    grantKey(grantee, this.bucket.encryptionKey, 's3', 'GenerateDataKey', 'Decrypt');
    return this.grant(grantee, [OBJECTS, UPLOADS], ['s3:PutObject']);
  }

  /**
   * @internal Allows reading blobs. With s3:ListBucket, S3 returns 404 for a missing blob instead
   * of 403.
   */
  public grantRead(grantee: iam.IGrantable): iam.Grant {
    grantKey(grantee, this.bucket.encryptionKey, 's3', 'Decrypt');
    return this.grant(grantee, [OBJECTS, UPLOADS], ['s3:GetObject']).combine(
      this.grantList(grantee),
    );
  }

  /** @internal Allows listing blob names. */
  public grantList(grantee: iam.IGrantable): iam.Grant {
    return iam.Grant.addToPrincipal({
      grantee,
      actions: ['s3:ListBucket'],
      resourceArns: [this.bucket.bucketArn],
    });
  }

  /** @internal Allows removing the blob of a PUT whose commit failed. */
  public grantUndoWrite(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [OBJECTS], ['s3:DeleteObject']);
  }

  /** @internal Allows removing blobs that no record names. */
  public grantDelete(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [OBJECTS, UPLOADS], ['s3:DeleteObject']);
  }

  /** @internal Allows aborting multipart uploads, and signing URLs that abort them. */
  public grantAbort(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [UPLOADS], ['s3:AbortMultipartUpload']);
  }

  /** @internal Allows copying blobs to uploads, part by part, and continuing that. */
  public grantCopyLarge(grantee: iam.IGrantable): iam.Grant {
    grantKey(grantee, this.bucket.encryptionKey, 's3', 'GenerateDataKey', 'Decrypt');
    return this.grant(grantee, [UPLOADS], ['s3:PutObject', 's3:ListMultipartUploadParts']);
  }

  /** @internal Allows aborting a copy in parts that failed. */
  public grantAbortCopy(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [OBJECTS], ['s3:AbortMultipartUpload']);
  }

  /**
   * @internal Invokes `ingest`, whose permission is created in `scope`, for each finished presigned
   * upload, and lets it read and remove such uploads.
   *
   * The notification is a property of the bucket, without a custom resource. So the bucket is
   * created after the function and its permission, and the function must not refer to the bucket:
   * the bucket policy grants its access, and the event contains the bucket's name, which ingest
   * compares with that in the row of the upload. Lambda repeats a failed event twice. The janitor
   * finds uploads that are still pending within the hour, so there is no dead-letter queue.
   */
  public notifyUploads(scope: Construct, ingest: lambda.IFunction): void {
    const permission = new lambda.CfnPermission(scope, 'AllowContentBucket', {
      action: 'lambda:InvokeFunction',
      functionName: ingest.functionArn,
      principal: 's3.amazonaws.com',
      // The account excludes other accounts' buckets.
      sourceAccount: Aws.ACCOUNT_ID,
      sourceArn: this.arnOfName(),
    });
    this.cfnBucket.addResourceDependency(permission);
    this.cfnBucket.notificationConfiguration = {
      lambdaConfigurations: [
        {
          event: 's3:ObjectCreated:*',
          filter: { s3Key: { rules: [{ name: 'prefix', value: UPLOADS.slice(0, -1) }] } },
          function: ingest.functionArn,
        },
      ],
    };
    grantKey(ingest, this.bucket.encryptionKey, 's3', 'Decrypt');
    const principals = [ingest.grantPrincipal];
    this.bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'IngestReadsAndRemovesUploads',
        principals,
        actions: ['s3:GetObject', 's3:DeleteObject'],
        resources: [this.bucket.arnForObjects(UPLOADS)],
      }),
    );
    this.bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'IngestDistinguishesMissingFromForbidden',
        principals,
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
      }),
    );
  }

  /**
   * Makes blobs write-once: each request that creates an object must have If-None-Match.
   * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
   */
  private denyOverwriting(): void {
    this.bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'WriteOnce',
        effect: iam.Effect.DENY,
        principals: [new iam.AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects('*')],
        conditions: {
          Null: { 's3:if-none-match': 'true' },
          // False for CreateMultipartUpload and UploadPart, which are s3:PutObject too but create
          // no object.
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      }),
    );
  }

  /**
   * The bucket's ARN if its name is known now. undefined: CloudFormation chooses the name, and a
   * reference to the bucket would be a circular dependency.
   */
  private arnOfName(): string | undefined {
    const { bucketName } = this.cfnBucket;
    if (bucketName === undefined || Token.isUnresolved(bucketName)) return undefined;
    return Stack.of(this).formatArn({
      service: 's3',
      region: '',
      account: '',
      resource: bucketName,
    });
  }

  private createBucket(props: ContentBucketProps): s3.Bucket {
    const { encryptionKey } = props;
    const { removalPolicy } = protection(props);
    const { versioned = removalPolicy === RemovalPolicy.RETAIN } = props;
    const bucket = new s3.Bucket(this, 'Bucket', {
      ...(encryptionKey === undefined
        ? { encryption: s3.BucketEncryption.S3_MANAGED }
        : // With a bucket key, S3 calls KMS rarely instead of for each object.
          { encryption: s3.BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy,
      serverAccessLogsBucket: props.serverAccessLogsBucket,
      versioned,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: ABORT_MULTIPART_AFTER,
          ...(versioned && {
            noncurrentVersionExpiration: wholeDays(props.retention),
            // Those whose versions have all expired.
            expiredObjectDeleteMarker: true,
          }),
        },
      ],
    });
    if (props.serverAccessLogsBucket === undefined) {
      Validations.of(bucket).acknowledge({
        id: 'AwsSolutions-S1',
        reason:
          'Without server access logs, a misused signed URL can be traced only to the request that signed it, in the access log of the API. ' +
          'A deployer who needs every S3 request sets serverAccessLogsBucket and pays for the log.',
      });
    }
    return bucket;
  }

  private grant(grantee: iam.IGrantable, patterns: string[], actions: string[]): iam.Grant {
    const principal = grantee.grantPrincipal;
    if (Construct.isConstruct(principal)) {
      const logicalId = Stack.of(this).getLogicalId(this.cfnBucket);
      for (const pattern of patterns) {
        Validations.of(principal).acknowledge({
          id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${pattern}]`,
          reason:
            'Blob keys are created at run time, so the grant names their prefix. The actions are listed one by one, and a blob cannot be overwritten.',
        });
      }
    }
    return iam.Grant.addToPrincipal({
      grantee,
      actions,
      resourceArns: patterns.map((pattern) => this.bucket.arnForObjects(pattern)),
    });
  }
}

/** Rounded up: S3 expires versions by days. The default where the retention is a token. */
function wholeDays(retention?: Duration): Duration {
  const known = retention === undefined || retention.isUnresolved() ? undefined : retention;
  const seconds = known?.toSeconds() ?? LIMITS.retentionDefaultSeconds;
  return Duration.days(Math.ceil(seconds / 86_400));
}
