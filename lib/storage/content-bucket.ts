import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ServiceFunction } from '../functions/service-function';
import { grantKey } from './encryption';
import { cfnOf, prepareOwnBucket } from './own-bucket';

export interface ContentBucketProps {
  /**
   * What happens to the bucket when the stack is deleted. CloudFormation deletes an empty bucket
   * only.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Origins of web pages that may upload and download by signed URL, such as
   * `https://app.example.com`.
   *
   * @default - none: browsers refuse signed URLs in scripts
   */
  readonly allowedOrigins?: string[];

  /**
   * Bucket that receives S3's server access logs.
   *
   * @default - no access logs
   */
  readonly serverAccessLogsBucket?: s3.IBucket;

  /**
   * Key that encrypts the blobs.
   *
   * @default - a key of S3's own
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * A bucket of your own in place of the one that is made here; own-bucket.ts says what it must be.
   *
   * @default - a bucket is made
   */
  readonly contentBucket?: s3.Bucket;
}

/** Blobs of PUT requests and of presigned uploads; docs/design.md, "Blobs". */
const OBJECTS = 'objects/*';
const UPLOADS = 'uploads/*';

/**
 * Days after which S3 aborts a multipart upload that nobody completed: far beyond the hour that its
 * URLs are good for.
 */
const ABORT_MULTIPART_AFTER = Duration.days(7);

/**
 * Write-once bytes. Nothing is ever overwritten: the bucket policy demands `If-None-Match` of every
 * writer.
 */
export class ContentBucket extends Construct {
  /** The bucket of the blobs. */
  public readonly bucket: s3.Bucket;
  private readonly cfnBucket: s3.CfnBucket;

  /** @internal */
  constructor(scope: Construct, id: string, props: ContentBucketProps = {}) {
    super(scope, id);
    const cors = corsRules(props.allowedOrigins ?? []);
    this.bucket = props.contentBucket ?? this.createBucket(props);
    if (props.contentBucket !== undefined) prepareOwnBucket(this, props.contentBucket);
    for (const rule of cors) this.bucket.addCorsRule(rule);
    this.cfnBucket = cfnOf(this.bucket);
    this.denyOverwriting();
  }

  /**
   * @internal Allows storing blobs, and minting URLs that do; never overwriting, which the bucket
   * policy denies to all.
   */
  public grantWrite(grantee: iam.IGrantable): iam.Grant {
    // Decrypt: parts of an upload are put together from what was encrypted.
    grantKey(grantee, this.bucket.encryptionKey, 's3', 'GenerateDataKey', 'Decrypt');
    return this.grant(grantee, [OBJECTS, UPLOADS], ['s3:PutObject']);
  }

  /**
   * @internal Allows reading blobs, and telling a missing one (404) from a forbidden one, which
   * takes s3:ListBucket.
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

  /** @internal Allows removing the blob of a PUT whose commit was refused. */
  public grantUndoWrite(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [OBJECTS], ['s3:DeleteObject']);
  }

  /** @internal Allows removing blobs that no record names any more. */
  public grantDelete(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [OBJECTS, UPLOADS], ['s3:DeleteObject']);
  }

  /** @internal Allows giving up multipart uploads, and minting URLs that do. */
  public grantAbort(grantee: iam.IGrantable): iam.Grant {
    return this.grant(grantee, [UPLOADS], ['s3:AbortMultipartUpload']);
  }

  /**
   * Invokes `ingest` for each finished presigned upload, and lets it read and remove such uploads.
   *
   * The notification is a property of the bucket, without a custom resource. So the bucket is
   * created after the function and its permission, and nothing of the function may refer to the
   * bucket: its access is granted by the bucket policy, and it learns the bucket's name from the
   * event. Lambda repeats a failed event twice; what is still pending then, the janitor finds
   * within the hour, so there is no dead-letter queue to watch.
   * @internal
   */
  public notifyUploads(ingest: ServiceFunction): void {
    const permission = new lambda.CfnPermission(ingest, 'AllowContentBucket', {
      action: 'lambda:InvokeFunction',
      functionName: ingest.function.functionArn,
      principal: 's3.amazonaws.com',
      // The bucket's ARN would close the cycle; the account keeps other accounts' buckets out.
      sourceAccount: Aws.ACCOUNT_ID,
    });
    this.cfnBucket.addResourceDependency(permission);
    this.cfnBucket.notificationConfiguration = {
      lambdaConfigurations: [
        {
          event: 's3:ObjectCreated:*',
          filter: { s3Key: { rules: [{ name: 'prefix', value: UPLOADS.slice(0, -1) }] } },
          function: ingest.function.functionArn,
        },
      ],
    };
    grantKey(ingest, this.bucket.encryptionKey, 's3', 'Decrypt');
    const principals = [new iam.ArnPrincipal(ingest.role.roleArn)];
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
        sid: 'IngestTellsMissingFromForbidden',
        principals,
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
      }),
    );
  }

  /**
   * S3 itself keeps blobs write-once: each request that would create an object must carry
   * If-None-Match.
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
          // False for CreateMultipartUpload and UploadPart, which s3:PutObject covers too and which
          // create nothing yet.
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      }),
    );
  }

  private createBucket(props: ContentBucketProps): s3.Bucket {
    const { encryptionKey } = props;
    const bucket = new s3.Bucket(this, 'Bucket', {
      ...(encryptionKey === undefined
        ? { encryption: s3.BucketEncryption.S3_MANAGED }
        : // With a key of the bucket's between, KMS is asked seldom instead of for each object.
          { encryption: s3.BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      serverAccessLogsBucket: props.serverAccessLogsBucket,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: ABORT_MULTIPART_AFTER }],
    });
    if (props.serverAccessLogsBucket === undefined) {
      Validations.of(bucket).acknowledge({
        id: 'AwsSolutions-S1',
        reason:
          'Without server access logs a misused signed URL can be traced only to the request that minted it, which the API access log keeps; ' +
          'who needs every S3 request sets serverAccessLogsBucket and pays for the log.',
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
            'Blob keys are made at run time, so the grant names their prefix. The actions are listed one by one, and a blob cannot be overwritten.',
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

function corsRules(allowedOrigins: string[]): s3.CorsRule[] {
  if (allowedOrigins.length === 0) return [];
  return [
    {
      allowedOrigins,
      allowedMethods: [
        s3.HttpMethods.GET,
        s3.HttpMethods.HEAD,
        s3.HttpMethods.PUT,
        s3.HttpMethods.POST,
        s3.HttpMethods.DELETE,
      ],
      allowedHeaders: ['*'],
      // A browser that uploads in parts needs each part's ETag to complete the upload.
      exposedHeaders: ['ETag', 'Content-Range', 'Accept-Ranges'],
      maxAge: 3600,
    },
  ];
}
