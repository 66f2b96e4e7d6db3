/**
 * CloudFormation replaces a resource whose logical id or key schema changes. For a resource that
 * holds state that means the loss of its data, or of the name under which clients know it.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { parseEnvironments } from '../../bin/environments';
import cdkJson from '../../cdk.json';
import { ChangeTarget, StorageStack } from '../../lib';
import { useBundles } from './synthesize';

const STATEFUL = [
  'AWS::S3::Bucket',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::SQS::Queue',
  'AWS::KMS::Key',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolGroup',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGatewayV2::Api',
  'AWS::CloudFront::Distribution',
];

/** The stateful resources of every service: logical id, type, and the key schema of a table. */
const EVERY_SERVICE: Readonly<Record<string, string>> = {
  StorageContentBucket03E18967: 'AWS::S3::Bucket',
  StorageTablesBucketsDAC891E7: 'AWS::DynamoDB::GlobalTable name:S entry:S',
  StorageTablesObjectsFFED5E41: 'AWS::DynamoDB::GlobalTable bucket_id:S key:S',
  StorageTablesChanges3500E0CE: 'AWS::DynamoDB::GlobalTable shard:S cursor:N',
  StorageTablesUploadsB2FF9E55: 'AWS::DynamoDB::GlobalTable id:S',
  StorageTablesApiKeysA84382D6: 'AWS::DynamoDB::GlobalTable id:S',
  StorageTablesAudit7805CB10: 'AWS::DynamoDB::GlobalTable log:S id:S',
  StorageTablesRates812B4736: 'AWS::DynamoDB::GlobalTable key_id:S',
  StorageTablesSubscriptionsB6D3D552: 'AWS::DynamoDB::GlobalTable shard:S connection_id:S',
  StorageTablesLinksC4516E72: 'AWS::DynamoDB::GlobalTable bucket_id:S hash:S',
  StorageQueuesUndeliveredA365EDC5: 'AWS::SQS::Queue',
  StorageQueuesFollowUps7D8AE8D6: 'AWS::SQS::Queue',
  StorageApiRest86744316: 'AWS::ApiGateway::RestApi',
  StorageSyncWebSocketBDA3269F: 'AWS::ApiGatewayV2::Api',
  StorageSignInUsers36554193: 'AWS::Cognito::UserPool',
  StorageSignInUsersDashboard08647BA4: 'AWS::Cognito::UserPoolClient',
  StorageSignInUsersDomain0628DDE7: 'AWS::Cognito::UserPoolDomain',
  StorageSignInAdministratorsE71C1666: 'AWS::Cognito::UserPoolGroup',
  StorageEdgeDistributionD9949539: 'AWS::CloudFront::Distribution',
};

const WITH_TARGETS = {
  StorageTargetsCursors2546EBE8: 'AWS::DynamoDB::GlobalTable target:S bucket_id:S',
};

interface Table {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: string;
  }[];
}

/** ` name:S entry:S`: partition key, sort key and their types. */
function keySchemaOf({ KeySchema, AttributeDefinitions }: Table): string {
  return KeySchema.map(({ AttributeName: name }) => {
    const type = AttributeDefinitions.find((one) => one.AttributeName === name)?.AttributeType;
    return ` ${name}:${type}`;
  }).join('');
}

function statefulOf(stack: Stack): Readonly<Record<string, string>> {
  const template = Template.fromStack(stack);
  const resources = STATEFUL.flatMap((type) => Object.entries(template.findResources(type)));
  return Object.fromEntries(
    resources.map(([id, { Type, Properties }]) => [
      id,
      `${Type}${Type.includes('DynamoDB') ? keySchemaOf(Properties) : ''}`,
    ]),
  );
}

const bundles = useBundles();
const app = () => new App({ context: cdkJson.context, builtinCloudFormationValidation: false });

test.each(parseEnvironments(cdkJson.context.environments))(
  'the stateful resources of the environment $name keep their logical ids and key schemas',
  ({ name, props }) => {
    const storage = { ...props.storage, bundles };
    const stack = new StorageStack(app(), `stowage-${name}`, { ...props, storage });
    expect(statefulOf(stack)).toEqual(EVERY_SERVICE);
  },
);

test('the stateful resources keep their logical ids and key schemas with every option', () => {
  const parent = app();
  const env = { account: '123456789012', region: 'us-east-1' };
  const others = new Stack(parent, 'others', { env });
  const stack = new StorageStack(parent, 'stowage-all', {
    env,
    storage: {
      bundles,
      retention: Duration.days(1),
      responseStreaming: false,
      tracing: true,
      cloudWatchDashboard: true,
      alarmTopic: new sns.Topic(others, 'Alarms'),
      encryptionKey: new kms.Key(others, 'Key'),
      edge: {
        domainName: 'files.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
        requestsPerFiveMinutes: 1000,
      },
      rateTiers: { small: {} },
    },
  });
  const queue = sqs.Queue.fromQueueArn(stack, 'Queue', 'arn:aws:sqs:us-east-1:123456789012:queue');
  stack.storage.onChange('Target', ChangeTarget.queue(queue));
  stack.storage.grantRead(
    new iam.Role(stack, 'Role', { assumedBy: new iam.AccountRootPrincipal() }),
  );
  expect(statefulOf(stack)).toEqual({ ...EVERY_SERVICE, ...WITH_TARGETS });
});
