import { UserError } from '../../src/errors/user-error';
import { bucketsOfStack } from '../../src/services/s3/s3';
import { resolved } from '../support/template';

const bucket = (Properties: object) => ({ Type: 'AWS::S3::Bucket', Properties });

it('returns the buckets of a stack with their policies, CORS rules and lifecycle rules', () => {
  const PolicyDocument = { Statement: [{ Effect: 'Deny', Action: 's3:*', Resource: '*' }] };
  const properties = {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
      ],
    },
    PublicAccessBlockConfiguration: { BlockPublicAcls: true },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    VersioningConfiguration: { Status: 'Enabled' },
    LoggingConfiguration: {},
    Tags: [{ Key: 'a', Value: 'b' }],
    CorsConfiguration: {
      CorsRules: [{ AllowedOrigins: ['*'], AllowedMethods: ['GET', 'PUT'], MaxAge: 60 }],
    },
    LifecycleConfiguration: {
      Rules: [
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 }, Status: 'Enabled' },
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Disabled' },
        { NoncurrentVersionExpiration: { NoncurrentDays: 7 }, Status: 'Enabled' },
      ],
    },
  };
  const found = bucketsOfStack(
    resolved({
      Content: bucket({ BucketName: 'content', ...properties }),
      Policy: {
        Type: 'AWS::S3::BucketPolicy',
        Properties: { Bucket: { Ref: 'Content' }, PolicyDocument },
      },
      Bare: bucket({ BucketName: 'bare' }),
      Topic: { Type: 'AWS::SNS::Topic' },
    }),
  );
  expect(found).toEqual([
    {
      name: 'content',
      policy: PolicyDocument,
      corsRules: [
        {
          allowedOrigins: ['*'],
          allowedMethods: ['GET', 'PUT'],
          allowedHeaders: [],
          exposedHeaders: [],
          maxAgeSeconds: 60,
        },
      ],
      lifecycle: [{ prefix: '', daysAfterInitiation: 2 }],
    },
    { name: 'bare' },
  ]);
});

it('refuses all properties that are not emulated, by logical id and path', () => {
  const properties = {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms:dsse' } },
      ],
    },
    ReplicationConfiguration: {},
    LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 1 }] },
  };
  const refuse = () => bucketsOfStack(resolved({ Content: bucket(properties) }));
  expect(refuse).toThrow(UserError);
  expect(refuse).toThrow(
    [
      'ReplicationConfiguration is not emulated',
      'BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault.SSEAlgorithm: aws:kms:dsse is not emulated',
      'LifecycleConfiguration.Rules.0.ExpirationInDays is not emulated',
    ]
      .map((line) => `Content (AWS::S3::Bucket): ${line}`)
      .join('\n'),
  );
});
