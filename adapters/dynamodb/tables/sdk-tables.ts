import {
  BatchGetItemCommand,
  type BatchGetItemInput,
  BatchWriteItemCommand,
  type BatchWriteItemInput,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemInput,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  type GetItemInput,
  PutItemCommand,
  type PutItemInput,
  QueryCommand,
  type QueryInput,
  ScanCommand,
  type ScanInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type TransactWriteItemsInput,
  UpdateItemCommand,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import { AwsError } from '../../aws/aws-error';
import { DynamoError } from './dynamo-error';
import type { DynamoTables } from './dynamo-tables';

/** The SDK's client. */
export class SdkTables implements DynamoTables {
  constructor(private readonly client: DynamoDBClient) {}

  getItem(input: GetItemInput) {
    return translated(this.client.send(new GetItemCommand(input)));
  }

  query(input: QueryInput) {
    return translated(this.client.send(new QueryCommand(input)));
  }

  scan(input: ScanInput) {
    return translated(this.client.send(new ScanCommand(input)));
  }

  putItem(input: PutItemInput) {
    return translated(this.client.send(new PutItemCommand(input)));
  }

  updateItem(input: UpdateItemInput) {
    return translated(this.client.send(new UpdateItemCommand(input)));
  }

  deleteItem(input: DeleteItemInput) {
    return translated(this.client.send(new DeleteItemCommand(input)));
  }

  batchGetItem(input: BatchGetItemInput) {
    return translated(this.client.send(new BatchGetItemCommand(input)));
  }

  batchWriteItem(input: BatchWriteItemInput) {
    return translated(this.client.send(new BatchWriteItemCommand(input)));
  }

  transactWriteItems(input: TransactWriteItemsInput) {
    return translated(this.client.send(new TransactWriteItemsCommand(input)));
  }
}

async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw translation(error);
  }
}

/** An error without metadata comes from before the first attempt, and stays as it is. */
function translation(error: unknown): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const { name, message, cause = error } = error;
  const { $metadata, code } = error as {
    readonly $metadata: { readonly httpStatusCode?: number; readonly requestId?: string };
    readonly code?: string;
  };
  const { httpStatusCode: status, requestId } = $metadata;
  if (!(error instanceof DynamoDBServiceException)) {
    return new AwsError(name, { message, status, requestId, code, cause });
  }
  return new DynamoError(name, {
    ...{ message, status, requestId, cause },
    ...(error instanceof ConditionalCheckFailedException && { item: error.Item }),
    ...(error instanceof TransactionCanceledException && {
      cancellationReasons: error.CancellationReasons,
    }),
  });
}
