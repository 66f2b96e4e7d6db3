import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { parseEnvironments } from '../../../bin/environments';
import { ObjectStorage, StorageStack } from '../../../lib';
import { FUNCTION_NAMES, type FunctionName } from '../../../lib/functions/service-function';
import { logicalId, useApp, useBundles } from '../synthesize';

const bundles = useBundles();
const app = useApp();
const stack = new Stack(app, 'test');
const encryptionKey = new kms.Key(stack, 'Key', { enableKeyRotation: true });
const storage = new ObjectStorage(stack, 'Storage', { bundles, encryptionKey });
const template = Template.fromStack(stack);
const keyArn = stack.resolve(encryptionKey.keyArn);

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Returns what a function may do with keys, by the service that uses the key for it. */
function keyRights(name: FunctionName): Readonly<Record<string, readonly string[]>> {
  const role = { Ref: logicalId(stack, storage.functions[name].role) };
  const statements = Object.values(template.findResources('AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties.Roles) === JSON.stringify([role]))
    .flatMap(({ Properties }): readonly Statement[] => Properties.PolicyDocument.Statement)
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')));
  return Object.fromEntries(
    statements.map(({ Action, Resource, Condition }) => {
      expect(Resource).toEqual(keyArn);
      const [, service] = /"([a-z0-9]+)\.","?/.exec(JSON.stringify(Condition)) ?? [];
      expect(Condition).toEqual({
        StringEquals: {
          'kms:ViaService': {
            'Fn::Join': [
              '',
              [`${service}.`, { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }],
            ],
          },
        },
      });
      return [service, [Action].flat().map((action) => action.replace('kms:', ''))];
    }),
  );
}

describe('a key of the deployer', () => {
  test('encrypts every table with its replica, every queue and every log group', () => {
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [Match.objectLike({ SSESpecification: { KMSMasterKeyId: keyArn } })],
    });
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: keyArn });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: keyArn });
  });

  test('encrypts blobs, by a key of the bucket in between', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: keyArn },
          },
        ],
      },
    });
  });

  test('may be used by CloudWatch Logs for the log groups of the stack', () => {
    const [key] = Object.values(template.findResources('AWS::KMS::Key'));
    expect(key?.Properties.KeyPolicy.Statement).toHaveLength(2);
    expect(JSON.stringify(key?.Properties.KeyPolicy.Statement[1])).toMatch(
      /"kms:EncryptionContext:aws:logs:arn":.*:log-group:test-\*.*:log-group:API-Gateway-Execution-Logs_\*/,
    );
    // Every other name is generated, and begins with the name of the stack.
    const named = Object.values(template.findResources('AWS::Logs::LogGroup'))
      .map(({ Properties }) => Properties.LogGroupName)
      .filter((name) => name !== undefined);
    expect(named).toEqual([
      { 'Fn::Join': ['', ['API-Gateway-Execution-Logs_', expect.anything(), '/api']] },
    ]);
  });

  // The emulator does not check these calls: S3, DynamoDB and SQS make them for the function.
  test('may be used by each function through the stores that it has grants on, and not otherwise', () => {
    const reads = ['Decrypt', 'DescribeKey'];
    const tables = [
      'Decrypt',
      'DescribeKey',
      'Encrypt',
      'GenerateDataKey',
      'ReEncryptFrom',
      'ReEncryptTo',
    ];
    const sends = ['Decrypt', 'GenerateDataKey'];
    expect(Object.fromEntries(FUNCTION_NAMES.map((name) => [name, keyRights(name)]))).toEqual({
      authorizer: { dynamodb: reads },
      api: { dynamodb: tables, s3: ['Decrypt', 'GenerateDataKey'] },
      download: { dynamodb: tables, s3: ['Decrypt'] },
      changes: { dynamodb: tables },
      channel: { dynamodb: tables, sqs: sends },
      ingest: { dynamodb: tables, s3: ['Decrypt'] },
      fanout: { dynamodb: tables, sqs: sends },
      revocation: { dynamodb: tables, sqs: sends },
      janitor: { dynamodb: tables, s3: ['Decrypt', 'GenerateDataKey'] },
      admin: { dynamodb: tables },
      site: {},
    });
  });

  test('causes no finding of cdk-nag', () => {
    const packs = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
    expect(packs.flatMap((pack) => pack.validateScope(app).violations)).toEqual([]);
  });

  test('must be in the region of the stack', () => {
    const arn = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    const elsewhere = new Stack(new App(), 'far', { env: { region: 'us-east-1' } });
    expect(
      () =>
        new ObjectStorage(elsewhere, 'Storage', {
          bundles,
          encryptionKey: kms.Key.fromKeyArn(elsewhere, 'Key', arn),
        }),
    ).toThrow(/^encryptionKey must be in the stack's region, us-east-1, got one in eu-west-1: /);
  });
});

describe('the setting kmsKeyArn of an environment', () => {
  const [environment] = parseEnvironments({
    own: { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd' },
  });
  const { props } = environment ?? {};
  const own = Template.fromStack(
    new StorageStack(useApp(), 'own', { ...props, storage: { ...props?.storage, bundles } }),
  );

  test('sets the key of all resources', () => {
    own.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: props?.kmsKeyArn });
    own.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: props?.kmsKeyArn });
    own.resourceCountIs('AWS::KMS::Key', 0);
  });
});
