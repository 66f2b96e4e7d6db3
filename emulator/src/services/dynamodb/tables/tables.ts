import { UserError } from '../../../errors/user-error';
import { isRecord, type Json } from '../../../values/json';
import type { Engine } from '../engine/engine';
import { equalValues } from '../protocol/attribute-value';
import { DynamoDbError } from '../protocol/errors';
import type { TableDefinition } from './table-definition';

/**
 * Creates missing tables, and missing global indexes of tables, as CloudFormation does. Throws
 * UserError when a table exists with other keys or indexes.
 */
export async function ensureTables(
  engine: Engine,
  definitions: readonly TableDefinition[],
): Promise<void> {
  for (const definition of definitions) {
    const existing = await describe(engine, definition.name);
    if (existing === undefined) {
      await engine.call('CreateTable', createTable(definition));
      continue;
    }
    const isExtended = await addIndexes(engine, definition, existing);
    checkSame(definition, (isExtended && (await describe(engine, definition.name))) || existing);
  }
}

async function describe(engine: Engine, name: string): Promise<Json | undefined> {
  try {
    const { Table } = await engine.call('DescribeTable', { TableName: name });
    return isRecord(Table) ? Table : undefined;
  } catch (error) {
    if (error instanceof DynamoDbError && error.code === 'ResourceNotFoundException')
      return undefined;
    throw error;
  }
}

/** Without stream and TTL: the emulator implements both itself. */
function createTable(definition: TableDefinition): Json {
  return {
    TableName: definition.name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: definition.attributeDefinitions,
    KeySchema: keySchema(definition),
    GlobalSecondaryIndexes: definition.globalSecondaryIndexes,
    LocalSecondaryIndexes: definition.localSecondaryIndexes,
  };
}

function keySchema(definition: TableDefinition): readonly Json[] {
  return definition.keys.map(({ name }, index) => ({
    AttributeName: name,
    KeyType: index === 0 ? 'HASH' : 'RANGE',
  }));
}

/** One index an update, which is all that AWS allows. False: the table lacks none. */
async function addIndexes(
  engine: Engine,
  definition: TableDefinition,
  existing: Json,
): Promise<boolean> {
  if (!equalValues(keySchema(definition), existing.KeySchema)) return false;
  const found = byName(existing.GlobalSecondaryIndexes, 'IndexName').map((one) => one.IndexName);
  const missing = byName(definition.globalSecondaryIndexes, 'IndexName').filter(
    ({ IndexName }) => !found.includes(IndexName),
  );
  for (const index of missing) {
    await engine.call('UpdateTable', {
      TableName: definition.name,
      AttributeDefinitions: definition.attributeDefinitions,
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    });
  }
  return missing.length > 0;
}

function checkSame(definition: TableDefinition, existing: Json): void {
  const differences = [
    ['key schema', keySchema(definition), existing.KeySchema],
    [
      'attribute types',
      byName(definition.attributeDefinitions, 'AttributeName'),
      byName(existing.AttributeDefinitions, 'AttributeName'),
    ],
    [
      'global secondary indexes',
      indexSchemas(definition.globalSecondaryIndexes),
      indexSchemas(existing.GlobalSecondaryIndexes),
    ],
    [
      'local secondary indexes',
      indexSchemas(definition.localSecondaryIndexes),
      indexSchemas(existing.LocalSecondaryIndexes),
    ],
  ] as const;
  for (const [what, wanted, found] of differences) {
    if (equalValues(wanted, found)) continue;
    throw new UserError(
      `table ${definition.name} exists with other ${what}: found ${JSON.stringify(found)}, the template has ` +
        `${JSON.stringify(wanted)}; AWS would replace the table; the emulator does not: delete the data folder or change the logical id of the table`,
    );
  }
}

function byName(values: unknown, name: string): readonly Json[] {
  const records = Array.isArray(values) ? values.filter(isRecord) : [];
  return records.sort((a, b) => (String(a[name]) < String(b[name]) ? -1 : 1));
}

function indexSchemas(indexes: unknown): readonly Json[] {
  return byName(indexes, 'IndexName').map(({ IndexName, KeySchema }) => ({ IndexName, KeySchema }));
}
