/**
 * The items that a call of a port reads and writes, with their request units. The sizes are those
 * of the bill. By
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html: a
 * unit for each 4 KiB of a consistent read and each KiB of a write, two for each KiB of a
 * transaction.
 */

import { SHARDS } from '../../../adapters/dynamodb/change-log';
import type { Change, Commit } from '../../../core/log/ports';
import { ITEM_BYTES, type Item, readUnits, writeUnits } from '../../../scripts/cost/calls';
import { hashOf } from '../machine/random';

export interface Access {
  readonly table: 'Buckets' | 'Changes' | 'Objects' | 'Uploads' | 'Rates' | 'Subscriptions';
  /** Names the limit that binds there. */
  readonly of: string;
  readonly item: string;
  /** What places the item: the hash of its partition key. */
  readonly place: number;
  /** What places it once its partition is split between sort keys. */
  readonly splitPlace: number;
  readonly reads: number;
  readonly writes: number;
}

interface Units {
  readonly reads?: number;
  readonly writes?: number;
}

function access(
  table: Access['table'],
  of: string,
  [partitionKey, sortKey = '']: readonly [string, string?],
  { reads = 0, writes = 0 }: Units,
): Access {
  const place = hashOf(`${table} ${partitionKey}`) >>> 0;
  const item = `${table} ${partitionKey} ${sortKey}`;
  return { table, of, item, place, splitPlace: hashOf(item) >>> 0, reads, writes };
}

const reading = (item: Item, count = 1) => ({ reads: readUnits(ITEM_BYTES[item] * count) });
const writing = (item: Item) => ({ writes: writeUnits(ITEM_BYTES[item]) });
const inTransaction = (item: Item) => ({ writes: 2 * writeUnits(ITEM_BYTES[item]) });

const counter = (name: string, units: Units) =>
  access('Buckets', 'counter of the bucket', [name, 'bucket'], units);
const stats = (name: string, units: Units) =>
  access('Buckets', 'published mark of the bucket', [`${name}#stats`, 'stats'], units);
const record = (bucketId: string, key: string, units: Units) =>
  access('Objects', 'records of the bucket', [bucketId, key], units);

/**
 * Cursors ascend, so no split helps a shard of the log: each new entry is at its end. The shards
 * are taken to be spread evenly, which is the best that hashing can do.
 */
function entry(bucketId: string, cursor: number, units: Units): Access {
  const shard = cursor % SHARDS;
  const made = access('Changes', 'shards of the log', [`${bucketId}#${shard}`, `${cursor}`], units);
  return { ...made, place: shard, splitPlace: Math.floor(shard / 4) };
}

function changed(bucketId: string, { object, previous, uploadId }: Change): Access[] {
  const replacing: Item = object.state === 'live' ? 'change' : 'deletion';
  const accesses = [
    entry(bucketId, object.cursor, inTransaction(previous ? replacing : 'creation')),
    record(bucketId, object.key, inTransaction('object')),
  ];
  if (uploadId === undefined) return accesses;
  return [...accesses, access('Uploads', 'uploads', [uploadId], inTransaction('upload'))];
}

type Named = { readonly name: string };
type Accesses = (...parameters: never[]) => readonly Access[];

/** A Query of subscribers reads four shards: at most this many of them fill one unit. */
const SUBSCRIBERS_OF_A_BUCKET = ['0', '1', '2', '3'];

/** By the name of the call. Calls that are not here are rare, or of items that are never hot. */
const CALLS: Readonly<Record<string, Accesses>> = {
  'buckets.get': (name: string) => [counter(name, reading('bucket'))],
  'buckets.stats': (name: string) => [stats(name, reading('bucket'))],
  'buckets.movePublished': ({ name }: Named) => [stats(name, writing('bucket'))],
  'buckets.acquirePushLease': ({ name }: Named) => [stats(name, writing('bucket'))],
  'buckets.extendPushLease': ({ name }: Named) => [stats(name, writing('bucket'))],
  'commits.allocate': ({ name }: Named) => [counter(name, writing('bucket'))],
  'commits.commit': ({ bucketId, changes, idempotency }: Commit) => [
    ...changes.flatMap((change) => changed(bucketId, change)),
    ...(idempotency
      ? [access('Uploads', 'uploads', [idempotency.id], inTransaction('upload'))]
      : []),
  ],
  'objects.get': (bucketId: string, key: string) => [record(bucketId, key, reading('object'))],
  'objects.getMany': (bucketId: string, keys: readonly string[]) =>
    keys.map((key) => record(bucketId, key, reading('object'))),
  'changeLog.get': (bucketId: string, cursor: number) => [
    entry(bucketId, cursor, reading('change')),
  ],
  'changeLog.readShard': (bucketId: string, from: number, to: number) => [
    entry(bucketId, from, reading('change', Math.ceil((to - from + 1) / SHARDS))),
  ],
  'changeLog.fill': (bucketId: string, { cursor }: { readonly cursor: number }) => [
    entry(bucketId, cursor, writing('bucket')),
  ],
  'rates.lease': (keyId: string) => [access('Rates', 'rates of a key', [keyId], writing('rate'))],
  'subscriptions.subscribers': (bucketId: string) =>
    SUBSCRIBERS_OF_A_BUCKET.map((shard) =>
      access('Subscriptions', 'subscribers of the bucket', [`${bucketId}#${shard}`], { reads: 1 }),
    ),
};

export function accessesOf(call: string, parameters: readonly unknown[]): readonly Access[] {
  return CALLS[call]?.(...(parameters as never[])) ?? [];
}
