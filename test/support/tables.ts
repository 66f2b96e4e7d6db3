import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Name and key attributes of each table, as in docs/design.md. */
const KEYS = {
  buckets: [
    ['name', 'S', 'HASH'],
    ['entry', 'S', 'RANGE'],
  ],
  objects: [
    ['bucket_id', 'S', 'HASH'],
    ['key', 'S', 'RANGE'],
  ],
  changes: [
    ['shard', 'S', 'HASH'],
    ['cursor', 'N', 'RANGE'],
  ],
  uploads: [['id', 'S', 'HASH']],
  apiKeys: [['id', 'S', 'HASH']],
  audit: [
    ['log', 'S', 'HASH'],
    ['id', 'S', 'RANGE'],
  ],
  subscriptions: [
    ['shard', 'S', 'HASH'],
    ['connection_id', 'S', 'RANGE'],
  ],
  links: [
    ['bucket_id', 'S', 'HASH'],
    ['hash', 'S', 'RANGE'],
  ],
  rates: [['key_id', 'S', 'HASH']],
  positions: [
    ['target', 'S', 'HASH'],
    ['bucket_id', 'S', 'RANGE'],
  ],
} as const;

/** The indexes of docs/design.md, "Tables": each has the name of its partition key. */
const INDEXES: Readonly<Partial<Record<keyof typeof KEYS, string>>> = {
  objects: 'due',
  uploads: 'open',
};

const indexOf = (name: string): GlobalSecondaryIndex => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: name, KeyType: 'HASH' },
    { AttributeName: 'expires_at', KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'KEYS_ONLY' },
});

export type Tables = { readonly [table in keyof typeof KEYS]: string };

/** Creates the tables, each name beginning with `prefix`. */
export async function createTables(client: DynamoDBClient, prefix: string): Promise<Tables> {
  const tables = tableNames(prefix);
  for (const table of Object.keys(KEYS) as (keyof Tables)[]) {
    const index = INDEXES[table];
    const ofIndex =
      index === undefined
        ? []
        : ([
            [index, 'S'],
            ['expires_at', 'S'],
          ] as const);
    const input: CreateTableCommandInput = {
      TableName: tables[table],
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...KEYS[table], ...ofIndex].map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: KEYS[table].map(([AttributeName, , KeyType]) => ({ AttributeName, KeyType })),
      ...(index !== undefined && { GlobalSecondaryIndexes: [indexOf(index)] }),
    };
    const { TableDescription } = await client.send(new CreateTableCommand(input));
    // Local engines have it at once.
    if (TableDescription?.TableStatus === 'ACTIVE') continue;
    const wait = { client, maxWaitTime: 30, minDelay: 1, maxDelay: 2 };
    await waitUntilTableExists(wait, { TableName: tables[table] });
  }
  return tables;
}

export async function deleteTables(client: DynamoDBClient, tables: Tables): Promise<void> {
  for (const TableName of Object.values(tables)) {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}

function tableNames(prefix: string): Tables {
  return {
    buckets: `${prefix}-buckets`,
    objects: `${prefix}-objects`,
    changes: `${prefix}-changes`,
    uploads: `${prefix}-uploads`,
    apiKeys: `${prefix}-api-keys`,
    audit: `${prefix}-audit`,
    subscriptions: `${prefix}-subscriptions`,
    links: `${prefix}-links`,
    rates: `${prefix}-rates`,
    positions: `${prefix}-positions`,
  };
}
