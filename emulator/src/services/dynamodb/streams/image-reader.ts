import { isRecord, type Json } from '../../../template/json';
import type { Item } from '../attribute-value';
import type { Engine } from '../engine';
import type { TableDefinition } from '../table-definition';
import { itemName, keysOf } from './writes';

export interface ItemRef {
  readonly table: TableDefinition;
  readonly keys: Item;
  /** Whether it exists is all that is asked. */
  readonly keysOnly?: boolean;
}

const MAX_KEYS = 100;

/** The items at these places by itemName, as they are now. */
export async function readImages(
  engine: Engine,
  places: readonly ItemRef[],
): Promise<ReadonlyMap<string, Item>> {
  const images = new Map<string, Item>();
  for (const table of new Set(places.map((place) => place.table))) {
    const ofTable = places.filter((place) => place.table === table);
    for (let start = 0; start < ofTable.length; start += MAX_KEYS) {
      await readBatch(engine, table, ofTable.slice(start, start + MAX_KEYS), images);
    }
  }
  return images;
}

async function readBatch(
  engine: Engine,
  table: TableDefinition,
  places: readonly ItemRef[],
  images: Map<string, Item>,
): Promise<void> {
  let pending: Json | undefined = {
    [table.name]: {
      ConsistentRead: true,
      Keys: places.map((place) => place.keys),
      ...(places.every((place) => place.keysOnly) && projection(table)),
    },
  };
  while (pending !== undefined) {
    const answer: Json = await engine.call('BatchGetItem', { RequestItems: pending });
    const responses = isRecord(answer.Responses) ? answer.Responses[table.name] : undefined;
    for (const item of Array.isArray(responses) ? responses : []) {
      images.set(itemName(table, keysOf(table, item)), item);
    }
    // More than 16 MB of items come in several answers.
    const rest = answer.UnprocessedKeys;
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
