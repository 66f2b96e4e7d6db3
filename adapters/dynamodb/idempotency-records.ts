/**
 * The rows of idempotency records, in the Uploads table. `idempotencyPut` writes them: in the
 * transaction that makes the change (commits.ts, buckets.ts, uploads.ts), or alone for a response
 * without a change.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { IdempotencyRecord } from '../../core/store/uploads';
import { fromItem, type Item, names, toItem } from './items/attributes';
import type { UploadKind } from './items/upload-item';

interface IdempotencyFields {
  readonly id: string;
  readonly kind: UploadKind;
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ttl: number;
}

/**
 * The write of a record. Its condition fails while there is a record with this id. One that expired
 * by `now` (epoch seconds) does not count: DynamoDB deletes expired items only within days.
 */
export function idempotencyPut(
  table: string,
  record: IdempotencyRecord,
  now: number,
): Required<Pick<TransactWriteItem, 'Put'>> {
  const { id, fingerprint, status, headers, body, expiresAt } = record;
  const kind: UploadKind = 'replay';
  return {
    Put: {
      TableName: table,
      Item: toItem({ id, kind, fingerprint, status, headers, body, ttl: expiresAt }),
      ConditionExpression: 'attribute_not_exists(#id) OR #ttl <= :now',
      ExpressionAttributeNames: names('id', 'ttl'),
      ExpressionAttributeValues: toItem({ ':now': now }),
    },
  };
}

/**
 * The writes for a record that not every request has. `table`: absent in functions whose requests
 * never have one.
 */
export function idempotencyPuts(
  table: string | undefined,
  record: IdempotencyRecord | undefined,
  now: number,
): Required<Pick<TransactWriteItem, 'Put'>>[] {
  if (record === undefined) return [];
  if (table === undefined) throw new Error('idempotency needs the Uploads table');
  return [idempotencyPut(table, record, now)];
}

/** The record in a row, or undefined when the row is an upload. */
export function idempotencyRecord(item: Item): IdempotencyRecord | undefined {
  const { id, kind, fingerprint, status, headers, body, ttl } = fromItem<IdempotencyFields>(item);
  if (kind !== 'replay') return undefined;
  return { id, fingerprint, status, headers, body, expiresAt: ttl };
}

/** Epoch seconds of an ISO date. */
export function epochSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
