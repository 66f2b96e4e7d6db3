/**
 * The other side of each comparison: only the AWS calls of an operation, against the same local
 * endpoints, in the same order and concurrency. It writes the items that the service would write,
 * so that the work after a write (stream, fanout) is the same, too.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { BUCKETS, OBJECTS_PER_SIZE, SIZES } from './plan';
import { serve } from './remote';
import { measure, type OperationName, type Task, type Timings } from './task';

type Item = Record<string, AttributeValue>;

const {
  BUCKETS_TABLE,
  OBJECTS_TABLE,
  CHANGES_TABLE,
  UPLOADS_TABLE,
  CONTENT_BUCKET: Bucket,
} = process.env;
const dynamo = new DynamoDBClient({});
// The defaults of the SDK except for checksums, which the service does not send.
const s3 = new S3Client({
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
const contents = new Map(SIZES.map((size) => [size as number, contentOf(size)]));
const run = randomBytes(4).toString('hex');
let requests = 0;
/** A bucket, and the record of an object that the service has written. */
let bare = { name: BUCKETS.bare as string, id: '', record: {} as Item };
let listedId = '';

function contentOf(size: number): { readonly body: Uint8Array; readonly sha256: string } {
  const body = randomBytes(size);
  return { body, sha256: createHash('sha256').update(body).digest('base64') };
}

async function getItem(TableName: string | undefined, Key: Item): Promise<Item> {
  const read = new GetItemCommand({ TableName, Key, ConsistentRead: true });
  const { Item } = await dynamo.send(read);
  return Item ?? {};
}

function getRecord(key: string): Promise<Item> {
  return getItem(OBJECTS_TABLE, { bucket_id: { S: bare.id }, key: { S: key } });
}

function getBucket(name: string): Promise<Item> {
  return getItem(BUCKETS_TABLE, { name: { S: name }, entry: { S: 'bucket' } });
}

async function put(key: string, size: number): Promise<void> {
  const { body, sha256 } = contents.get(size) ?? contentOf(size);
  const blob = `objects/${BUCKETS.bare}.${bare.id}/${key}/${run}`;
  await Promise.all([
    s3.send(
      new PutObjectCommand({
        Bucket,
        Key: blob,
        Body: body,
        ContentLength: body.length,
        ContentType: 'application/octet-stream',
        Metadata: {},
        ChecksumSHA256: sha256,
        IfNoneMatch: '*',
      }),
    ),
    getRecord(key),
  ]);
  const cursor = await allocateCursor(bare);
  await commit(bare, key, cursor, { blob: { S: blob }, size: { N: `${size}` } });
}

type Bucket = Pick<typeof bare, 'name' | 'id'>;

async function allocateCursor(bucket: Bucket): Promise<string> {
  const { Attributes } = await dynamo.send(
    new UpdateItemCommand({
      TableName: BUCKETS_TABLE,
      Key: { name: { S: bucket.name }, entry: { S: 'bucket' } },
      UpdateExpression: 'ADD #cursor :one',
      ConditionExpression: '#id = :id AND attribute_not_exists(#closing_at)',
      ExpressionAttributeNames: { '#cursor': 'cursor', '#id': 'id', '#closing_at': 'closing_at' },
      ExpressionAttributeValues: { ':one': { N: '1' }, ':id': { S: bucket.id } },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Attributes?.cursor?.N ?? '';
}

async function commit(
  { name, id }: Bucket,
  key: string,
  cursor: string,
  fields: Item = {},
): Promise<void> {
  const at = { S: new Date().toISOString() };
  const change = { key: { S: key }, cursor: { N: cursor }, created_at: at, updated_at: at };
  const bucket = { bucket: { S: name }, bucket_id: { S: id } };
  const record: Item = { ...bare.record, ...bucket, ...change, ...fields };
  const { bucket_id, ...object } = record;
  const entry: Item = {
    shard: { S: `${id}#${Number(cursor) % 8}` },
    cursor: { N: cursor },
    ...bucket,
    type: { S: 'put' },
    at,
    object: { M: object },
  };
  await dynamo.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        {
          Put: {
            TableName: CHANGES_TABLE,
            Item: entry,
            ConditionExpression: 'attribute_not_exists(#shard)',
            ExpressionAttributeNames: { '#shard': 'shard' },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Put: {
            TableName: OBJECTS_TABLE,
            Item: record,
            ConditionExpression: 'attribute_not_exists(#key)',
            ExpressionAttributeNames: { '#key': 'key' },
          },
        },
      ],
      ClientRequestToken: `${run}-${id}-${cursor}`,
    }),
  );
}

function readKey(size: number): string {
  return `read/${size}/${requests++ % OBJECTS_PER_SIZE}`;
}

const OPERATIONS: Readonly<Record<OperationName, (size: number) => Promise<unknown>>> = {
  PUT: (size) => put(`put/${run}/${requests++}`, size),
  GET: async (size) => {
    const { blob } = await getRecord(readKey(size));
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: blob?.S }));
    let bytes = 0;
    for await (const chunk of Body as Readable) bytes += chunk.length;
    if (bytes !== size) throw new Error(`GetObject of ${size} bytes returned ${bytes}`);
  },
  HEAD: (size) => getRecord(readKey(size)),
  list: async () => {
    await getBucket(BUCKETS.listed);
    const { Count } = await dynamo.send(
      new QueryCommand({
        TableName: OBJECTS_TABLE,
        ConsistentRead: true,
        // One more than the page, as the service does, to learn whether another page follows.
        Limit: 101,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': 'bucket_id' },
        ExpressionAttributeValues: { ':partition': { S: listedId } },
      }),
    );
    if (Count !== 101) throw new Error(`Query returned ${Count} items`);
  },
  'signed-url GET': async () => {
    const { blob } = await getRecord(`read/${SIZES[0]}/0`);
    return getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: blob?.S }), { expiresIn: 300 });
  },
  'signed-url PUT': async () => {
    await getBucket(BUCKETS.bare);
    const id = `${run}-${requests++}`;
    const blob = `uploads/${BUCKETS.bare}.${bare.id}/signed/${id}`;
    const signed = new Set(['if-none-match']);
    const write = new PutObjectCommand({ Bucket, Key: blob, IfNoneMatch: '*' });
    const options = { expiresIn: 300, signableHeaders: signed, unhoistableHeaders: signed };
    await getSignedUrl(s3, write, options);
    await dynamo.send(
      new PutItemCommand({
        TableName: UPLOADS_TABLE,
        Item: uploadItem(id, blob),
        ConditionExpression: 'attribute_not_exists(#id)',
        ExpressionAttributeNames: { '#id': 'id' },
      }),
    );
  },
};

function uploadItem(id: string, blob: string): Item {
  const expires = Date.now() + 300_000;
  return {
    id: { S: id },
    kind: { S: 'upload' },
    bucket: { S: BUCKETS.bare },
    bucket_id: { S: bare.id },
    key: { S: `signed/${id}` },
    blob: { S: blob },
    state: { S: 'pending' },
    expires_at: { S: new Date(expires).toISOString() },
    ttl: { N: `${Math.ceil(expires / 1000) + 604_800}` },
  };
}

const methods = {
  /** Requires the buckets and the template, which the client over HTTP creates. */
  prepare: async (): Promise<void> => {
    bare = { ...bare, id: (await getBucket(bare.name)).id?.S ?? '' };
    bare = { ...bare, record: await getRecord('template') };
    listedId = (await getBucket(BUCKETS.listed)).id?.S ?? '';
    for (const size of SIZES) {
      for (let n = 0; n < OBJECTS_PER_SIZE; n++) await put(`read/${size}/${n}`, size);
    }
  },

  measure: (task: Task): Promise<Timings> =>
    measure(task, async () => {
      await OPERATIONS[task.operation](task.size);
    }),

  /**
   * Commits `count` new keys as the service does, but without content, so that the rate exceeds
   * that of PUTs. Returns the last cursor.
   */
  commitMany: async ({
    bucket: name,
    count,
  }: {
    readonly bucket: string;
    readonly count: number;
  }) => {
    const bucket = { name, id: (await getBucket(name)).id?.S ?? '' };
    let last = 0;
    let left = count;
    const write = async () => {
      while (left-- > 0) {
        const cursor = await allocateCursor(bucket);
        await commit(bucket, `put/${run}/${cursor}`, cursor);
        last = Math.max(last, Number(cursor));
      }
    };
    await Promise.all(Array.from({ length: 16 }, write));
    return last;
  },
};

export type SdkClient = typeof methods;

serve(methods);
