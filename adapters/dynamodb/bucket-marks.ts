/** The updates of a bucket's stats: its marks, its counters and the lease to push its changes. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { BucketRef } from '../../core/bucket-ref';
import { latestEnd } from '../../core/log/push-lease';
import type { CounterCorrection, PublishedStep, StoredPushLease } from '../../core/store/buckets';
import { guardedUpdate } from './guarded-update';
import { statsKey } from './items/bucket-item';

/** The part of the Buckets port that updates the stats of buckets. */
export class BucketMarks {
  constructor(
    protected readonly client: DynamoDBClient,
    protected readonly table: string,
  ) {}

  /** AWS calls: 1 UpdateItem. */
  async movePublished({ name, id }: BucketRef, step: PublishedStep): Promise<boolean> {
    const { from, to, objects, bytes, digest, endsLease = false } = step;
    const moved = await guardedUpdate(this.client, {
      table: this.table,
      key: statsKey(name),
      update: [
        `SET #delivered = :to${digest ? ', #digest = :digest' : ''}`,
        'ADD #object_count :objects, #total_size :bytes',
        ...(endsLease ? ['REMOVE #pusher, #push_until'] : []),
      ].join(' '),
      condition: '#id = :id AND #delivered = :from',
      attributes: [
        ...['delivered', 'object_count', 'total_size', 'id'],
        ...(digest ? ['digest'] : []),
        ...(endsLease ? ['pusher', 'push_until'] : []),
      ],
      values: {
        ...{ ':from': from, ':to': to, ':objects': objects, ':bytes': bytes, ':id': id },
        ...(digest && { ':digest': { ...digest, at: to } }),
      },
    });
    return moved !== undefined;
  }

  /** AWS calls: 1 UpdateItem. */
  async acquirePushLease(
    { name, id }: BucketRef,
    { holder, until, now, published }: StoredPushLease & { now: number; published: number },
  ): Promise<boolean> {
    const free = [
      'attribute_not_exists(#push_until)',
      '#pusher = :holder',
      'NOT #push_until BETWEEN :now AND :latest',
    ].join(' OR ');
    const acquired = await guardedUpdate(this.client, {
      table: this.table,
      key: statsKey(name),
      update: 'SET #pusher = :holder, #push_until = :until',
      condition: `#id = :id AND #delivered = :published AND (${free})`,
      attributes: ['pusher', 'push_until', 'id', 'delivered'],
      values: {
        ':holder': holder,
        ':until': until,
        ':id': id,
        ':published': published,
        ':now': now,
        ':latest': latestEnd(now),
      },
    });
    return acquired !== undefined;
  }

  /** AWS calls: 1 UpdateItem. */
  async extendPushLease(
    { name, id }: BucketRef,
    { holder, until }: StoredPushLease,
  ): Promise<boolean> {
    const extended = await guardedUpdate(this.client, {
      table: this.table,
      key: statsKey(name),
      update: 'SET #push_until = :until',
      condition: '#id = :id AND #pusher = :holder',
      attributes: ['pusher', 'push_until', 'id'],
      values: { ':holder': holder, ':until': until, ':id': id },
    });
    return extended !== undefined;
  }

  /** AWS calls: 1 UpdateItem. */
  async raiseOldest(bucket: BucketRef, oldest: number): Promise<void> {
    await this.raise(bucket, 'oldest', oldest);
  }

  /** AWS calls: 1 UpdateItem. */
  async raiseTrimmed(bucket: BucketRef, trimmed: number): Promise<void> {
    await this.raise(bucket, 'trimmed', trimmed);
  }

  /** AWS calls: 1 UpdateItem. */
  async correct(
    { name, id }: BucketRef,
    { asOf, objects, bytes }: CounterCorrection,
  ): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: statsKey(name),
      update: 'SET #corrected = :as_of ADD #object_count :objects, #total_size :bytes',
      condition: '#id = :id AND (attribute_not_exists(#corrected) OR #corrected < :as_of)',
      attributes: ['object_count', 'total_size', 'id', 'corrected'],
      values: { ':objects': objects, ':bytes': bytes, ':id': id, ':as_of': asOf },
    });
  }

  private async raise({ name, id }: BucketRef, mark: 'oldest' | 'trimmed', to: number) {
    await guardedUpdate(this.client, {
      table: this.table,
      key: statsKey(name),
      update: `SET #${mark} = :to`,
      condition: `#id = :id AND #${mark} < :to`,
      attributes: [mark, 'id'],
      values: { ':to': to, ':id': id },
    });
  }
}
