import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import type { ChangeEntry, ChangeLog, ShownEntry } from '../../core/log/ports';
import type { ShownRecord } from '../../core/store/objects';
import { deleteAll } from './batches';
import { pastConflicts } from './conflicts';
import { type Item, names, toItem } from './items/attributes';
import { objectFields, objectRecord, SHOWN_ATTRIBUTES, shownRecord } from './items/object-item';
import { readItem } from './read-item';

const MAX_RANGE = 1000;

/** The ChangeLog port on the Changes table. */
export class DynamoChangeLog implements ChangeLog {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 GetItem, consistent. */
  async get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined> {
    const item = await readItem(this.client, this.table, changeKey(bucketId, cursor));
    return item && changeEntry(item);
  }

  /**
   * 1 consistent Query per shard that may hold an entry of the range (8, or fewer for a short
   * range), and 1 more per further 1 MB of a shard; in parallel.
   */
  async read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]> {
    return (await this.items(bucketId, after, to)).map(changeEntry).sort(byCursor);
  }

  /** As `read`. */
  async readShown(bucketId: string, after: number, to: number): Promise<readonly ShownEntry[]> {
    return (await this.items(bucketId, after, to, SHOWN)).map(shownEntry).sort(byCursor);
  }

  private async items(
    bucketId: string,
    after: number,
    to: number,
    shown?: typeof SHOWN,
  ): Promise<Item[]> {
    if (to - after > MAX_RANGE) {
      throw new RangeError(`a range has at most ${MAX_RANGE} entries, got ${to - after}`);
    }
    const shards = Math.max(0, Math.min(to - after, SHARDS));
    const items = await Promise.all(
      Array.from({ length: shards }, (_, index) => {
        const from = after + 1 + index;
        return this.readShard({ shard: shardOf(bucketId, from), from, to }, shown);
      }),
    );
    return items.flat();
  }

  /** AWS calls: 1 PutItem. */
  async fill(
    bucketId: string,
    entry: Extract<ChangeEntry, { type: 'noop' }>,
  ): Promise<ChangeEntry> {
    const command = {
      TableName: this.table,
      Item: changeItem(bucketId, entry),
      ConditionExpression: 'attribute_not_exists(#shard)',
      ExpressionAttributeNames: names('shard'),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    try {
      await pastConflicts(() => this.client.send(new PutItemCommand(command)));
      return entry;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
      return changeEntry(error.Item);
    }
  }

  /** AWS calls: 1 BatchWriteItem per 25 cursors, in parallel. */
  async remove(bucketId: string, cursors: readonly number[]): Promise<void> {
    const keys = [...new Set(cursors)].map((cursor) => changeKey(bucketId, cursor));
    await deleteAll(this.client, this.table, keys);
  }

  private async readShard(
    { shard, from, to }: { readonly shard: string; readonly from: number; readonly to: number },
    { ExpressionAttributeNames, ...shown }: Partial<typeof SHOWN> = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: '#shard = :shard AND #cursor BETWEEN :from AND :to',
        ...shown,
        ExpressionAttributeNames: { ...names('shard', 'cursor'), ...ExpressionAttributeNames },
        ExpressionAttributeValues: toItem({ ':shard': shard, ':from': from, ':to': to }),
      },
    );
    for await (const { Items = [] } of pages) items.push(...Items);
    return items;
  }
}

/** The attributes of a shown entry, beside those of its object. */
const OWN_ATTRIBUTES = ['bucket', 'cursor', 'at', 'type', 'commit'];

/** Selects what `shownEntry` reads. */
const SHOWN = {
  ProjectionExpression: [
    ...OWN_ATTRIBUTES.map((name) => `#${name}`),
    ...SHOWN_ATTRIBUTES.map((name) => `#object.#${name}`),
  ].join(),
  ExpressionAttributeNames: names(...OWN_ATTRIBUTES, 'object', ...SHOWN_ATTRIBUTES),
};

function byCursor(a: ShownEntry, b: ShownEntry): number {
  return a.cursor - b.cursor;
}

/** Consecutive cursors are in different partitions, so that a bucket has no hot partition. */
export const SHARDS = 8;

/** The partition of the Changes table that holds the entry at the cursor. */
export function shardOf(bucketId: string, cursor: number): string {
  return `${bucketId}#${cursor % SHARDS}`;
}

function changeKey(bucketId: string, cursor: number): Item {
  return toItem({ shard: shardOf(bucketId, cursor), cursor });
}

/** Has `bucket` and `bucket_id` for the readers of the table's stream. */
export function changeItem(bucketId: string, entry: ChangeEntry): Item {
  const { bucket, cursor, at } = entry;
  const shard = shardOf(bucketId, cursor);
  const common = { shard, cursor, bucket, bucket_id: bucketId, at };
  if (entry.type === 'noop') return toItem({ ...common, type: 'void' });
  return toItem({
    ...common,
    type: entry.type,
    object: objectFields(entry.object),
    previous: entry.previous && objectFields(entry.previous),
    commit: entry.commit && { ...entry.commit },
  });
}

/** The stored type of a no-op entry is `void`. */
export function changeEntry(item: Item): ChangeEntry {
  return entryOf(item, objectRecord);
}

function shownEntry(item: Item): ShownEntry {
  return entryOf(item, shownRecord);
}

function entryOf<R extends ShownRecord>(item: Item, recordOf: (item: Item) => R): ChangeEntry<R> {
  const bucket = item.bucket?.S ?? missing(item, 'bucket');
  const cursor = Number(item.cursor?.N);
  const at = item.at?.S ?? missing(item, 'at');
  const type = item.type?.S;
  if (type === 'void') return { type: 'noop', bucket, cursor, at };
  if (type !== 'put' && type !== 'delete') return missing(item, 'type');
  const object = recordOf(item.object?.M ?? missing(item, 'object'));
  const previous = item.previous?.M;
  const commit = item.commit?.M;
  return {
    type,
    bucket,
    cursor,
    at,
    object,
    ...(previous && { previous: recordOf(previous) }),
    ...(commit && { commit: { first: Number(commit.first?.N), last: Number(commit.last?.N) } }),
  };
}

function missing(item: Item, attribute: string): never {
  throw new Error(`entry ${item.cursor?.N} in ${item.shard?.S} has no ${attribute}`);
}
