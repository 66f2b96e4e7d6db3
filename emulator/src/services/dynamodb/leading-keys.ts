/**
 * `dynamodb:LeadingKeys` of a request: the partition key values of its items, for policies that
 * grant access to some items of a table only. A scan has none.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
import { isRecord, type Json } from '../../values/json';
import type { Need } from './protocol/operations';
import type { TableDefinition } from './tables/table-definition';

/** undefined: the request names no item, or is malformed so that the engine refuses it. */
export function leadingKeys(
  { items = [], query, index }: Need,
  table: TableDefinition | undefined,
): readonly string[] | undefined {
  const [key] = table?.keys ?? [];
  if (key === undefined) return undefined;
  // For an index it is the partition key of the index. Not emulated: such a grant allows nothing.
  if (index !== undefined) return [''];
  const values = [
    ...items.map((item) => item[key.name]),
    ...(query === undefined ? [] : [queried(query, key.name)]),
  ];
  const texts = values.flatMap((value) => {
    const text = isRecord(value) ? value[key.type] : undefined;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts;
}

const EQUALITY = /(?<![\w.:#-])(#?[\w.-]+)\s*=\s*(:\w+)/g;

/** The value that the key condition requires of the partition key. */
function queried(query: Json, name: string): unknown {
  const named = query.ExpressionAttributeNames;
  const values = query.ExpressionAttributeValues;
  for (const [, left = '', right = ''] of String(query.KeyConditionExpression).matchAll(EQUALITY)) {
    const attribute = isRecord(named) && left.startsWith('#') ? named[left] : left;
    if (attribute === name && isRecord(values)) return values[right];
  }
  return undefined;
}
