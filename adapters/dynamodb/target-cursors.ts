import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { BucketRef } from '../../core/bucket-ref';
import type {
  CursorStep,
  Registration,
  TargetCursor,
  TargetCursors,
  TargetLease,
} from '../../core/targets/ports';
import { guardedUpdate } from './guarded-update';
import { fromItem, type Item, names, toItem } from './items/attributes';

/** Sort key of the item with the registration of a target. No bucket id contains `#`. */
const REGISTRATION = '#registration';

interface CursorFields {
  readonly bucket_id: string;
  readonly bucket: string;
  readonly cursor: number;
  readonly failures?: number;
}

/** The TargetCursors port on the table Cursors: docs/design.md, "Tables". */
export class DynamoTargetCursors implements TargetCursors {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 UpdateItem. */
  async register(target: string, now: number): Promise<Registration> {
    const { Attributes = {} } = await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: REGISTRATION }),
        UpdateExpression: 'SET #since = if_not_exists(#since, :now)',
        ExpressionAttributeNames: names('since'),
        ExpressionAttributeValues: toItem({ ':now': now }),
        ReturnValues: 'ALL_NEW',
      }),
    );
    const { since, complete } = fromItem<{ since: number; complete?: number }>(Attributes);
    return { since, complete: complete === 1 };
  }

  /** AWS calls: 1 UpdateItem. */
  async completeRegistration(target: string): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: { target, bucket_id: REGISTRATION },
      update: 'SET #complete = :one',
      condition: 'attribute_exists(#since)',
      attributes: ['complete', 'since'],
      values: { ':one': 1 },
    });
  }

  /** AWS calls: 1 UpdateItem. */
  async initialize(target: string, { name, id }: BucketRef, cursor: number): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: { target, bucket_id: id },
      update: 'SET #bucket = :bucket, #cursor = :cursor',
      condition: 'attribute_not_exists(#cursor)',
      attributes: ['bucket', 'cursor'],
      values: { ':bucket': name, ':cursor': cursor },
    });
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(target: string, bucketId: string): Promise<TargetCursor | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: bucketId }),
        ConsistentRead: true,
      }),
    );
    return Item && targetCursor(Item);
  }

  /** 1 consistent Query per 1 MB, which is thousands of cursors. */
  async list(target: string): Promise<readonly TargetCursor[]> {
    const cursors: TargetCursor[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: '#target = :target AND #bucket_id > :registration',
        ExpressionAttributeNames: names('target', 'bucket_id'),
        ExpressionAttributeValues: toItem({ ':target': target, ':registration': REGISTRATION }),
      },
    );
    for await (const { Items = [] } of pages) cursors.push(...Items.map(targetCursor));
    return cursors;
  }

  /** AWS calls: 1 UpdateItem. */
  async acquireLease(
    target: string,
    { name, id }: BucketRef,
    { holder, until, now }: TargetLease & { readonly now: number },
  ): Promise<TargetCursor | undefined> {
    const item = await guardedUpdate(
      this.client,
      {
        table: this.table,
        key: { target, bucket_id: id },
        update:
          'SET #holder = :holder, #until = :until, #bucket = :bucket, #cursor = if_not_exists(#cursor, :zero)',
        condition: 'attribute_not_exists(#until) OR #until <= :now',
        attributes: ['holder', 'until', 'bucket', 'cursor'],
        values: {
          ':holder': holder,
          ':until': until,
          ':bucket': name,
          ':zero': 0,
          ':now': now,
        },
      },
      'ALL_NEW',
    );
    return item && targetCursor(item);
  }

  /**
   * AWS calls: 1 UpdateItem. False also when a call whose response was lost is repeated: the first
   * attempt has moved the cursor.
   */
  async advance(target: string, bucketId: string, step: CursorStep): Promise<boolean> {
    const { from, to, holder, until } = step;
    if (to < from) return false;
    const removed = [
      ...(until === undefined ? ['holder', 'until'] : []),
      ...(to > from ? ['failures'] : []),
    ];
    const moved = await guardedUpdate(this.client, {
      table: this.table,
      key: { target, bucket_id: bucketId },
      update: [
        `SET #cursor = :to${until === undefined ? '' : ', #until = :until'}`,
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
      ].join(' '),
      condition: '#holder = :holder AND #cursor = :from',
      attributes: ['cursor', 'holder', 'until', ...removed],
      values: { ':from': from, ':to': to, ':holder': holder, ':until': until },
    });
    return moved !== undefined;
  }

  /** AWS calls: 1 UpdateItem. */
  async backOff(target: string, bucketId: string, { holder, until }: TargetLease): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: { target, bucket_id: bucketId },
      update: 'SET #until = :until REMOVE #holder ADD #failures :one',
      condition: '#holder = :holder',
      attributes: ['until', 'holder', 'failures'],
      values: { ':until': until, ':holder': holder, ':one': 1 },
    });
  }

  /** AWS calls: 1 DeleteItem. */
  async remove(target: string, bucketId: string): Promise<void> {
    await this.client.send(
      new DeleteItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: bucketId }),
      }),
    );
  }
}

function targetCursor(item: Item): TargetCursor {
  const { bucket_id: id, bucket: name, cursor, failures = 0 } = fromItem<CursorFields>(item);
  return { bucket: { name, id }, cursor, failures };
}
