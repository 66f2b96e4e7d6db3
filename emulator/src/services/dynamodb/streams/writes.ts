import type { Json } from '../../../values/json';
import { canonicalItem, canonicalNumber, type Item } from '../protocol/attribute-value';
import { validationError } from '../protocol/errors';
import { TRANSACT_WRITES, transactEntries } from '../protocol/operations';
import { asArray, asObject, asString } from '../protocol/request-shape';
import type { KeyAttribute, TableDefinition } from '../tables/table-definition';

/** One item that a request writes in a table with a stream. */
export interface Write {
  readonly table: TableDefinition;
  readonly kind: 'put' | 'update' | 'delete';
  readonly keys: Item;
  /** The new item of a put. */
  readonly item?: Item;
  /** The condition of the write requires that the item does not exist. */
  readonly inserts: boolean;
}

/**
 * The writes of a request to tables with a stream. Throws ValidationException when a key is
 * missing.
 */
export function streamWrites(
  operation: string,
  request: Json,
  streams: ReadonlyMap<string, TableDefinition>,
): Write[] {
  const write = (kind: Write['kind'], tableName: unknown, part: Json): Write[] => {
    const table = streams.get(asString(tableName, 'TableName'));
    return table === undefined ? [] : [toWrite(kind, table, part)];
  };
  switch (operation) {
    case 'PutItem':
      return write('put', request.TableName, request);
    case 'UpdateItem':
      return write('update', request.TableName, request);
    case 'DeleteItem':
      return write('delete', request.TableName, request);
    case 'TransactWriteItems':
      return transactEntries(request, Object.keys(TRANSACT_WRITES)).flatMap(({ kind, part }) =>
        kind === 'ConditionCheck'
          ? []
          : write(kind.toLowerCase() as Write['kind'], part.TableName, part),
      );
    case 'BatchWriteItem':
      return batchWrites(request, write);
    default:
      return [];
  }
}

function batchWrites(
  request: Json,
  write: (kind: Write['kind'], tableName: unknown, part: Json) => Write[],
): Write[] {
  return Object.entries(asObject(request.RequestItems, 'RequestItems')).flatMap(([name, entries]) =>
    asArray(entries, name).flatMap((entry) => {
      const { PutRequest, DeleteRequest } = asObject(entry, name);
      if ((PutRequest === undefined) === (DeleteRequest === undefined)) {
        throw validationError('an entry must hold either a PutRequest or a DeleteRequest');
      }
      return PutRequest === undefined
        ? write('delete', name, asObject(DeleteRequest, 'DeleteRequest'))
        : write('put', name, asObject(PutRequest, 'PutRequest'));
    }),
  );
}

function toWrite(kind: Write['kind'], table: TableDefinition, part: Json): Write {
  if (kind !== 'put') {
    const keys = keysOf(table, asObject(part.Key, 'Key'));
    return { table, kind, keys, inserts: kind === 'update' && insertsOnly(table, part) };
  }
  const values = asObject(part.Item, 'Item');
  const keys = keysOf(table, values);
  for (const name of Object.keys(values)) asObject(values[name], name);
  return {
    table,
    kind,
    keys,
    item: canonicalItem(values as Item),
    inserts: insertsOnly(table, part),
  };
}

/** The key attributes of an item. Throws ValidationException with AWS's message. */
export function keysOf(table: TableDefinition, item: Json): Item {
  const keys: Record<string, Item[string]> = {};
  for (const key of table.keys) keys[key.name] = keyValue(key, item[key.name]);
  return keys;
}

function keyValue(key: KeyAttribute, value: unknown): Item[string] {
  if (value === undefined) {
    throw validationError(
      `One or more parameter values were invalid: Missing the key ${key.name} in the item`,
    );
  }
  const text = asObject(value, key.name)[key.type];
  if (typeof text !== 'string') {
    throw validationError(
      `One or more parameter values were invalid: Type mismatch for key ${key.name} expected: ${key.type}`,
    );
  }
  return { [key.type]: key.type === 'N' ? canonicalNumber(text) : text };
}

/** A text that identifies an item among all tables. */
export function itemName(table: TableDefinition, keys: Item): string {
  return JSON.stringify([table.name, ...table.keys.map((key) => keys[key.name]?.[key.type])]);
}

const NOT_EXISTS = /^\s*attribute_not_exists\s*\(\s*([#\w.-]+)\s*\)\s*$/;

/** Recognises the plain form of the condition only; any other condition costs one more read. */
function insertsOnly(table: TableDefinition, part: Json): boolean {
  const [, name] = NOT_EXISTS.exec(String(part.ConditionExpression ?? '')) ?? [];
  if (name === undefined) return false;
  const attribute = name.startsWith('#')
    ? asObject(part.ExpressionAttributeNames ?? {}, 'ExpressionAttributeNames')[name]
    : name;
  return table.keys.some((key) => key.name === attribute);
}
