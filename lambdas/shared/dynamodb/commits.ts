import {
  type DynamoDBClient,
  DynamoDBServiceException,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Change, ChangeEntry, CommitOutcome, Commits } from '../../../core/log/ports';
import type { ObjectRecord } from '../../../core/objects/ports';
import { failedConditions, isContended } from './conflicts';
import { names, toItem } from './items/attributes';
import { changeEntry, changeItem } from './items/change-item';
import { objectFields } from './items/object-item';
import { epochSeconds, replayPut } from './items/upload-item';

export interface CommitTables {
  readonly changes: string;
  readonly objects: string;
  readonly uploads: string;
}

/** One write of the transaction, and what of the change it is for. */
interface Write {
  readonly of: 'entry' | 'record' | 'upload' | 'replay';
  readonly item: TransactWriteItem;
}

/** The Commits port: one transaction over the Changes, Objects and Uploads tables. */
export class DynamoCommits implements Commits {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly tables: CommitTables,
  ) {}

  /**
   * 1 TransactWriteItems of 2 items, one more for each of upload and replay. Throws when the
   * request itself is wrong (a token used for another change, a missing grant): no repetition would
   * help.
   */
  async commit(change: Change): Promise<CommitOutcome> {
    const writes = this.writes(change);
    try {
      await this.client.send(
        new TransactWriteItemsCommand({
          TransactItems: writes.map(({ item }) => item),
          ClientRequestToken: change.token,
        }),
      );
      return { result: 'committed' };
    } catch (error) {
      return outcomeOf(error, writes);
    }
  }

  /**
   * Everything in here follows from the change alone: a repeated attempt under the same token must
   * be the same request.
   */
  private writes(change: Change): Write[] {
    const { bucketId, object, at, previous, uploadId, idempotency } = change;
    const { bucket, cursor } = object;
    const type = object.state === 'live' ? 'put' : 'delete';
    const entry = { type, bucket, cursor, at, object, previous } as const;
    const writes: Write[] = [
      { of: 'entry', item: this.entryPut(bucketId, entry) },
      { of: 'record', item: this.recordPut(bucketId, object, previous) },
    ];
    if (uploadId !== undefined) writes.push({ of: 'upload', item: this.uploadUpdate(uploadId) });
    if (idempotency !== undefined) {
      const item = replayPut(this.tables.uploads, idempotency, epochSeconds(at));
      writes.push({ of: 'replay', item });
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
   * The rule that keeps versions in cursor order: the record is the one that was read, and older
   * than this change.
   */
  private recordPut(
    bucketId: string,
    object: ObjectRecord,
    previous: ObjectRecord | undefined,
  ): TransactWriteItem {
    const write = {
      TableName: this.tables.objects,
      Item: toItem({ bucket_id: bucketId, ...objectFields(object) }),
    };
    if (previous === undefined) {
      const ExpressionAttributeNames = names('key');
      const ConditionExpression = 'attribute_not_exists(#key)';
      return { Put: { ...write, ConditionExpression, ExpressionAttributeNames } };
    }
    return {
      Put: {
        ...write,
        // A version may come again after a trimmed tombstone; a cursor never does.
        ConditionExpression: '#cursor = :read AND #cursor < :cursor',
        ExpressionAttributeNames: names('cursor'),
        ExpressionAttributeValues: toItem({ ':read': previous.cursor, ':cursor': object.cursor }),
      },
    };
  }

  private uploadUpdate(id: string): TransactWriteItem {
    return {
      Update: {
        TableName: this.tables.uploads,
        Key: toItem({ id }),
        UpdateExpression: 'SET #state = :committed',
        ConditionExpression: '#state = :pending',
        ExpressionAttributeNames: names('state'),
        ExpressionAttributeValues: toItem({ ':committed': 'committed', ':pending': 'pending' }),
      },
    };
  }
}

function outcomeOf(error: unknown, writes: readonly Write[]): CommitOutcome {
  if (error instanceof TransactionCanceledException) return refusalOf(error, writes);
  if (isOpen(error)) return { result: 'unknown', cause: error };
  throw error;
}

/**
 * A cancelled transaction wrote nothing, and the reasons say in the order of the writes what each
 * met. When it was contention alone, nothing is known of the rules: no flag is set, and the caller
 * reads again and repeats.
 */
function refusalOf(error: TransactionCanceledException, writes: readonly Write[]): CommitOutcome {
  const positions = failedConditions(error);
  if (positions.length === 0 && !isContended(error)) throw error;
  const failed = positions.map((position) => writes[position]?.of);
  const taken = error.CancellationReasons?.[0]?.Item;
  if (failed.includes('entry') && taken === undefined) throw error;
  return {
    result: 'refused',
    ...(taken && { taken: changeEntry(taken) }),
    changed: failed.includes('record'),
    settled: failed.includes('upload'),
    replayed: failed.includes('replay'),
  };
}

/**
 * Errors by which DynamoDB turned down the last attempt, while an earlier one of the SDK's may have
 * been done or be in flight.
 */
const TURNED_DOWN = new Set([
  'TransactionInProgressException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
]);

/**
 * Whether the transaction may have happened although the call failed: a time-out, a broken
 * connection, a 5xx. Any other answer of DynamoDB is about the request itself; and an error without
 * metadata is ours, from before the first attempt.
 */
function isOpen(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DynamoDBServiceException) {
    return error.$fault === 'server' || TURNED_DOWN.has(error.name);
  }
  return '$metadata' in error;
}
