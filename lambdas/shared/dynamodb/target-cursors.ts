import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { BucketRef } from '../../../core/bucket-ref';
import type {
  Registration,
  TargetCursor,
  TargetCursors,
  TargetLease,
} from '../../../core/targets/ports';
import { guardedUpdate } from './guarded-update';
import { fromItem, type Item, names, toItem } from './items/attributes';

/** Sort key of the item that says since when a target is there. No bucket id contains `#`. */
const ENROLMENT = '#enrolment';

interface PositionFields {
  readonly bucket_id: string;
  readonly bucket: string;
  readonly cursor: number;
  readonly failures?: number;
}

/** The Positions port on the Positions table: docs/design.md, "Tables". */
export class DynamoTargetCursors implements TargetCursors {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** 1 UpdateItem. */
  async register(target: string, now: number): Promise<Registration> {
    const { Attributes = {} } = await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: ENROLMENT }),
        UpdateExpression: 'SET #since = if_not_exists(#since, :now)',
        ExpressionAttributeNames: names('since'),
        ExpressionAttributeValues: toItem({ ':now': now }),
        ReturnValues: 'ALL_NEW',
      }),
    );
    const { since, complete } = fromItem<{ since: number; complete?: number }>(Attributes);
    return { since, complete: complete === 1 };
  }

  /** 1 UpdateItem. */
  async completeRegistration(target: string): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: { target, bucket_id: ENROLMENT },
      update: 'SET #complete = :one',
      condition: 'attribute_exists(#since)',
      attributes: ['complete', 'since'],
      values: { ':one': 1 },
    });
  }

  /** 1 UpdateItem. */
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

  /** 1 GetItem, consistent. */
  async get(target: string, bucketId: string): Promise<TargetCursor | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: bucketId }),
        ConsistentRead: true,
      }),
    );
    return Item && position(Item);
  }

  /** 1 consistent Query per 1 MB, which is thousands of positions. */
  async list(target: string): Promise<readonly TargetCursor[]> {
    const positions: TargetCursor[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: '#target = :target AND #bucket_id > :enrolment',
        ExpressionAttributeNames: names('target', 'bucket_id'),
        ExpressionAttributeValues: toItem({ ':target': target, ':enrolment': ENROLMENT }),
      },
    );
    for await (const { Items = [] } of pages) positions.push(...Items.map(position));
    return positions;
  }

  /** 1 UpdateItem. */
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
    return item && position(item);
  }

  /** 1 UpdateItem. A repetition of one that was carried out, but not answered, answers false. */
  async advance(
    target: string,
    bucketId: string,
    step: {
      readonly from: number;
      readonly to: number;
      readonly holder: string;
      readonly until?: number;
    },
  ): Promise<boolean> {
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
      attributes: ['cursor', 'holder', ...(until === undefined ? [] : ['until']), ...removed],
      values: {
        ':from': from,
        ':to': to,
        ':holder': holder,
        ...(until !== undefined && { ':until': until }),
      },
    });
    return moved !== undefined;
  }

  /** 1 UpdateItem. */
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

  /** 1 DeleteItem. */
  async remove(target: string, bucketId: string): Promise<void> {
    await this.client.send(
      new DeleteItemCommand({
        TableName: this.table,
        Key: toItem({ target, bucket_id: bucketId }),
      }),
    );
  }
}

function position(item: Item): TargetCursor {
  const { bucket_id: id, bucket: name, cursor, failures = 0 } = fromItem<PositionFields>(item);
  return { bucket: { name, id }, cursor, failures };
}
