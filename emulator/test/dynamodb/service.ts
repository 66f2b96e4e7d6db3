import { DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { allowAll } from '../../src/iam/allow-all';
import {
  type DynamoDb,
  type DynamoDbOptions,
  startDynamoDb,
} from '../../src/services/dynamodb/dynamodb';
import { type StreamRecord, shardId } from '../../src/services/events/stream-source';
import { afterTest, useFolder } from '../support/clean-up';
import { sharedEngine } from '../support/engine';
import { ACCOUNT, LOG, LOG_STREAM, NOTES, REGION } from './tables';

export { ACCOUNT, LOG, LOG_STREAM, NOTES, REGION, tableArn } from './tables';

/** The first shard of the stream of LOG. A service has no other unless the test asks for more. */
export const LOG_SHARD = { streamArn: LOG_STREAM, shardId: shardId(1) };

/**
 * Starts a service, which is stopped after the test. It has an engine of its own when the test
 * chooses its data folder, and otherwise the engine that the file shares.
 */
export async function useService(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDb> {
  const engineEndpoint = options.dataDir === undefined ? await sharedEngine() : undefined;
  const service = await startDynamoDb({
    engineEndpoint,
    tables: [NOTES, LOG],
    dataDir: options.dataDir ?? useFolder(),
    iam: allowAll(),
    region: REGION,
    accountId: ACCOUNT,
    port: 0,
    ...options,
    streamDisorder: { seed: 0, shards: 1, ...options.streamDisorder },
  });
  afterTest(() => service.stop());
  return service;
}

/** A client of the AWS SDK with the developer's credentials. */
export function useClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDB {
  const client = new DynamoDB({
    endpoint,
    region: REGION,
    credentials: allowAll().root,
    maxAttempts: 1,
    ...config,
  });
  afterTest(() => client.destroy());
  return client;
}

export async function useClientOf(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDB> {
  return useClient((await useService(options)).endpoint);
}

export async function allRecords(service: DynamoDb): Promise<readonly StreamRecord[]> {
  return service.streams.read(LOG_SHARD, undefined, 10_000);
}
