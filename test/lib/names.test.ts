/** Several services in one account and region have no name in common. */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { parseEnvironments } from '../../bin/environments';
import { ObjectStorage, StorageStack } from '../../lib';
import { useApp, useBundles } from './synthesize';

/** Names that are unique within a parent resource of the same stack. */
const WITHIN_ANOTHER = new Set([
  // The parent is an API.
  'AWS::ApiGatewayV2::Stage.StageName',
  'AWS::ApiGateway::Stage.StageName',
  'AWS::ApiGateway::Authorizer.Name',
  // The parent is a user pool.
  'AWS::Cognito::UserPoolGroup.GroupName',
  // The parent is a role.
  'AWS::IAM::Policy.PolicyName',
  // The namespace is the stack's own, or one of AWS with the stack's resources as dimensions.
  'AWS::CloudWatch::Alarm.MetricName',
  // The parent is an item.
  'AWS::DynamoDB::GlobalTable.AttributeName',
]);

/** Namespaces of AWS's services: an alarm on them names the stack's resources. */
const OF_AWS = /^"AWS\//;

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Refers to a resource of the same template, so its name differs between stacks. */
const isOwn = (value: unknown, resources: object): boolean =>
  isObject(value) &&
  (Object.hasOwn(resources, String(value.Ref)) ||
    (Array.isArray(value['Fn::Join']) &&
      [value['Fn::Join'][1]].flat().some((part) => isOwn(part, resources))) ||
    (Array.isArray(value['Fn::GetAtt']) &&
      Object.hasOwn(resources, String(value['Fn::GetAtt'][0]))));

/**
 * Returns the names of the stack's resources, exports and metrics, with pseudo parameters resolved.
 */
function namesOf(stack: Stack): Set<string> {
  const { Resources = {}, Outputs = {} } = Template.fromStack(stack).toJSON() as {
    Resources: Readonly<Record<string, Resource>>;
    Outputs: Readonly<Record<string, { readonly Export?: { readonly Name: unknown } }>>;
  };
  const found = new Set<string>();
  const add = (place: string, value: unknown) => {
    const text = JSON.stringify(value)
      .replaceAll('{"Ref":"AWS::StackName"}', stack.stackName)
      .replaceAll('{"Ref":"AWS::StackId"}', `stack/${stack.stackName}/id`);
    if (!isOwn(value, Resources) && !OF_AWS.test(text)) found.add(`${place} ${text}`);
  };
  const visit = (type: string, place: string, value: unknown) => {
    if (!isObject(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const isName =
        /(^|[a-z])(Name|Namespace)$|^Domain$/.test(key) && !WITHIN_ANOTHER.has(`${type}.${key}`);
      // Lists contain only names of attributes, dimensions and rules.
      if (isName) add(`${place}.${key}`, inner);
      else if (!Array.isArray(inner)) visit(type, `${place}.${key}`, inner);
    }
  };
  for (const { Type, Properties } of Object.values(Resources)) {
    visit(Type, Type, Properties);
    const { MetricTransformations = [] } = Properties ?? {};
    for (const { MetricNamespace } of MetricTransformations as { MetricNamespace: unknown }[])
      add('metric', MetricNamespace);
  }
  for (const { Export } of Object.values(Outputs)) if (Export) add('export', Export.Name);
  return found;
}

const bundles = useBundles();
const app = useApp();
const settings = {
  ...{ region: 'us-east-1', account: '123456789012', tracing: true },
  edge: { requestsPerFiveMinutes: 1000 },
};

const stacks = [
  ...parseEnvironments({ dev: settings, production: settings, 'production-2': settings }).map(
    ({ name, props }) =>
      new StorageStack(app, `stowage-${name}`, {
        ...props,
        storage: { ...props.storage, bundles },
      }),
  ),
  // The same environment under another name, and the construct in a stack of another app.
  ...['other-production', 'shop'].map((id) => {
    const stack = new Stack(app, id, { env: { region: 'us-east-1', account: '123456789012' } });
    new ObjectStorage(stack, 'Storage', { bundles, edge: settings.edge });
    return stack;
  }),
];

test('namesOf finds names of each kind', () => {
  const [first] = stacks;
  const names = first ? [...namesOf(first)] : [];
  for (const part of [
    'RestApi.Name',
    'Api.Name',
    'Function.Name',
    'HeadersPolicyConfig.Name',
    'Domain',
    'WebACL',
    'metric',
  ])
    expect([part, names.some((name) => name.includes(part))]).toEqual([part, true]);
});

test('no two services have a name in common', () => {
  const owners = new Map<string, string>();
  const common: string[] = [];
  for (const stack of stacks) {
    for (const name of namesOf(stack)) {
      const other = owners.get(name);
      if (other !== undefined) common.push(`${name}: ${other} and ${stack.stackName}`);
      owners.set(name, stack.stackName);
    }
  }
  expect(common).toEqual([]);
});

const both = new Stack(useApp(), 'both', { env: { region: 'us-east-1', account: '123456789012' } });
for (const id of ['One', 'Two']) new ObjectStorage(both, id, { bundles, edge: settings.edge });

test('two services in one stack have no name in common that must be unique', () => {
  const unique = [
    // Metrics of API Gateway have this name as their dimension.
    'AWS::ApiGateway::RestApi',
    'AWS::CloudFront::Function',
    'AWS::CloudFront::ResponseHeadersPolicy',
    'AWS::Cognito::UserPoolDomain',
  ];
  const { Resources } = Template.fromStack(both).toJSON() as {
    Resources: Readonly<Record<string, Resource>>;
  };
  const names = Object.values(Resources)
    .filter(({ Type }) => unique.includes(Type))
    .map(({ Type, Properties: { Name, Domain, ResponseHeadersPolicyConfig } = {} }) =>
      JSON.stringify([Type, Name ?? Domain ?? ResponseHeadersPolicyConfig]),
    );
  expect(names).toHaveLength(2 * unique.length);
  expect(new Set(names).size).toBe(names.length);
});
