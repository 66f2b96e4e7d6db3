/**
 * The cost of listing a page in a small and in a large bucket: calls, items and capacity, counted
 * by a middleware of the SDK client.
 */
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoBuckets } from '../adapters/dynamodb/buckets';
import { DynamoChangeLog } from '../adapters/dynamodb/change-log';
import { DynamoObjects } from '../adapters/dynamodb/objects';
import { DynamoServiceState } from '../adapters/dynamodb/service-state';
import { systemClock } from '../adapters/system';
import type { Caller } from '../core/access/permissions';
import { BucketIds } from '../core/buckets/bucket-ids';
import { createMeter } from '../lambdas/runtime/telemetry/emf-meter';
import type { ApiRequest } from '../service/http/request';
import { handleListObjects } from '../service/operations/list-objects';
import { BUCKETS } from './plan';

type Item = Record<string, AttributeValue>;

export interface PageCost {
  readonly objects: number;
  /** `first`, `middle`, `last` or `in one folder`. */
  readonly page: string;
  /** Such as `GetItem + Query`. */
  readonly calls: string;
  /** Items that DynamoDB read for the page. */
  readonly itemsRead: number;
  /** Read capacity units that the engine reports. */
  readonly capacity: number;
}

interface Tables {
  readonly buckets: string;
  readonly objects: string;
  readonly changes: string;
}

const WRITERS = 4;
const BATCH = 25;
const FOLDER = 1000;

/** Returns the cost of the pages of a bucket of each size. `createBucket` calls the service. */
export async function listingReads(
  tables: Tables,
  sizes: readonly number[],
  createBucket: (name: string) => Promise<void>,
): Promise<readonly PageCost[]> {
  const dynamo = new DynamoDBClient({});
  const costs: PageCost[] = [];
  for (const objects of sizes) {
    const bucket = `bench-${objects}`;
    await createBucket(bucket);
    await fill(dynamo, tables, bucket, objects);
    costs.push(...(await costsOf(tables, bucket, objects)));
  }
  dynamo.destroy();
  return costs;
}

/** `00000/0000000` and so on: a thousand objects in each folder. */
function keyOf(n: number): string {
  return `${String(Math.floor(n / FOLDER)).padStart(5, '0')}/${String(n).padStart(7, '0')}`;
}

/** Fills a bucket with copies of a record that the service has written. */
async function fill(dynamo: DynamoDBClient, tables: Tables, name: string, objects: number) {
  const bucketId = await idOf(dynamo, tables, name);
  const template = await read(dynamo, tables.objects, {
    bucket_id: { S: await idOf(dynamo, tables, BUCKETS.listed) },
    key: { S: 'item-000000' },
  });
  let next = 0;
  const write = async () => {
    while (next < objects) {
      const numbers = Array.from({ length: Math.min(BATCH, objects - next) }, () => next++);
      const requests = numbers.map((n) => {
        const id = { bucket_id: { S: bucketId }, bucket: { S: name }, key: { S: keyOf(n) } };
        return { PutRequest: { Item: { ...template, ...id } } };
      });
      await dynamo.send(
        new BatchWriteItemCommand({ RequestItems: { [tables.objects]: requests } }),
      );
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

async function idOf(dynamo: DynamoDBClient, tables: Tables, name: string): Promise<string> {
  const item = await read(dynamo, tables.buckets, { name: { S: name }, entry: { S: 'bucket' } });
  return item.id?.S ?? '';
}

async function read(dynamo: DynamoDBClient, TableName: string, Key: Item): Promise<Item> {
  const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key }));
  if (Item === undefined) throw new Error(`${TableName} has no ${JSON.stringify(Key)}`);
  return Item;
}

async function costsOf(tables: Tables, bucket: string, objects: number): Promise<PageCost[]> {
  const watched = watch(new DynamoDBClient({}));
  const dynamo = watched.client;
  const buckets = new DynamoBuckets(dynamo, tables.buckets);
  const list = handleListObjects({
    buckets,
    bucketIds: new BucketIds(buckets),
    objects: new DynamoObjects(dynamo, tables.objects),
    changeLog: new DynamoChangeLog(dynamo, tables.changes),
    serviceState: new DynamoServiceState(dynamo, tables.buckets),
    clock: systemClock,
    meter: createMeter(undefined, undefined),
  });
  const listPage = (query: Readonly<Record<string, string>>) =>
    list(requestOf(query), { kind: 'objects', bucket });
  // The first call of an instance also reads the secret of the page tokens.
  await listPage({ limit: '1' });
  const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    first: {},
    middle: { start_after: keyOf(Math.floor(objects / 2)) },
    last: { start_after: keyOf(objects - 51) },
    'in one folder': { prefix: keyOf(objects - 1).slice(0, 6), delimiter: '/' },
  };
  const costs: PageCost[] = [];
  for (const [page, query] of Object.entries(pages)) {
    watched.reset();
    const { status } = await listPage({ limit: '100', ...query });
    if (status !== 200) throw new Error(`the list returned ${status}`);
    costs.push({ objects, page, ...watched.cost() });
  }
  watched.client.destroy();
  return costs;
}

function requestOf(query: Readonly<Record<string, string>>): ApiRequest<Caller> {
  return {
    method: 'GET',
    path: '',
    header: () => undefined,
    headerNames: [],
    query: (name) => query[name],
    body: Buffer.alloc(0),
    requestId: 'bench',
    takeTokens: async () => undefined,
    takeTokensUpTo: async (count) => count,
    caller: { keyId: 'bench', permissions: [{ buckets: ['*'], actions: ['list'] }] },
  };
}

interface Consumed {
  readonly Item?: unknown;
  readonly ScannedCount?: number;
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
}

/** Counts the calls of the client and what DynamoDB reads for them. */
function watch(client: DynamoDBClient) {
  let calls: string[] = [];
  let itemsRead = 0;
  let capacity = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        Object.assign(call.input, { ReturnConsumedCapacity: 'TOTAL' });
        const result = await next(call);
        const output = result.output as Consumed;
        calls.push(commandName.replace(/Command$/, ''));
        itemsRead += output.ScannedCount ?? (output.Item === undefined ? 0 : 1);
        capacity += output.ConsumedCapacity?.CapacityUnits ?? 0;
        return result;
      },
    { step: 'initialize' },
  );
  return {
    client,
    reset: () => {
      calls = [];
      itemsRead = 0;
      capacity = 0;
    },
    cost: () => ({ calls: calls.join(' + '), itemsRead, capacity }),
  };
}
