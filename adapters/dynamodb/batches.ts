import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { forEachConcurrently } from '../../core/concurrency';
import type { Item } from './items/attributes';

/** DynamoDB's limits per call. */
const GET_KEYS = 100;
const WRITE_ITEMS = 25;

/** Each call has a connection of its own; a batch may have thousands. */
const CALLS_AT_ONCE = 32;

/** With doubling and jitter, about two seconds in total. */
const ATTEMPTS = 8;
const FIRST_WAIT_MS = 10;

/**
 * The items under the distinct keys, in any order. One consistent BatchGetItem per 100 keys, 32
 * at a time. Keys that DynamoDB leaves unprocessed (16 MB, throttling) are requested again; throws
 * after 8 calls.
 */
export async function getAll(
  client: DynamoDBClient,
  table: string,
  keys: readonly Item[],
): Promise<Item[]> {
  const found: Item[] = [];
  await inSlices(keys, GET_KEYS, async (rest) => {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({
        RequestItems: { [table]: { Keys: [...rest], ConsistentRead: true } },
      }),
    );
    found.push(...(Responses?.[table] ?? []));
    return UnprocessedKeys?.[table]?.Keys ?? [];
  });
  return found;
}

/**
 * Deletes the items under the distinct keys. One BatchWriteItem per 25 keys, 32 at a time; repeats
 * as `getAll` does.
 */
export async function deleteAll(
  client: DynamoDBClient,
  table: string,
  keys: readonly Item[],
): Promise<void> {
  await writeAll(
    client,
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/**
 * Puts the items, which have distinct keys, over existing ones. One BatchWriteItem per 25 items,
 * 32 at a time; repeats as `getAll` does.
 */
export async function putAll(
  client: DynamoDBClient,
  table: string,
  items: readonly Item[],
): Promise<void> {
  await writeAll(
    client,
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  );
}

async function writeAll(
  client: DynamoDBClient,
  table: string,
  requests: readonly WriteRequest[],
): Promise<void> {
  await inSlices(requests, WRITE_ITEMS, async (rest) => {
    const { UnprocessedItems } = await client.send(
      new BatchWriteItemCommand({
        RequestItems: { [table]: [...rest] },
      }),
    );
    return UnprocessedItems?.[table] ?? [];
  });
}

/**
 * Calls `call` for slices of that length, and again for what it leaves of them. After an error no
 * further slice begins; throws it when the calls in progress have ended.
 */
async function inSlices<T>(
  all: readonly T[],
  length: number,
  call: (some: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  const errors: unknown[] = [];
  await forEachConcurrently(slices(all, length), CALLS_AT_ONCE, async (slice) => {
    if (errors.length > 0) return;
    await untilNothingIsLeft(slice, call).catch((error: unknown) => errors.push(error));
  });
  if (errors.length > 0) throw errors[0];
}

async function untilNothingIsLeft<T>(
  all: readonly T[],
  call: (some: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  let rest = all;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    rest = await call(rest);
    if (rest.length === 0) return;
    await sleep(Math.random() * FIRST_WAIT_MS * 2 ** attempt);
  }
  throw new Error(
    `DynamoDB left ${rest.length} of ${all.length} items unprocessed ${ATTEMPTS} times`,
  );
}

function slices<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, index) =>
    all.slice(index * length, (index + 1) * length),
  );
}
