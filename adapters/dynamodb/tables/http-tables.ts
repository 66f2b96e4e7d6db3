import { randomUUID } from 'node:crypto';
import type {
  BatchGetItemInput,
  BatchWriteItemInput,
  DeleteItemInput,
  GetItemInput,
  PutItemInput,
  QueryInput,
  ScanInput,
  TransactWriteItemsInput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import { AwsClient, type AwsClientOptions, type AwsResponse } from '../../aws/aws-client';
import { AwsError } from '../../aws/aws-error';
import { DynamoError } from './dynamo-error';
import type { DynamoTables } from './dynamo-tables';

/** Calls take milliseconds, so a slow attempt is repeated early. */
const TIMEOUTS = { connection: 1_000, request: 3_000 };

/** The SDK's for DynamoDB. */
const RETRY_WAIT_MS = 25;

/**
 * DynamoDB's JSON protocol over AwsClient. Inputs are sent and outputs returned as they are: in
 * JSON, attribute values look as in the API. The SDK's client walks a schema of them, both ways,
 * which is more than half of the processor time of a list.
 */
export class HttpTables implements DynamoTables {
  private readonly client: AwsClient;

  constructor(options: Partial<AwsClientOptions> = {}) {
    this.client = new AwsClient({
      timeouts: TIMEOUTS,
      retryWaitMs: RETRY_WAIT_MS,
      ...options,
      service: 'dynamodb',
      parseError,
    });
  }

  getItem = (input: GetItemInput) => this.call('GetItem', input);
  query = (input: QueryInput) => this.call('Query', input);
  scan = (input: ScanInput) => this.call('Scan', input);
  putItem = (input: PutItemInput) => this.call('PutItem', input);
  updateItem = (input: UpdateItemInput) => this.call('UpdateItem', input);
  deleteItem = (input: DeleteItemInput) => this.call('DeleteItem', input);
  batchGetItem = (input: BatchGetItemInput) => this.call('BatchGetItem', input);
  batchWriteItem = (input: BatchWriteItemInput) => this.call('BatchWriteItem', input);

  transactWriteItems({ ClientRequestToken = randomUUID(), ...input }: TransactWriteItemsInput) {
    return this.call('TransactWriteItems', { ...input, ClientRequestToken });
  }

  /** JSON.parse is trusted to return the output of the operation. */
  private async call(operation: string, input: object) {
    const response = await this.client.call({
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
      },
      body: JSON.stringify(input),
    });
    try {
      return JSON.parse(response.body.toString());
    } catch (cause) {
      // With the status: the call may have had its effect.
      throw new AwsError('MalformedResponse', { ...metadata(response), cause });
    }
  }
}

/** The error of a response, which names it as `com.amazonaws.dynamodb.v20120810#Name`. */
function parseError(response: AwsResponse): AwsError {
  const fields = errorFields(response.body);
  const { __type, message, Message, CancellationReasons, Item } = fields;
  const name = typeof __type === 'string' ? __type.replace(/^.*#/, '') : 'UnknownError';
  return new DynamoError(name, {
    ...metadata(response),
    message: message ?? Message,
    cancellationReasons: CancellationReasons,
    item: Item,
  });
}

/** None if the body is not of DynamoDB: of a load balancer in front of it, for example. */
function errorFields(body: Buffer) {
  try {
    return JSON.parse(body.toString()) ?? {};
  } catch {
    return {};
  }
}

function metadata({ status, headers }: AwsResponse) {
  const requestId = headers['x-amzn-requestid'];
  return { status, ...(typeof requestId === 'string' && { requestId }) };
}
