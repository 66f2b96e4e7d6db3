import { App, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import {
  ChangeTarget,
  type IObjectStorage,
  ObjectStorage,
  type ObjectStorageProps,
  StorageStack,
} from '../../lib';
import { onlyOf, useApp, useBundles, useStorage } from './synthesize';

describe('StorageStack', () => {
  const bundles = useBundles();
  const template = Template.fromStack(new StorageStack(useApp(), 'test', { storage: { bundles } }));

  test('has the outputs that operators need', () => {
    expect(Object.keys(template.toJSON().Outputs).sort()).toEqual([
      'ApiKeysTableName',
      'ApiUrl',
      'AuditTableName',
      'BaseUrl',
      'BucketsTableName',
      'ChangesTableName',
      'ContentBucketName',
      'EdgeDomainName',
      'LinksTableName',
      'ObjectsTableName',
      'RatesTableName',
      'SignInClientId',
      'SignInIssuer',
      'SubscriptionsTableName',
      'SyncUrl',
      'UndeliveredQueueUrl',
      'UploadsTableName',
      'UserPoolId',
    ]);
  });

  test('keeps changes for seven days by default, as docs/api.md says', () => {
    const kept = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(({ Properties }) => Properties.Environment.Variables.RETENTION_SECONDS)
      .filter((seconds) => seconds !== undefined);
    expect(kept).toEqual(['604800', '604800']);
  });
});

describe('settings', () => {
  const { template } = useStorage({
    retention: Duration.hours(36),
    removalPolicy: RemovalPolicy.DESTROY,
    architecture: lambda.Architecture.X86_64,
    logRetention: logs.RetentionDays.ONE_WEEK,
    throttlingRateLimit: 20,
    throttlingBurstLimit: 10,
    syncThrottlingRateLimit: 40,
    syncThrottlingBurstLimit: 30,
    requestMemorySize: 2048,
    backgroundMemorySize: 256,
  });

  test('reach every function', () => {
    template.allResourcesProperties('AWS::Lambda::Function', { Architectures: ['x86_64'] });
    const memory = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.MemorySize,
    );
    const [ofRequests, ofBackground] = [2048, 256].map(
      (size) => memory.filter((one) => one === size).length,
    );
    // For requests: authorizer, api, download, channel, admin, site, and revocation. In the
    // background: ingest, fanout, janitor, and changes, in which requests wait.
    expect([ofRequests, ofBackground, memory.length]).toEqual([7, 4, 11]);
  });

  test('set the retention of the change log in seconds', () => {
    const retention = Object.values(template.findResources('AWS::Lambda::Function'))
      .map(({ Properties }) => Properties.Environment.Variables.RETENTION_SECONDS)
      .filter((seconds) => seconds !== undefined);
    expect(retention).toEqual(['129600', '129600']);
  });

  test('set the retention and the removal policy of logs', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete' });
  });

  test('throttle the stages', () => {
    const { MethodSettings: settings } = onlyOf(template, 'AWS::ApiGateway::Stage');
    // Those of the public methods are never above.
    for (const method of settings) {
      expect(method.ThrottlingRateLimit).toBeLessThanOrEqual(20);
      expect(method.ThrottlingBurstLimit).toBeLessThanOrEqual(10);
    }
    expect(settings[0]).toMatchObject({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 10 });
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 40, ThrottlingBurstLimit: 30 },
    });
  });
});

// test/bin/settings.test.ts tries every setting with values that are refused.
describe('an ObjectStorage', () => {
  const bundles = useBundles();
  const create = (props: ObjectStorageProps) => () =>
    new ObjectStorage(new Stack(new App(), 'test'), 'Storage', { bundles, ...props });

  test.each<[ObjectStorageProps, string]>([
    [
      { retention: Duration.minutes(59) },
      'retention must be at least one hour, in whole seconds, got 3540 s: use Duration.hours(1) or more',
    ],
    [
      { requestMemorySize: 64 },
      'requestMemorySize must be a whole number of MiB from 128 to 10240, got 64',
    ],
    [
      { allowedOrigins: ['https://App.example.com:443'] },
      "allowedOrigins must hold origins as browsers send them, got 'https://App.example.com:443': use 'https://app.example.com'",
    ],
    [
      { reservedConcurrency: { changes: 50 } },
      'reservedConcurrency.changes must be above maxWaiting (50), got 50: requests that wait would leave no execution for pages',
    ],
    [
      { bundles: '/nowhere' },
      "the bundle of function authorizer is missing in /nowhere/authorizer: run 'npm run build' before synth, or set bundles",
    ],
  ])('with %j throws an Error that says what to write', (props, message) => {
    expect(create(props)).toThrow(new Error(message));
  });
});

describe('a permissions boundary and tags', () => {
  const { template } = useStorage({ cloudWatchDashboard: true }, (made, parent) => {
    const policy = iam.ManagedPolicy.fromManagedPolicyName(parent, 'Policy', 'boundary');
    iam.PermissionsBoundary.of(made).apply(policy);
    Tags.of(made).add('team', 'storage');
    made.onChange('Queue', ChangeTarget.queue(new sqs.Queue(parent, 'Queue')));
    made.grantRead(new iam.User(parent, 'User'));
  });

  test('reach every role, function, table and bucket, later ones too', () => {
    const roles = Object.keys(template.findResources('AWS::IAM::Role'));
    expect(roles.length).toBeGreaterThanOrEqual(14);
    template.allResourcesProperties('AWS::IAM::Role', { PermissionsBoundary: Match.anyValue() });
    const tags = { Tags: Match.arrayWith([{ Key: 'team', Value: 'storage' }]) };
    template.allResourcesProperties('AWS::Lambda::Function', tags);
    template.allResourcesProperties('AWS::S3::Bucket', tags);
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [Match.objectLike(tags)],
    });
  });
});

test('a service of another app has the addresses that its clients need', () => {
  const urls = { baseUrl: 'https://files.example.com/', syncUrl: 'wss://files.example.com/sync' };
  const stack = new Stack(new App(), 'client');
  const storage: IObjectStorage = ObjectStorage.fromAttributes(stack, 'Storage', urls);
  expect(storage).toMatchObject(urls);
  expect(storage.node.path).toBe('client/Storage');
});
