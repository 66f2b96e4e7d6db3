import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as notifications from 'aws-cdk-lib/aws-s3-notifications';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { ObjectStorage } from '../../../lib';
import { logicalId, onlyOf, useApp, useBundles } from '../synthesize';

const bundles = useBundles();

describe('a bucket of the deployer', () => {
  const stack = new Stack(useApp(), 'test');
  const key = new kms.Key(stack, 'Key');
  const contentBucket = new s3.Bucket(stack, 'Archive', {
    encryptionKey: key,
    enforceSSL: true,
    lifecycleRules: [
      {
        transitions: [
          {
            storageClass: s3.StorageClass.INTELLIGENT_TIERING,
            transitionAfter: Duration.days(0),
          },
        ],
      },
    ],
  });
  const storage = new ObjectStorage(stack, 'Storage', { bundles, contentBucket });
  const template = Template.fromStack(stack);
  const bucketId = logicalId(stack, contentBucket);

  test('replaces the bucket that the construct would create', () => {
    expect(storage.content.bucket).toBe(contentBucket);
    expect(Object.keys(template.findResources('AWS::S3::Bucket'))).toEqual([bucketId]);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ CONTENT_BUCKET: { Ref: bucketId } }) },
    });
  });

  test('gets the policy that makes blobs write-once, the notifications and the CORS rules of the service', () => {
    const { PolicyDocument } = onlyOf(template, 'AWS::S3::BucketPolicy');
    const statements: { Sid?: string }[] = PolicyDocument.Statement;
    expect(statements.map(({ Sid }) => Sid)).toEqual([
      undefined,
      'WriteOnce',
      'IngestReadsAndRemovesUploads',
      'IngestDistinguishesMissingFromForbidden',
    ]);
    template.hasResourceProperties('AWS::S3::Bucket', {
      NotificationConfiguration: { LambdaConfigurations: [Match.anyValue()] },
      CorsConfiguration: { CorsRules: [Match.objectLike({ AllowedOrigins: ['*'] })] },
    });
  });

  test('has its own encryption, whose key the functions may use', () => {
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies).toContain('kms:GenerateDataKey');
    expect(policies).not.toContain('kms:DescribeKey');
  });

  test('is refused for a second ObjectStorage', () => {
    expect(() => new ObjectStorage(stack, 'Second', { bundles, contentBucket })).toThrow(
      /^contentBucket test\/Archive has notifications already: use a separate bucket/,
    );
  });
});

test('a bucket with a name of its own is the only one that may invoke ingest', () => {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'test');
  const contentBucket = new s3.Bucket(stack, 'Archive', { bucketName: 'archive-of-photos' });
  new ObjectStorage(stack, 'Storage', { bundles, contentBucket });
  Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Permission', {
    Principal: 's3.amazonaws.com',
    SourceAccount: { Ref: 'AWS::AccountId' },
    SourceArn: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':s3:::archive-of-photos']] },
  });
});

test('a bucket of another stack is refused, because the stacks would depend on each other', () => {
  const app = new App();
  const contentBucket = new s3.Bucket(new Stack(app, 'other'), 'Archive');
  const create = () =>
    new ObjectStorage(new Stack(app, 'test'), 'Storage', { bundles, contentBucket });
  expect(create).toThrow(/^contentBucket other\/Archive must be created in the stack of its Obj/);
});

// Synthesis also finds changes that are made after the ObjectStorage was created.
describe.each<[string, s3.BucketProps, (bucket: s3.Bucket) => void, RegExp]>([
  [
    'notifies others of its objects',
    {},
    (bucket) => {
      const queue = new sqs.Queue(bucket.stack, 'Queue');
      bucket.addObjectCreatedNotification(new notifications.SqsDestination(queue));
    },
    /has notifications of its own, which would replace those of the service/,
  ],
  [
    'expires objects',
    {},
    (bucket) => bucket.addLifecycleRule({ expiration: Duration.days(30) }),
    /has a lifecycle rule that expires objects/,
  ],
  [
    'archives objects',
    {},
    (bucket) =>
      bucket.addLifecycleRule({
        transitions: [
          { storageClass: s3.StorageClass.GLACIER, transitionAfter: Duration.days(30) },
        ],
      }),
    /has a lifecycle rule that moves objects to GLACIER or DEEP_ARCHIVE, where they cannot be read/,
  ],
  [
    'allows public access',
    { blockPublicAccess: s3.BlockPublicAccess.BLOCK_ACLS_ONLY },
    () => undefined,
    /allows public access: set blockPublicAccess to BLOCK_ALL/,
  ],
])('a bucket that %s', (_what, props, change, problem) => {
  const app = useApp();
  const stack = new Stack(app, 'test');
  const contentBucket = new s3.Bucket(stack, 'Archive', props);
  new ObjectStorage(stack, 'Storage', { bundles, contentBucket });
  change(contentBucket);

  test('fails the synthesis', () => {
    expect(() => app.synth()).toThrow(problem);
  });
});
