// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of Fn::Sub and of IAM
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../src/errors/user-error';
import { loadStack } from '../../src/template/assembly';
import { refuseUnsupported } from '../../src/template/check';
import { resolveStack } from '../../src/template/resolve-stack';
import { useFolder } from '../support/clean-up';

const resolveTemplate = (template: Record<string, unknown>, stackName = 'app-dev') =>
  resolveStack({ stackName, template, assetPath: (key) => `/assets/${key}` });

const properties = (template: Record<string, unknown>, logicalId: string) =>
  resolveTemplate(template).resources.get(logicalId)?.properties;

test('gives a bucket a valid name that depends on the stack', () => {
  const template = {
    Resources: {
      PhotosAndOtherThingsOfAVeryLongLogicalIdOfTheResource: { Type: 'AWS::S3::Bucket' },
    },
  };
  const nameIn = (stack: string) =>
    [...resolveTemplate(template, stack).resources.values()][0]?.physicalId;

  expect(nameIn('App-Dev')).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
  expect(nameIn('App-Dev')).toBe(nameIn('App-Dev'));
  expect(nameIn('App-Dev')).not.toBe(nameIn('App-Prod'));
});

test('resolves references between resources in any order', () => {
  const template = {
    Resources: {
      First: { Type: 'AWS::S3::BucketPolicy', Properties: { Bucket: { Ref: 'Second' } } },
      Second: {
        Type: 'AWS::S3::Bucket',
        Properties: { BucketName: { 'Fn::Sub': 'x-${AWS::AccountId}' } },
      },
    },
  };
  expect(properties(template, 'First')).toEqual({ Bucket: 'x-000000000000' });
});

test('resolves StreamArn only for a table with a stream', () => {
  const table = (stream: boolean) => ({
    Resources: {
      T: {
        Type: 'AWS::DynamoDB::GlobalTable',
        Properties: stream ? { StreamSpecification: {} } : {},
      },
      R: { Type: 'X', Properties: { arn: { 'Fn::GetAtt': ['T', 'StreamArn'] } } },
    },
  });
  expect(properties(table(true), 'R')?.arn).toMatch(
    /^arn:aws:dynamodb:us-east-1:000000000000:table\/app-dev-T-[a-z0-9]+\/stream\/.+$/,
  );
  expect(() => resolveTemplate(table(false))).toThrow('StreamArn');
});

test('omits a resource and an output whose condition does not hold', () => {
  const template = {
    Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
    Resources: { A: { Type: 'X', Condition: 'Never' }, B: { Type: 'X' } },
    Outputs: {
      Hidden: { Condition: 'Never', Value: 'x' },
      Shown: { Value: { Ref: 'AWS::StackName' } },
    },
  };
  const stack = resolveTemplate(template);
  expect([...stack.resources.keys()]).toEqual(['B']);
  expect(stack.outputs).toEqual({ Shown: 'app-dev' });
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'resources that depend on each other',
    {
      Resources: {
        A: { Type: 'X', Properties: { b: { Ref: 'B' } } },
        B: { Type: 'X', Properties: { c: { 'Fn::Sub': '${C.Arn}' } } },
        C: { Type: 'AWS::IAM::Role', DependsOn: 'A' },
      },
    },
    'circular dependency between resources: A -> B -> C -> A',
  ],
  [
    'a condition that depends on itself',
    {
      Conditions: { A: { 'Fn::Not': [{ Condition: 'A' }] } },
      Resources: { R: { Type: 'X', Condition: 'A' } },
    },
    'condition A depends on itself',
  ],
  [
    'a reference to a missing resource',
    { Resources: { A: { Type: 'X', Properties: { b: { Ref: 'B' } } } } },
    'B',
  ],
  [
    'a parameter without a value',
    {
      Parameters: { P: { Type: 'String' } },
      Resources: { A: { Type: 'X', Properties: { p: { Ref: 'P' } } } },
    },
    'Parameters.P',
  ],
  ['macros', { Transform: 'AWS::Serverless-2016-10-31', Resources: {} }, 'Transform'],
])('refuses %s', (_, template, message) => {
  expect(() => resolveTemplate(template)).toThrow(UserError);
  expect(() => resolveTemplate(template)).toThrow(message);
});

test('resolves the version parameter of the CDK, and other parameters to their default', () => {
  const template = {
    Parameters: {
      BootstrapVersion: {
        Type: 'AWS::SSM::Parameter::Value<String>',
        Default: '/cdk-bootstrap/x/version',
      },
      Colour: { Type: 'String', Default: 'red' },
    },
    Resources: {
      A: { Type: 'X', Properties: { v: { Ref: 'BootstrapVersion' }, c: { Ref: 'Colour' } } },
    },
  };
  expect(properties(template, 'A')).toEqual({ v: '30', c: 'red' });
});

describe('the check of a template', () => {
  const refusal = (type: string, resourceProperties: Record<string, unknown>) => () =>
    refuseUnsupported(
      resolveTemplate({ Resources: { Thing: { Type: type, Properties: resourceProperties } } }),
    );

  test.each<[string, Record<string, unknown>, string]>([
    ['AWS::EC2::Instance', {}, 'Thing: type AWS::EC2::Instance'],
    ['constructor', {}, 'Thing: type constructor'],
    ['AWS::Lambda::Function', { Layers: [] }, 'Thing.Layers (AWS::Lambda::Function)'],
    ['AWS::Lambda::Function', { Code: { ImageUri: 'x' } }, 'Thing.Code.ImageUri'],
    ['AWS::S3::Bucket', { ReplicationConfiguration: {} }, 'Thing.ReplicationConfiguration'],
    [
      'AWS::S3::Bucket',
      { NotificationConfiguration: { LambdaConfigurations: [{}, { Extra: 1 }] } },
      'Thing.NotificationConfiguration.LambdaConfigurations[1].Extra',
    ],
    ['AWS::DynamoDB::Table', { LocalSecondaryIndexes: [] }, 'Thing.LocalSecondaryIndexes'],
    ['AWS::Events::Rule', { RoleArn: 'x' }, 'Thing.RoleArn'],
    ['AWS::S3::Bucket', { toString: 1 }, 'Thing.toString'],
  ])('refuses %s %j by name', (type, resourceProperties, message) => {
    expect(refusal(type, resourceProperties)).toThrow(UserError);
    expect(refusal(type, resourceProperties)).toThrow(message);
  });

  test.each<[string, Record<string, unknown>]>([
    ['AWS::CloudWatch::Alarm', { Anything: { at: ['all'] } }],
    ['AWS::DynamoDB::GlobalTable', { SSESpecification: {}, Replicas: [{ SSESpecification: {} }] }],
    ['AWS::Lambda::Function', { Timeout: 3, Environment: { Variables: { any: 'thing' } } }],
  ])('accepts %s %j', (type, resourceProperties) => {
    expect(refusal(type, resourceProperties)).not.toThrow();
  });
});

describe('the folder of cdk synth', () => {
  let folder: string;
  beforeEach(() => {
    folder = useFolder();
    const stack = (name: string, environment: string) => ({
      type: 'aws:cloudformation:stack',
      environment,
      properties: { templateFile: `${name}.template.json` },
    });
    const write = (name: string, content: unknown) =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    write('manifest.json', {
      artifacts: {
        dev: stack('dev', 'aws://unknown-account/unknown-region'),
        prod: stack('prod', 'aws://123456789012/eu-west-1'),
      },
    });
    for (const name of ['dev', 'prod']) {
      write(`${name}.template.json`, {
        Resources: { A: { Type: 'X', Properties: { r: { Ref: 'AWS::Region' } } } },
      });
    }
    write('dev.assets.json', {
      files: {
        abc: { source: { path: 'asset.abc' }, destinations: { d: { objectKey: 'abc.zip' } } },
      },
    });
  });

  test('is read by stack name, with its assets', () => {
    const stack = loadStack(folder, 'dev');
    expect(stack.assetPath('abc.zip')).toBe(join(folder, 'asset.abc'));
    expect(() => stack.assetPath('other.zip')).toThrow(UserError);
    expect(resolveStack(stack).resources.get('A')?.properties).toEqual({ r: 'us-east-1' });
  });

  test('keeps the region and account that a stack names', () => {
    const { region, accountId } = resolveStack(loadStack(folder, 'prod'));
    expect({ region, accountId }).toEqual({ region: 'eu-west-1', accountId: '123456789012' });
  });

  test('is refused without the name of one of its stacks', () => {
    expect(() => loadStack(folder)).toThrow('dev, prod');
    expect(() => loadStack(folder, 'test')).toThrow('has no stack test');
    expect(() => loadStack(join(folder, 'nowhere'))).toThrow('run cdk synth first');
  });
});
