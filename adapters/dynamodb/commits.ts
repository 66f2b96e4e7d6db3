import {
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionInProgressException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { BucketRef } from '../../core/bucket-ref';
import { LIMITS } from '../../core/limits';
import { entryOf } from '../../core/log/entries';
import type { Change, ChangeEntry, Commit, CommitOutcome, Commits } from '../../core/log/ports';
import type { ObjectRecord } from '../../core/store/objects';
import { changeEntry, changeItem } from './change-log';
import { failedConditions, isContended, isThrottled, reasonsOf } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { epochSeconds, idempotencyPut } from './idempotency-records';
import { names, toItem } from './items/attributes';
import { recordKey } from './items/bucket-item';
import { objectItem } from './items/object-item';

export interface CommitTables {
  readonly buckets: string;
  readonly changes: string;
  readonly objects: string;
  readonly uploads: string;
}

/** One write of the transaction, and the part of the change that it writes. */
interface Write {
  readonly of: 'entry' | 'record' | 'upload' | 'idempotency';
  readonly item: TransactWriteItem;
}

/**
 * The Commits port: the bucket's counter in the Buckets table, and one transaction over the
 * Changes, Objects and Uploads tables.
 */
export class DynamoCommits implements Commits {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: CommitTables,
  ) {}

  /** AWS calls: 1 UpdateItem. */
  async allocate(
    { name, id }: BucketRef,
    count = 1,
    ifCursor?: number,
  ): Promise<number | undefined> {
    const isAt = ifCursor === undefined ? '' : ' AND #cursor = :cursor';
    const counted = await guardedUpdate(this.client, {
      table: this.tables.buckets,
      key: recordKey(name),
      update: 'ADD #cursor :count',
      condition: `#id = :id AND attribute_not_exists(#closing_at)${isAt}`,
      attributes: ['cursor', 'id', 'closing_at'],
      values: { ':count': count, ':id': id, ':cursor': ifCursor },
    });
    return counted && Number(counted.cursor?.N) - count + 1;
  }

  /**
   * AWS calls: 1 TransactWriteItems of 2 items for each change and 1 for each upload and the
   * idempotency record. Throws when the request itself is wrong (a token used for another change, a
   * missing grant): repeating it would not help.
   */
  async commit(commit: Commit): Promise<CommitOutcome> {
    const writes = this.writes(commit);
    try {
      await this.client.send(
        new TransactWriteItemsCommand({
          TransactItems: writes.map(({ item }) => item),
          ClientRequestToken: commit.token,
        }),
      );
      return { result: 'committed' };
    } catch (error) {
      return outcomeOf(error, writes);
    }
  }

  /**
   * Determined by the commit alone: a repeated attempt with the same token must be the same
   * request.
   */
  private writes(commit: Commit): Write[] {
    const { changes, at, idempotency } = commit;
    const writes = changes.flatMap((change) => this.writesOf(commit, change));
    if (idempotency !== undefined) {
      const item = idempotencyPut(this.tables.uploads, idempotency, epochSeconds(at));
      writes.push({ of: 'idempotency', item });
    }
    return writes;
  }

  private writesOf(commit: Commit, change: Change): Write[] {
    const { bucketId } = commit;
    const { object, previous, uploadId } = change;
    const writes: Write[] = [
      { of: 'entry', item: this.entryPut(bucketId, entryOf(commit, change)) },
      { of: 'record', item: this.recordPut(bucketId, object, previous) },
    ];
    if (uploadId !== undefined) {
      writes.push({ of: 'upload', item: this.uploadUpdate(uploadId, object, commit.at) });
    }
    return writes;
  }

  private entryPut(bucketId: string, entry: ChangeEntry): TransactWriteItem {
    return {
      Put: {
        TableName: this.tables.changes,
        Item: changeItem(bucketId, entry),
        ConditionExpression: 'attribute_not_exists(#shard)',
        ExpressionAttributeNames: names('shard'),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  /**
   * The condition keeps versions in cursor order: the stored record is the one that was read, and
   * its cursor is below that of this change.
   */
  private recordPut(
    bucketId: string,
    object: ObjectRecord,
    previous: ObjectRecord | undefined,
  ): TransactWriteItem {
    const write = {
      TableName: this.tables.objects,
      Item: objectItem(bucketId, object),
    };
    if (previous === undefined) {
      const ExpressionAttributeNames = names('key');
      const ConditionExpression = 'attribute_not_exists(#key)';
      return { Put: { ...write, ConditionExpression, ExpressionAttributeNames } };
    }
    return {
      Put: {
        ...write,
        // Compares cursors, not versions: versions start again at 1 after a tombstone is trimmed.
        ConditionExpression: '#cursor = :read AND #cursor < :cursor',
        ExpressionAttributeNames: names('cursor'),
        ExpressionAttributeValues: toItem({ ':read': previous.cursor, ':cursor': object.cursor }),
      },
    };
  }

  private uploadUpdate(
    id: string,
    { version, cursor }: ObjectRecord,
    at: string,
  ): TransactWriteItem {
    return {
      Update: {
        TableName: this.tables.uploads,
        Key: toItem({ id }),
        UpdateExpression:
          'SET #state = :committed, #version = :version, #cursor = :cursor, #ttl = :ttl REMOVE #open',
        ConditionExpression: '#state IN (:pending, :staged)',
        ExpressionAttributeNames: names('state', 'version', 'cursor', 'ttl', 'open'),
        ExpressionAttributeValues: toItem({
          ':committed': 'committed',
          ':version': version,
          ':cursor': cursor,
          ':ttl': epochSeconds(at) + LIMITS.uploadRowSeconds,
          ':pending': 'pending',
          ':staged': 'staged',
        }),
      },
    };
  }
}

function outcomeOf(error: unknown, writes: readonly Write[]): CommitOutcome {
  if (error instanceof TransactionCanceledException) return refusalOf(error, writes);
  if (isUnknown(error)) return { result: 'unknown', cause: error };
  throw error;
}

/**
 * The outcome of a cancelled transaction, which wrote nothing. Its reasons are in the order of the
 * writes. After contention alone no condition is known to have failed: no flag is set, and the
 * caller reads again and repeats.
 */
function refusalOf(error: TransactionCanceledException, writes: readonly Write[]): CommitOutcome {
  const positions = failedConditions(error);
  if (positions.length === 0 && !isContended(error)) throw error;
  const failed = positions.map((position) => writes[position]?.of);
  const taken = reasonsOf(error).find(
    ({ Item }, position) => Item !== undefined && writes[position]?.of === 'entry',
  )?.Item;
  if (failed.includes('entry') && taken === undefined) throw error;
  return {
    result: 'refused',
    ...(taken && { taken: changeEntry(taken) }),
    changed: failed.includes('record'),
    settled: failed.includes('upload'),
    isDuplicate: failed.includes('idempotency'),
    ...(isThrottled(error) && { isThrottled: true }),
  };
}

/**
 * Reports whether the transaction may have happened although the call failed: without a response,
 * with one that cannot be read, with a 5xx, or when an earlier attempt may have succeeded or be in
 * flight. Any other response is about the request itself. An error without metadata is from before
 * the first attempt.
 */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode = 0, attempts = 1 } = error.$metadata as {
    readonly httpStatusCode?: number;
    readonly attempts?: number;
  };
  return (
    attempts > 1 ||
    httpStatusCode < 400 ||
    httpStatusCode >= 500 ||
    error instanceof TransactionInProgressException
  );
}
