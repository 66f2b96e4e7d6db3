/**
 * Makes one table equal to another. DynamoDB restores only into a new table; this copies the
 * restored items into the table of the stack.
 */
import { DescribeTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { deleteAll, getAll, putAll } from '../../../adapters/dynamodb/batches';
import type { Item } from '../../../adapters/dynamodb/items/attributes';

export interface TableRef {
  readonly client: DynamoDBClient;
  readonly name: string;
}

export interface Copied {
  /** Items of the source. All of them are put. */
  readonly put: number;
  /** Items that only the target had. */
  readonly removed: number;
}

/** Segments of a table that are scanned concurrently. */
const SEGMENTS = 4;

/**
 * Puts every item of `from` into `to`, then removes the items that only `to` has. In this order no
 * item is missing at any time, and an interrupted copy can be repeated. Nothing else may write to
 * either table during the copy. Without `apply` it only counts. At most two pages of each segment
 * are in memory. Throws when the tables have different keys.
 */
export async function copyTable(from: TableRef, to: TableRef, apply: boolean): Promise<Copied> {
  const key = await keyOf(to);
  const sourceKey = await keyOf(from);
  if (key.join() !== sourceKey.join()) {
    throw new Error(
      `${from.name} has the key ${sourceKey.join(', ')}, ${to.name} has ${key.join(', ')}: ` +
        'these are not the same table',
    );
  }
  const put = await forEachPage(from, async (items) => {
    if (apply) await putAll(to.client, to.name, items);
    return items.length;
  });
  const removed = await forEachPage(to, async (items) => {
    const keys = items.map((item) => pick(item, key));
    const kept = new Set(
      (await getAll(from.client, from.name, keys)).map((item) => JSON.stringify(pick(item, key))),
    );
    const extra = keys.filter((one) => !kept.has(JSON.stringify(one)));
    if (apply) await deleteAll(to.client, to.name, extra);
    return extra.length;
  });
  return { put, removed };
}

async function keyOf({ client, name }: TableRef): Promise<readonly string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  return (Table?.KeySchema ?? []).map(({ AttributeName = '' }) => AttributeName);
}

function pick(item: Item, attributes: readonly string[]): Item {
  return Object.fromEntries(
    attributes.flatMap((name) => {
      const value = item[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function forEachPage(
  { client, name }: TableRef,
  work: (items: readonly Item[]) => Promise<number>,
): Promise<number> {
  const segment = async (Segment: number) => {
    let count = 0;
    const scan = { TableName: name, ConsistentRead: true, Segment, TotalSegments: SEGMENTS };
    // `work` may remove the last item of a page, which the scan names to read the next page. So a
    // page is passed to `work` only after the next one was read.
    let last: readonly Item[] = [];
    for await (const { Items = [] } of paginateScan({ client }, scan)) {
      count += await work(last);
      last = Items;
    }
    return count + (await work(last));
  };
  const counts = await Promise.all(Array.from({ length: SEGMENTS }, (_, at) => segment(at)));
  return counts.reduce((sum, count) => sum + count, 0);
}
