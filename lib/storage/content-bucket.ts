import { Aws, Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
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
   * What happens to the bucket when the stack is deleted. CloudFormation deletes only an empty
   * bucket.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Origins of web pages whose scripts may use signed URLs, such as `https://app.example.com`.
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
   * The key that encrypts the blobs.
   *
   * @default - a key of S3's own
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Your own bucket, instead of one that is created here; own-bucket.ts checks its properties.
   *
   * @default - a bucket is created
   */
  readonly contentBucket?: s3.Bucket;
}

/** Blobs of PUT requests and of presigned uploads; docs/design.md, "Blobs". */
const OBJECTS = 'objects/*';
const UPLOADS = 'uploads/*';

/**
 * When S3 aborts a multipart upload that was not completed, however busy it is: its URLs can be
 * signed again for so long, and 5 TiB take days. The janitor aborts an abandoned one a day after
 * its last URLs expired.
 */
const ABORT_MULTIPART_AFTER = Duration.days(7);

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
    const cors = corsRules(props.allowedOrigins ?? []);
    this.bucket = props.contentBucket ?? this.createBucket(props);
    if (props.contentBucket !== undefined) prepareOwnBucket(this, props.contentBucket);
    for (const rule of cors) this.bucket.addCorsRule(rule);
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
   * Invokes `ingest` for each finished presigned upload, and lets it read and remove such uploads.
   *
   * The notification is a property of the bucket, without a custom resource. So the bucket is
   * created after the function and its permission, and the function must not refer to the bucket:
   * the bucket policy grants its access, and the event contains the bucket's name, which ingest
   * compares with that in the row of the upload. Lambda repeats a failed event twice. The janitor
   * finds uploads that are still pending within the hour, so there is no dead-letter queue.
   * @internal
   */
  public notifyUploads(ingest: ServiceFunction): void {
    const permission = new lambda.CfnPermission(ingest, 'AllowContentBucket', {
      action: 'lambda:InvokeFunction',
      functionName: ingest.function.functionArn,
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
    const bucket = new s3.Bucket(this, 'Bucket', {
      ...(encryptionKey === undefined
        ? { encryption: s3.BucketEncryption.S3_MANAGED }
        : // With a bucket key, S3 calls KMS rarely instead of for each object.
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
      // A browser that uploads in parts needs each part's ETag to complete the upload, and one that
      // downloads them has to know whether it decodes them.
      exposedHeaders: ['ETag', 'Content-Range', 'Accept-Ranges', 'Content-Encoding'],
      maxAge: 3600,
    },
  ];
}
