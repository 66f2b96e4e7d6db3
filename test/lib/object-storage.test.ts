import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { ObjectStorage, type ObjectStorageProps, StorageStack } from '../../lib';
import { useApp, useBundles, useStorage } from './synthesize';

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
});

describe('two services in one stack', () => {
  const bundles = useBundles();
  const stack = new Stack(useApp(), 'test');
  new ObjectStorage(stack, 'Photos', { bundles });
  new ObjectStorage(stack, 'Backups', { bundles, apiGatewayLogRole: false });

  test('have different names of APIs and namespaces of metrics', () => {
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::S3::Bucket', 2);
    const namespaces = Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
      ({ Properties }) => Properties.MetricTransformations[0].MetricNamespace,
    );
    expect(new Set(namespaces)).toEqual(new Set(['Stowage/test/Backups', 'Stowage/test/Photos']));
    const names = Object.values(template.findResources('AWS::ApiGateway::RestApi')).map(
      ({ Properties }) => Properties.Name,
    );
    expect(names.sort()).toEqual(['test-Backups', 'test-Photos']);
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
    const [stage] = Object.values(template.findResources('AWS::ApiGateway::Stage'));
    const settings: readonly Record<string, unknown>[] = stage?.Properties.MethodSettings;
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

describe('an ObjectStorage', () => {
  const bundles = useBundles();
  const create = (props: ObjectStorageProps) => () =>
    new ObjectStorage(new Stack(new App(), 'test'), 'Storage', { bundles, ...props });

  test.each<[string, ObjectStorageProps, RegExp]>([
    [
      'when the retention is shorter than an hour',
      { retention: Duration.minutes(59) },
      /^retention must be at least one hour, in whole seconds, got 3540 s: use Duration.hours\(1\)/,
    ],
    [
      'when memory is below the minimum of Lambda',
      { requestMemorySize: 64 },
      /^requestMemorySize must be a whole number of MiB from 128 to 10240, got 64$/,
    ],
    [
      'when memory is above the maximum of Lambda',
      { backgroundMemorySize: 10_241 },
      /^backgroundMemorySize must be a whole number of MiB from 128 to 10240, got 10241$/,
    ],
    [
      'when no request would be accepted',
      { throttlingRateLimit: 0 },
      /^throttlingRateLimit must be above 0, got 0: leave it out/,
    ],
    [
      'when no burst of requests would be accepted',
      { throttlingBurstLimit: -1 },
      /^throttlingBurstLimit must be above 0, got -1: leave it out/,
    ],
    [
      'when no message would be accepted',
      { syncThrottlingRateLimit: 0 },
      /^syncThrottlingRateLimit must be above 0, got 0: leave it out/,
    ],
    [
      'when no burst of messages would be accepted',
      { syncThrottlingBurstLimit: -1 },
      /^syncThrottlingBurstLimit must be above 0, got -1: leave it out/,
    ],
    [
      'when an origin is not written as browsers write it',
      { allowedOrigins: ['https://App.example.com:443'] },
      /^allowedOrigins must hold origins as browsers .*: use 'https:\/\/app.example.com'$/,
    ],
    [
      'when an origin is not a URL',
      { allowedOrigins: ['https://app.example.com:port'] },
      /^allowedOrigins must hold origins as browsers .*: use 'https:\/\/app.example.com'$/,
    ],
    [
      'when an origin is a pattern',
      { allowedOrigins: ['https://*.example.com'] },
      /^allowedOrigins must hold whole origins, got 'https:\/\/\*.example.com': list each/,
    ],
    [
      'when the origins do not fit the variables of a function',
      { allowedOrigins: Array.from({ length: 100 }, (_, i) => `https://${i}.example.com`) },
      /^allowedOrigins must take at most 2048 bytes as JSON, got \d+: list fewer origins, or '\*'$/,
    ],
    [
      'when an origin has a path, which would never match',
      { allowedOrigins: ['https://app.example.com/'] },
      /^allowedOrigins must hold origins .* got 'https:\/\/app.example.com\/': leave out path/,
    ],
    [
      'when a tier limits an unknown class',
      { rateTiers: { small: { upload: { rate: 1, burst: 1 } } } as never },
      /^rateTiers.small.upload is not a class: use read, write, list, sign, wait, connect$/,
    ],
    [
      'when a tier accepts no request',
      { rateTiers: { small: { read: { rate: 0, burst: 1 } } } },
      /^rateTiers.small.read.rate must be a number from 0.001 to 10000, got 0$/,
    ],
    [
      'when requests of a class that does not last are counted at the same time',
      { rateTiers: { small: { read: { rate: 1, burst: 1, concurrent: 1 } as never } } },
      /^rateTiers.small.read.concurrent is only for wait, connect: use rate and burst$/,
    ],
    [
      'when no request may wait',
      { rateTiers: { small: { wait: { rate: 1, burst: 1, concurrent: 0 } } } },
      /^rateTiers.small.wait.concurrent must be a number from 1 to 1000, got 0$/,
    ],
    [
      'when the number of waiting requests is not whole',
      { maxWaiting: 1.5 },
      /^maxWaiting must be a whole number from 0 to 100, got 1.5$/,
    ],
    [
      'when more requests may wait than one item can count',
      { maxWaiting: 101 },
      /^maxWaiting must be a whole number from 0 to 100, got 101$/,
    ],
    [
      'when a reservation stops a function',
      { reservedConcurrency: { admin: 0 } },
      /^reservedConcurrency.admin must be a whole number from 1 to 100000, got 0$/,
    ],
    [
      'when waiting requests leave no execution for pages',
      { reservedConcurrency: { changes: 50 } },
      /^reservedConcurrency.changes must be above maxWaiting \(50\), got 50: /,
    ],
    [
      'when a burst is not a whole number',
      { rateTiers: { small: { read: { rate: 1, burst: 1.5 } } } },
      /^rateTiers.small.read.burst must be a whole number of requests, got 1.5$/,
    ],
    [
      'when a limit is misspelt',
      { rateTiers: { small: { read: { rate: 1, burst: 1, bursts: 1 } as never } } },
      /^rateTiers.small.read has bursts: use rate, burst, and in the class wait concurrent$/,
    ],
    [
      'when the name of a tier is not valid',
      { rateTiers: { 'Small tier': {} } },
      /^rateTiers: the name of a tier must be 1-31 of .* got 'Small tier'$/,
    ],
    [
      'when the tiers do not fit the variables of a function',
      { rateTiers: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`t${n}`, {}])) },
      /^rateTiers must take at most 2048 bytes as JSON with all classes, got \d+: define fewer/,
    ],
    [
      'when the bundles have not been built',
      { bundles: '/nowhere' },
      /^the bundle of function authorizer is missing in \/nowhere\/authorizer: run 'npm run build'/,
    ],
  ])('fails %s', (_when, props, message) => {
    expect(create(props)).toThrow(message);
  });

  test.each<[string, ObjectStorageProps]>([
    ['the shortest retention', { retention: Duration.hours(1) }],
    ['the least and the most memory', { requestMemorySize: 128, backgroundMemorySize: 10_240 }],
    ['any origin', { allowedOrigins: ['*', 'http://localhost:3000'] }],
  ])('accepts %s', (_what, props) => {
    expect(create(props)).not.toThrow();
  });
});
