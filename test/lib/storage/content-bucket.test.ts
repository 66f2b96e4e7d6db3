import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { ObjectStorageProps } from '../../../lib';
import { logicalId, onlyOf, useStorage } from '../synthesize';

describe('the content bucket', () => {
  const { stack, storage, template } = useStorage();
  const bucketId = logicalId(stack, storage.content.bucket);
  const bucketArn = { 'Fn::GetAtt': [bucketId, 'Arn'] };
  const below = (pattern: string) => ({ 'Fn::Join': ['', [bucketArn, `/${pattern}`]] });
  const ingestArn = {
    'Fn::GetAtt': [logicalId(stack, storage.functions.ingest.function), 'Arn'],
  };
  const ingestRole = {
    AWS: { 'Fn::GetAtt': [logicalId(stack, storage.functions.ingest.role), 'Arn'] },
  };

  test('is encrypted, private and retained, and owns every object in it', () => {
    template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
          ],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        BucketName: Match.absent(),
      },
    });
  });

  test('removes unfinished multipart uploads after a week, noncurrent versions after the retention, and nothing else', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
            NoncurrentVersionExpiration: { NoncurrentDays: 7 },
            ExpiredObjectDeleteMarker: true,
            Status: 'Enabled',
          },
        ],
      },
    });
  });

  test('gives no function the right to remove a version', () => {
    const policies = [
      ...Object.values(template.findResources('AWS::IAM::Policy')),
      ...Object.values(template.findResources('AWS::S3::BucketPolicy')),
    ];
    const allowed = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.filter(
        ({ Effect }: { Effect: string }) => Effect === 'Allow',
      ).flatMap(({ Action }: { Action: string | string[] }) => Action),
    );
    const ofS3 = new Set(allowed.filter((action: string) => /^(s3:|\*)/.test(action)));
    expect(ofS3).toContain('s3:DeleteObject');
    expect([...ofS3].filter((action) => /Version|\*/.test(action))).toEqual([]);
  });

  test('has a policy of exactly these statements', () => {
    const { Bucket, PolicyDocument } = onlyOf(template, 'AWS::S3::BucketPolicy');
    expect(Bucket).toEqual({ Ref: bucketId });
    expect(PolicyDocument.Statement).toEqual([
      {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 's3:*',
        Resource: [bucketArn, below('*')],
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
      {
        Sid: 'WriteOnce',
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 's3:PutObject',
        Resource: below('*'),
        Condition: {
          Null: { 's3:if-none-match': 'true' },
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      },
      {
        Sid: 'IngestReadsAndRemovesUploads',
        Effect: 'Allow',
        Principal: ingestRole,
        Action: ['s3:DeleteObject', 's3:GetObject'],
        Resource: below('uploads/*'),
      },
      {
        Sid: 'IngestDistinguishesMissingFromForbidden',
        Effect: 'Allow',
        Principal: ingestRole,
        Action: 's3:ListBucket',
        Resource: bucketArn,
      },
    ]);
  });

  test('reports uploads to ingest, and nothing to anyone else', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: {
        LambdaConfigurations: [
          {
            Event: 's3:ObjectCreated:*',
            Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'uploads/' }] } },
            Function: ingestArn,
          },
        ],
      },
    });
  });

  test('is created after the permission to invoke ingest, which buckets of this account have', () => {
    const permissions = template.findResources('AWS::Lambda::Permission', {
      Properties: { Principal: 's3.amazonaws.com' },
    });
    expect(Object.values(permissions).map((permission) => permission.Properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: ingestArn,
        Principal: 's3.amazonaws.com',
        SourceAccount: { Ref: 'AWS::AccountId' },
      },
    ]);
    expect(template.toJSON().Resources[bucketId].DependsOn).toEqual(Object.keys(permissions));
  });

  test('needs no custom resource', () => {
    const types = Object.values(template.toJSON().Resources).map(
      (resource) => (resource as { Type: string }).Type,
    );
    expect(types.filter((type) => !type.startsWith('AWS::'))).toEqual([]);
    expect(types).not.toContain('AWS::CloudFormation::CustomResource');
  });
});

describe('a content bucket that may be destroyed', () => {
  const { template } = useStorage({ removalPolicy: RemovalPolicy.DESTROY });

  test('is deleted with the stack', () => {
    template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
  });
});

describe('a signed URL', () => {
  const { template } = useStorage();

  test('works on any page, which can read the ETag of each part', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [
          {
            AllowedOrigins: ['*'],
            AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
            AllowedHeaders: ['*'],
            ExposedHeaders: Match.arrayWith(['ETag']),
          },
        ],
      },
    });
  });
});

describe('serverAccessLogsBucket', () => {
  const { stack, template } = useStorage();
  const logs = s3.Bucket.fromBucketName(stack, 'Logs', 'access-logs');
  const { template: logged } = useStorage({ serverAccessLogsBucket: logs });

  test('receives the access logs, which are off by default', () => {
    template.hasResourceProperties('AWS::S3::Bucket', { LoggingConfiguration: Match.absent() });
    logged.hasResourceProperties('AWS::S3::Bucket', {
      LoggingConfiguration: { DestinationBucketName: 'access-logs' },
    });
  });
});

describe('versions of the content bucket', () => {
  const bucketOf = (props: ObjectStorageProps) =>
    onlyOf(useStorage(props).template, 'AWS::S3::Bucket');
  const kept = bucketOf({ retention: Duration.hours(36) });
  const deleted = bucketOf({ removalPolicy: RemovalPolicy.DESTROY });
  const off = bucketOf({ versioned: false });
  const on = bucketOf({ removalPolicy: RemovalPolicy.DESTROY, versioned: true });

  test('are kept for the retention in whole days', () => {
    const [rule] = kept.LifecycleConfiguration.Rules;
    expect(rule.NoncurrentVersionExpiration).toEqual({ NoncurrentDays: 2 });
  });

  test('exist where data outlives the stack, or where they are switched on', () => {
    const status = [kept, deleted, off, on].map(
      ({ VersioningConfiguration }) => VersioningConfiguration?.Status,
    );
    expect(status).toEqual(['Enabled', undefined, undefined, 'Enabled']);
    for (const { LifecycleConfiguration } of [deleted, off]) {
      expect(LifecycleConfiguration.Rules[0]).not.toHaveProperty('NoncurrentVersionExpiration');
    }
  });
});
