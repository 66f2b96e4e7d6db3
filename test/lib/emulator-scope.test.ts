/**
 * The emulator runs the resource types that `lib/` synthesizes, and those that an application adds
 * as targets of `onChange`, as principals of grants, or around them. It supports no other type.
 */
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { parseEnvironments } from '../../bin/environments';
import cdkJson from '../../cdk.json';
import { RESOURCE_TYPES } from '../../emulator/src/template/supported';
import { ChangeTarget, ObjectStorage, StorageStack } from '../../lib';
import { useBundles } from './synthesize';

const bundles = useBundles();
const app = () => new App({ context: cdkJson.context, builtinCloudFormationValidation: false });

const typesOf = (stack: Stack): readonly string[] =>
  Object.values(
    Template.fromStack(stack).toJSON().Resources as Record<string, { readonly Type: string }>,
  ).map(({ Type }) => Type);

function typesOfEnvironments(): readonly string[] {
  return parseEnvironments(cdkJson.context.environments).flatMap(({ name, props }) => {
    const storage = { ...props.storage, bundles };
    return typesOf(new StorageStack(app(), `stowage-${name}`, { ...props, storage }));
  });
}

/** An application with every option of the construct, every kind of target, and grants. */
function typesOfApplication(): readonly string[] {
  const env = { account: '123456789012', region: 'us-east-1' };
  const stack = new Stack(app(), 'application', { env });
  const storage = new ObjectStorage(stack, 'Storage', {
    bundles,
    retention: Duration.days(1),
    tracing: true,
    cloudWatchDashboard: true,
    alarmTopic: new sns.Topic(stack, 'Alarms'),
    encryptionKey: new kms.Key(stack, 'Key', { alias: 'storage' }),
    contentBucket: new s3.Bucket(stack, 'Content', {
      autoDeleteObjects: true,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
    edge: { requestsPerFiveMinutes: 1000, directDownloads: true },
    rateTiers: { small: {} },
  });
  const worker = new lambda.Function(stack, 'Worker', {
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline('exports.handler = async () => {};'),
  });
  const bus = new events.EventBus(stack, 'Bus');
  storage.onChange('Function', ChangeTarget.lambda(worker));
  storage.onChange('Queue', ChangeTarget.queue(new sqs.Queue(stack, 'Queue')));
  storage.onChange('Bus', ChangeTarget.eventBus(bus));
  storage.grantRead(new iam.Role(stack, 'Role', { assumedBy: new iam.AccountRootPrincipal() }));
  return typesOf(stack);
}

/** Types that no stack above has, and why the emulator supports them. */
const ADDED_BY_APPLICATIONS: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'the CDK adds it to every stack of an application',
  'AWS::DynamoDB::Table': 'a table of the application, as in examples/gallery',
  'AWS::IAM::ManagedPolicy': 'a role to which the application grants access may have one',
  'AWS::SNS::Subscription': 'the application subscribes to its alarm topic',
  'AWS::SNS::TopicPolicy': 'the application permits CloudWatch to publish to its alarm topic',
};

const synthesized = new Set([...typesOfEnvironments(), ...typesOfApplication()]);

test('the emulator supports every resource type that lib/ synthesizes', () => {
  expect([...synthesized].filter((type) => !Object.hasOwn(RESOURCE_TYPES, type))).toEqual([]);
});

test('the emulator supports no other type, except those that applications add', () => {
  const others = Object.keys(RESOURCE_TYPES).filter((type) => !synthesized.has(type));
  expect(others.sort()).toEqual(Object.keys(ADDED_BY_APPLICATIONS).sort());
});
