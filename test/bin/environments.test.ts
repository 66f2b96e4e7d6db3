import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { needsWebAclStack, parseEnvironments } from '../../bin/environments';
import cdkJson from '../../cdk.json';
import { ObjectStorage, StorageStack, WebAclStack } from '../../lib';
import { useApp, useBundles, violations } from '../lib/synthesize';

describe('an environment of one account and region, with all that the edge may have', () => {
  const app = useApp();
  const [environment] = parseEnvironments({
    own: {
      account: '123456789012',
      region: 'us-east-1',
      edge: {
        domainName: 'files.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/abc',
        requestsPerFiveMinutes: 2000,
      },
    },
  });
  const bundles = useBundles();
  const { props } = environment ?? {};
  new StorageStack(app, 'own', { ...props, storage: { ...props?.storage, bundles } });

  test('has no finding that is not acknowledged', () => {
    expect(violations(app)).toEqual([]);
  });
});

describe('an environment in another region than us-east-1', () => {
  const app = useApp();
  const bundles = useBundles();
  const region = 'eu-central-1';
  const allowedOrigins = ['https://app.example.com'];
  const stack = new WebAclStack(app, 'web-acl', { allowedOrigins });
  const here = new Stack(app, 'here', { env: { region: 'us-east-1' } });
  new ObjectStorage(here, 'Storage', { bundles, allowedOrigins });
  const webAcl = Template.fromStack(stack);

  test('has a stack for its web ACL, unless it has no edge or no web ACL', () => {
    const needs = (settings: object) =>
      parseEnvironments({ qa: settings }).map(({ props }) => needsWebAclStack(props));
    const edge = { webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/b' };
    expect([needs({ region }), needs({ region, edge })]).toEqual([[true], [true]]);
    for (const without of [
      {},
      { region: 'us-east-1' },
      { region, edge: false },
      { region, edge: { requestsPerFiveMinutes: false } },
    ]) {
      expect(needs(without)).toEqual([false]);
    }
  });

  test('gets the rules of a stack in us-east-1', () => {
    const rules = (template: Template) => {
      const [found] = Object.values(template.findResources('AWS::WAFv2::WebACL'));
      const { VisibilityConfig, ...properties } = found?.Properties ?? {};
      return properties;
    };
    expect(rules(webAcl)).toEqual(rules(Template.fromStack(here)));
    webAcl.hasOutput('WebAclArn', {});
  });
});

describe('the environments of cdk.json', () => {
  const bundles = useBundles();
  const app = useApp();
  const traced = useApp();
  const stacks = new Map(
    parseEnvironments(cdkJson.context.environments).map(({ name, props }) => [
      name,
      new StorageStack(app, `stowage-${name}`, {
        ...props,
        storage: { ...props.storage, bundles },
      }),
    ]),
  );

  test('are dev, staging and production', () => {
    expect([...stacks.keys()]).toEqual(['dev', 'staging', 'production']);
  });

  test('have no finding of AwsSolutions and Serverless that is not acknowledged', () => {
    expect(violations(app)).toEqual([]);
  });

  test('have a finding when a construct violates a rule', () => {
    const stack = stacks.get('dev');
    if (stack === undefined) throw new Error('no stack dev');
    const bucket = new s3.Bucket(stack, 'Careless');
    expect(violations(app)).toContainEqual(['AwsSolutions-S10', [`${bucket.node.path}/Resource`]]);
    stack.node.tryRemoveChild('Careless');
  });

  test('acknowledge each finding with a sentence about its risk', () => {
    const reasons = app.node
      .findAll()
      .flatMap((construct) =>
        construct.node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .flatMap(({ data }) => Object.values(data)),
      );
    expect(reasons.length).toBeGreaterThan(5);
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z].{60,}\.$/);
  });

  test('have no finding when tracing is on', () => {
    const [environment] = parseEnvironments({ qa: { tracing: true } });
    const stack = new StorageStack(traced, 'traced', {
      storage: { ...environment?.props.storage, bundles },
    });
    expect(violations(traced)).toEqual([]);
    const template = Template.fromStack(stack);
    template.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    template.allResourcesProperties('AWS::ApiGateway::Stage', { TracingEnabled: true });
  });

  test('fit any account and region', () => {
    for (const stack of stacks.values()) {
      expect(stack.environment).toBe('aws://unknown-account/unknown-region');
    }
  });

  test('protect production, and retain the data of all except dev', () => {
    const found = [...stacks].map(([name, stack]) => {
      const [bucket] = Object.values(Template.fromStack(stack).findResources('AWS::S3::Bucket'));
      return [name, stack.terminationProtection ?? false, bucket?.DeletionPolicy];
    });
    expect(found).toEqual([
      ['dev', false, 'Delete'],
      ['staging', false, 'Retain'],
      ['production', true, 'Retain'],
    ]);
  });
});

describe('parseEnvironments', () => {
  test('turns settings into props', () => {
    const settings = {
      account: '123456789012',
      region: 'eu-central-1',
      terminationProtection: true,
      retentionHours: 48,
      removalPolicy: 'destroy',
      logRetentionDays: 90,
      responseStreaming: false,
      allowedOrigins: ['https://app.example.com'],
      edge: { originSecretVersion: 2 },
      oidc: {
        issuer: 'https://login.example.com/',
        clientId: 'id',
        claim: 'roles',
        value: 'admin',
      },
    };

    const [environment] = parseEnvironments({ qa: settings });

    expect(environment).toMatchObject({
      name: 'qa',
      props: {
        env: { account: '123456789012', region: 'eu-central-1' },
        terminationProtection: true,
        storage: {
          retention: Duration.hours(48),
          removalPolicy: RemovalPolicy.DESTROY,
          logRetention: logs.RetentionDays.THREE_MONTHS,
          responseStreaming: false,
          allowedOrigins: ['https://app.example.com'],
          edge: settings.edge,
          oidc: settings.oidc,
        },
      },
    });
  });

  test('reads what the command line passes as text', () => {
    const [environment] = parseEnvironments('{"qa":{"responseStreaming":false}}');
    expect(environment?.name).toBe('qa');
    expect(environment?.props.storage?.responseStreaming).toBe(false);
  });

  test.each<[string, unknown, RegExp]>([
    ['without environments', undefined, /^context value environments must be an object/],
    ['with none', {}, /^context value environments must be an object/],
    ['with a list of them', [], /^context value environments must be an object/],
    [
      'with a string that is not JSON',
      'dev',
      /^context value environments must be JSON .* got dev: check/,
    ],
    [
      'with a name that a stack cannot have',
      { Dev_1: {} },
      /^environment name 'Dev_1' must be 1-31/,
    ],
    ['with settings that are not an object', { dev: true }, /^environment dev must be an object/],
  ])('fails %s', (_what, context, message) => {
    expect(() => parseEnvironments(context)).toThrow(message);
  });
});
