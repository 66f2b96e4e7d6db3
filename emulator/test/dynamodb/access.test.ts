import type { DynamoDB, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { createStackIam } from '../../src/iam/stack-iam';
import { failure } from '../support/failure';
import { resolved, TRUST } from '../support/template';
import { ACCOUNT, tableArn, useClient, useService } from './service';

const ROLE = `arn:aws:iam::${ACCOUNT}:role/writer`;
const key = { id: { S: 'a' }, n: { N: '1' } };

/** Returns a client with the credentials of a role that has only these permissions. */
async function useRole(Action: string[], Resource: string[], more: object = {}): Promise<DynamoDB> {
  const statement = { Effect: 'Allow', Action, Resource, ...more };
  const iam = createStackIam(stackWithRole(statement), 'seed');
  const { endpoint } = await useService({ iam });
  return useClient(endpoint, { credentials: iam.credentialsForRole(ROLE) });
}

const stackWithRole = (statement: object) =>
  resolved({
    Writer: {
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: 'writer',
        AssumeRolePolicyDocument: TRUST,
        Policies: [{ PolicyName: 'p', PolicyDocument: { Statement: [statement] } }],
      },
    },
  });

function denied(action: string, resource: string) {
  return {
    name: 'AccessDeniedException',
    message:
      `User: ${ROLE} is not authorized to perform: dynamodb:${action} ` +
      `on resource: "${resource}" because no identity-based policy allows the dynamodb:${action} action`,
  };
}

test('allows a role the actions of its policy, on that table only', async () => {
  const client = await useRole(['dynamodb:PutItem'], [tableArn('Notes')]);

  await client.putItem({ TableName: 'Notes', Item: key });
  const otherAction = await failure(client.getItem({ TableName: 'Notes', Key: key }));
  const otherTable = await failure(client.putItem({ TableName: 'Log', Item: key }));

  expect(otherAction).toMatchObject(denied('GetItem', tableArn('Notes')));
  expect(otherTable).toMatchObject(denied('PutItem', tableArn('Log')));
});

const TableName = 'Notes';
test.each<[string, TransactWriteItem]>([
  ['PutItem', { Put: { TableName, Item: key } }],
  ['DeleteItem', { Delete: { TableName, Key: key } }],
  ['UpdateItem', { Update: { TableName, Key: key, UpdateExpression: 'REMOVE x' } }],
  [
    'ConditionCheckItem',
    { ConditionCheck: { TableName, Key: key, ConditionExpression: 'attribute_exists(id)' } },
  ],
])('requires %s for this part of a transaction', async (action, entry) => {
  const allowed: TransactWriteItem = { Put: { TableName: 'Log', Item: key } };
  const client = await useRole(['dynamodb:PutItem', 'dynamodb:GetItem'], [tableArn('Log')]);

  await client.transactWriteItems({ TransactItems: [allowed] });
  const error = await failure(client.transactWriteItems({ TransactItems: [allowed, entry] }));

  expect(error).toMatchObject(denied(action, tableArn('Notes')));
});

test('requires the permission for the index when a query names one', async () => {
  const client = await useRole(['dynamodb:Query'], [tableArn('Notes')]);
  const error = await failure(
    client.query({
      TableName,
      IndexName: 'byText',
      KeyConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': { S: 'a' } },
    }),
  );
  expect(error).toMatchObject(denied('Query', `${tableArn('Notes')}/index/byText`));
});

/** For each action, a request for the item with the partition key `id`. */
const item = (id: string) => ({ ...key, id: { S: id } });
const requests: readonly [string, (client: DynamoDB, id: string) => Promise<unknown>][] = [
  ['GetItem', (client, id) => client.getItem({ TableName, Key: item(id) })],
  ['PutItem', (client, id) => client.putItem({ TableName, Item: item(id) })],
  ['DeleteItem', (client, id) => client.deleteItem({ TableName, Key: item(id) })],
  [
    'UpdateItem',
    (client, id) => {
      const UpdateExpression = 'REMOVE x';
      return client.updateItem({ TableName, Key: item(id), UpdateExpression });
    },
  ],
  [
    'Query',
    (client, id) =>
      client.query({
        TableName,
        KeyConditionExpression: '#n >= :n AND #id = :id',
        ExpressionAttributeNames: { '#id': 'id', '#n': 'n' },
        ExpressionAttributeValues: { ':n': { N: '0' }, ':id': { S: id } },
      }),
  ],
  [
    'BatchGetItem',
    (client, id) => {
      const RequestItems = { Notes: { Keys: [key, item(id)] } };
      return client.batchGetItem({ RequestItems });
    },
  ],
  [
    'BatchWriteItem',
    (client, id) => {
      const Notes = [{ PutRequest: { Item: key } }, { DeleteRequest: { Key: item(id) } }];
      return client.batchWriteItem({ RequestItems: { Notes } });
    },
  ],
];

test.each(requests)(
  'a grant of %s on some items of a table gives no access to the others',
  async (action, ask) => {
    const client = await useRole([`dynamodb:${action}`], [tableArn(TableName)], {
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a', 'own#*'] } },
    });
    await ask(client, 'own#1');
    expect(await failure(ask(client, '#own#1'))).toMatchObject(denied(action, tableArn(TableName)));
  },
);

test('authorises each part of a transaction by its own key', async () => {
  const client = await useRole(['dynamodb:PutItem'], [tableArn(TableName)], {
    Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a'] } },
  });
  const put = (id: string) => ({ Put: { TableName, Item: { ...key, id: { S: id } } } });
  await client.transactWriteItems({ TransactItems: [put('a')] });
  const both = client.transactWriteItems({ TransactItems: [put('a'), put('b')] });
  expect(await failure(both)).toMatchObject(denied('PutItem', tableArn(TableName)));
});

test('allows the control plane to the developer only, regardless of policies', async () => {
  const client = await useRole(['dynamodb:*'], ['*']);

  const described = await client.describeTable({ TableName: 'Log' });
  const list = await failure(client.listTables({}));
  const create = await failure(
    client.createTable({
      TableName: 'Mine',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );

  expect(described.Table).toMatchObject({
    TableArn: tableArn('Log'),
    LatestStreamArn: expect.stringContaining(`${tableArn('Log')}/stream/`),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
  });
  expect([list.name, create.name]).toEqual(['AccessDeniedException', 'AccessDeniedException']);
});
