import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { AwsError, type AwsErrorFields } from '../../aws/aws-error';
import type { Item } from '../items/attributes';

interface DynamoErrorFields extends AwsErrorFields {
  readonly cancellationReasons?: readonly CancellationReason[];
  readonly item?: Item;
}

/** A call that DynamoDB refused. `name` is DynamoDB's name of the error. */
export class DynamoError extends AwsError {
  /** One for each write of a transaction that was cancelled, in their order; else none. */
  readonly cancellationReasons: readonly CancellationReason[];
  /** The item for which the condition failed, if the call asked for it and there is one. */
  readonly item?: Item;

  constructor(name: string, { cancellationReasons = [], item, ...fields }: DynamoErrorFields) {
    super(name, fields);
    this.cancellationReasons = cancellationReasons;
    this.item = item;
  }
}

/** Whether the condition of a call that writes one item did not hold. */
export function isConditionFailed(error: unknown): error is DynamoError {
  return error instanceof DynamoError && error.name === 'ConditionalCheckFailedException';
}

/** Whether a transaction was cancelled; it wrote nothing. */
export function isCancelled(error: unknown): error is DynamoError {
  return error instanceof DynamoError && error.name === 'TransactionCanceledException';
}
