import { readdirSync } from 'node:fs';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { startEngine } from '../../src/services/dynamodb/engine/process';
import { streamArn, tableDefinitions } from '../../src/services/dynamodb/tables/table-definition';
import { loadStack } from '../../src/template/assembly';
import type { ResolvedStack } from '../../src/template/model';
import { resolveStack } from '../../src/template/resolve-stack';
import { afterTest, useFolder } from '../support/clean-up';
import { failure } from '../support/failure';
import { resolved } from '../support/template';
import { allRecords, NOTES, useClient, useService } from './service';

function synthesize(build: (stack: Stack) => void): ResolvedStack {
  const app = new App({ outdir: useFolder(), builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Test');
  build(stack);
  return resolveStack(loadStack(app.synth().directory));
}

test('reads the tables that CDK synthesizes', async () => {
  const stack = synthesize((scope) => {
    new TableV2(scope, 'Changes', {
      partitionKey: { name: 'shard', type: AttributeType.STRING },
      sortKey: { name: 'cursor', type: AttributeType.NUMBER },
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      dynamoStream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      timeToLiveAttribute: 'ttl',
      warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000 },
      tags: [{ key: 'team', value: 'storage' }],
      globalSecondaryIndexes: [
        { indexName: 'byOwner', partitionKey: { name: 'owner', type: AttributeType.STRING } },
      ],
    });
  });

  const definitions = tableDefinitions(stack);

  const [resource] = [...stack.resources.values()];
  expect(definitions).toEqual([
    {
      name: resource?.physicalId,
      keys: [
        { name: 'shard', type: 'S' },
        { name: 'cursor', type: 'N' },
      ],
      stream: 'NEW_IMAGE',
      ttlAttribute: 'ttl',
      attributeDefinitions: [
        { AttributeName: 'shard', AttributeType: 'S' },
        { AttributeName: 'cursor', AttributeType: 'N' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      globalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      localSecondaryIndexes: undefined,
    },
  ]);
  // The engine accepts the definitions also when the tables exist.
  const dataDir = useFolder();
  const first = await useService({ tables: definitions, dataDir });
  await first.stop();
  await useService({ tables: definitions, dataDir });
});

test('returns the same stream ARN as the template', () => {
  const stack = synthesize((scope) => {
    const table = new TableV2(scope, 'Changes', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      dynamoStream: StreamViewType.NEW_IMAGE,
    });
    scope.exportValue(table.tableStreamArn, { name: 'stream' });
  });
  const [table] = [...stack.resources.values()];
  expect(Object.values(stack.outputs)).toEqual([streamArn(table?.arn ?? '')]);
});

/** Returns a resolved stack with one table. */
const stackWith = (type: 'Table' | 'GlobalTable', properties: object) =>
  resolved({
    Changes: {
      Type: `AWS::DynamoDB::${type}`,
      Properties: {
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        ...properties,
      },
    },
  });

const replicas = (...Replicas: object[]) => ({ Replicas });
const REPLICA = { Region: 'us-east-1' };

test.each<[...Parameters<typeof stackWith>, string]>([
  ['Table', { KinesisStreamSpecification: {} }, 'KinesisStreamSpecification is not emulated'],
  [
    'Table',
    { StreamSpecification: { StreamViewType: 'NEW_IMAGE', ResourcePolicy: {} } },
    'StreamSpecification.ResourcePolicy is not emulated',
  ],
  [
    'Table',
    { StreamSpecification: { StreamViewType: 'ALL' } },
    'StreamSpecification.StreamViewType must be one of KEYS_ONLY',
  ],
  [
    'Table',
    { AttributeDefinitions: [] },
    'KeySchema[0].AttributeName is not in AttributeDefinitions',
  ],
  ['Table', { KeySchema: [] }, 'KeySchema has no partition key'],
  [
    'Table',
    { TimeToLiveSpecification: { AttributeName: 'ttl' } },
    'TimeToLiveSpecification.Enabled is missing',
  ],
  ['GlobalTable', {}, 'Replicas is missing'],
  [
    'GlobalTable',
    replicas(REPLICA, { Region: 'eu-west-1' }),
    'Replicas[1].Region is not us-east-1',
  ],
  [
    'GlobalTable',
    replicas({ ...REPLICA, ResourcePolicy: {} }),
    'Replicas[0].ResourcePolicy is not emulated',
  ],
])('refuses a %s with %j by logical id and path: %s', (type, properties, message) => {
  const read = () => tableDefinitions(stackWith(type, properties));
  expect(read).toThrow(`Changes (AWS::DynamoDB::${type}): Properties.${message}`);
});

test('ignores a TTL that is disabled', () => {
  const [table] = tableDefinitions(
    stackWith('Table', { TimeToLiveSpecification: { Enabled: false, AttributeName: 'ttl' } }),
  );
  expect(table?.ttlAttribute).toBeUndefined();
});

test('refuses to start on a table with another key', async () => {
  const dataDir = useFolder();
  const first = await useService({ tables: [NOTES], dataDir });
  await first.stop();

  const error = await failure(
    useService({
      dataDir,
      tables: [
        {
          ...NOTES,
          keys: [{ name: 'id', type: 'S' }],
          attributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        },
      ],
    }),
  );

  expect(error).toMatchObject({
    name: 'UserError',
    message: expect.stringContaining('table Notes exists with other key schema'),
  });
});

test('adds a global index that an existing table lacks, with the items that it has', async () => {
  const dataDir = useFolder();
  const first = await useService({ tables: [NOTES], dataDir });
  const item = { id: { S: 'a' }, n: { N: '1' }, due: { S: 'x' } };
  await useClient(first.endpoint).putItem({ TableName: 'Notes', Item: item });
  await first.stop();
  const index = {
    IndexName: 'due',
    KeySchema: [{ AttributeName: 'due', KeyType: 'HASH' as const }],
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  };
  const attributes = [...NOTES.attributeDefinitions, { AttributeName: 'due', AttributeType: 'S' }];

  const service = await useService({
    dataDir,
    tables: [{ ...NOTES, attributeDefinitions: attributes, globalSecondaryIndexes: [index] }],
  });

  const query = new QueryCommand({
    TableName: 'Notes',
    IndexName: 'due',
    KeyConditionExpression: 'due = :due',
    ExpressionAttributeValues: { ':due': { S: 'x' } },
  });
  expect((await useClient(service.endpoint).send(query)).Items).toEqual([item]);
});

test('uses the engine at the given endpoint, and starts no engine', async () => {
  const engine = await startEngine(useFolder());
  afterTest(() => engine.stop());
  const dataDir = useFolder();

  const service = await useService({ dataDir, engineEndpoint: engine.endpoint });
  const client = useClient(service.endpoint);
  await client.putItem({ TableName: 'Log', Item: { id: { S: 'a' }, n: { N: '1' } } });

  expect(readdirSync(dataDir)).toEqual(['streams']);
  expect(await allRecords(service)).toHaveLength(1);
});
