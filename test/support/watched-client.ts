import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';

/** `GetItem`, `PutObject` … just before it leaves and just after its response came. */
export type WatchCall = (call: string, when: 'before' | 'after') => Promise<void> | void;

type AnyClient = ApiGatewayManagementApiClient | DynamoDBClient | S3Client | SQSClient;

/** Watches each call of the client. An error that `watch` throws is that of the call. */
export function watchCalls<Client extends AnyClient>(client: Client, watch: WatchCall): Client {
  (client as DynamoDBClient).middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const name = commandName.replace(/Command$/, '');
        await watch(name, 'before');
        const response = await next(call);
        await watch(name, 'after');
        return response;
      },
    { step: 'initialize', priority: 'high' },
  );
  return client;
}
