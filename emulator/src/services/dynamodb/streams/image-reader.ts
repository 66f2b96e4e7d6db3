import { isRecord, type Json } from '../../../values/json';
import type { Engine } from '../engine/engine';
import type { Item } from '../protocol/attribute-value';
import type { TableDefinition } from '../tables/table-definition';
import { itemName, keysOf } from './writes';

export interface ItemRef {
  readonly table: TableDefinition;
  readonly keys: Item;
  /** Only the keys are needed, to see whether the item exists. */
  readonly keysOnly?: boolean;
}

const MAX_KEYS = 100;

/** Reads the current items, by itemName. An item that does not exist is absent. */
export async function readImages(
  engine: Engine,
  items: readonly ItemRef[],
): Promise<ReadonlyMap<string, Item>> {
  const images = new Map<string, Item>();
  for (const table of new Set(items.map((item) => item.table))) {
    const ofTable = items.filter((item) => item.table === table);
    for (let start = 0; start < ofTable.length; start += MAX_KEYS) {
      await readBatch(engine, table, ofTable.slice(start, start + MAX_KEYS), images);
    }
  }
  return images;
}

async function readBatch(
  engine: Engine,
  table: TableDefinition,
  items: readonly ItemRef[],
  images: Map<string, Item>,
): Promise<void> {
  let pending: Json | undefined = {
    [table.name]: {
      ConsistentRead: true,
      Keys: items.map((item) => item.keys),
      ...(items.every((item) => item.keysOnly) && projection(table)),
    },
  };
  while (pending !== undefined) {
    const response: Json = await engine.call('BatchGetItem', { RequestItems: pending });
    const responses = isRecord(response.Responses) ? response.Responses[table.name] : undefined;
    for (const item of Array.isArray(responses) ? responses : []) {
      images.set(itemName(table, keysOf(table, item)), item);
    }
    // More than 16 MB of items come in several responses.
    const rest = response.UnprocessedKeys;
    pending = isRecord(rest) && Object.keys(rest).length > 0 ? rest : undefined;
  }
}

function projection(table: TableDefinition): Json {
  const names = table.keys.map((key, index) => [`#k${index}`, key.name]);
  return {
    ProjectionExpression: names.map(([alias]) => alias).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names),
  };
}
