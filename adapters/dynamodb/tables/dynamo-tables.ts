import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  BatchWriteItemInput,
  BatchWriteItemOutput,
  DeleteItemInput,
  DeleteItemOutput,
  GetItemInput,
  GetItemOutput,
  PutItemInput,
  PutItemOutput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
  UpdateItemInput,
  UpdateItemOutput,
} from '@aws-sdk/client-dynamodb';

/**
 * The operations of DynamoDB that the stores use, with the inputs and outputs of its API. Each
 * throws a DynamoError when DynamoDB refuses the call and an AwsError when no response comes, after
 * repeating it where that may help. Binary values are not supported: items hold none.
 *
 * HttpTables is what functions use. SdkTables is for the commands, whose credentials come from
 * profiles, and the reference: test/lambdas/shared/dynamodb/tables/ compares the two.
 */
export interface DynamoTables {
  getItem(input: GetItemInput): Promise<GetItemOutput>;
  query(input: QueryInput): Promise<QueryOutput>;
  scan(input: ScanInput): Promise<ScanOutput>;
  putItem(input: PutItemInput): Promise<PutItemOutput>;
  updateItem(input: UpdateItemInput): Promise<UpdateItemOutput>;
  deleteItem(input: DeleteItemInput): Promise<DeleteItemOutput>;
  batchGetItem(input: BatchGetItemInput): Promise<BatchGetItemOutput>;
  batchWriteItem(input: BatchWriteItemInput): Promise<BatchWriteItemOutput>;
  /** Without a token it gets a random one, so that repeating it changes nothing more. */
  transactWriteItems(input: TransactWriteItemsInput): Promise<TransactWriteItemsOutput>;
}

/** The pages of a query, one call each. */
export async function* queryPages(
  tables: DynamoTables,
  input: QueryInput,
): AsyncGenerator<QueryOutput> {
  for (let start = input.ExclusiveStartKey; ; ) {
    const page = await tables.query({ ...input, ExclusiveStartKey: start });
    yield page;
    start = page.LastEvaluatedKey;
    if (start === undefined) return;
  }
}

/** The pages of a scan, one call each. */
export async function* scanPages(
  tables: DynamoTables,
  input: ScanInput,
): AsyncGenerator<ScanOutput> {
  for (let start = input.ExclusiveStartKey; ; ) {
    const page = await tables.scan({ ...input, ExclusiveStartKey: start });
    yield page;
    start = page.LastEvaluatedKey;
    if (start === undefined) return;
  }
}
