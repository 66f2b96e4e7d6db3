import { UserError } from '../../src/errors/user-error';
import { bucketsOfStack } from '../../src/services/s3/s3';
import type { ResolvedResource, ResolvedStack } from '../../src/template/model';

function stack(...resources: readonly Partial<ResolvedResource>[]): ResolvedStack {
  const whole = resources.map((resource, index) => ({
    logicalId: `Resource${index}`,
    type: 'AWS::S3::Bucket',
    properties: {},
    physicalId: `bucket-${index}`,
    dependsOn: [],
    ...resource,
  }));
  return {
    stackName: 'test',
    region: 'us-east-1',
    accountId: '000000000000',
    resources: new Map(whole.map((resource) => [resource.logicalId, resource])),
    outputs: {},
    assetPath: () => '',
  };
}

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
    VersioningConfiguration: { Status: 'Suspended' },
    LoggingConfiguration: {},
    Tags: [{ Key: 'a', Value: 'b' }],
    CorsConfiguration: {
      CorsRules: [{ AllowedOrigins: ['*'], AllowedMethods: ['GET', 'PUT'], MaxAge: 60 }],
    },
    LifecycleConfiguration: {
      Rules: [
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 }, Status: 'Enabled' },
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Disabled' },
      ],
    },
  };
  const policy = { Bucket: 'content', PolicyDocument };
  const found = bucketsOfStack(
    stack(
      { physicalId: 'content', properties },
      { type: 'AWS::S3::BucketPolicy', physicalId: 'policy', properties: policy },
      { physicalId: 'bare' },
      { type: 'AWS::SNS::Topic' },
    ),
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
    VersioningConfiguration: { Status: 'Enabled' },
    ReplicationConfiguration: {},
    LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 1 }] },
  };
  const refuse = () => bucketsOfStack(stack({ logicalId: 'Content', properties }));
  expect(refuse).toThrow(UserError);
  expect(refuse).toThrow(
    [
      'ReplicationConfiguration is not emulated',
      'BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault.SSEAlgorithm: aws:kms:dsse is not emulated',
      'VersioningConfiguration.Status: Enabled is not emulated',
      'LifecycleConfiguration.Rules.0.ExpirationInDays is not emulated',
    ]
      .map((line) => `Content (AWS::S3::Bucket): ${line}`)
      .join('\n'),
  );
});
