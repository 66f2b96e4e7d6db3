/**
 * What the Subscriptions contract runs on: the fake, and the adapter on every DynamoDB engine there
 * is.
 */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Subscriptions } from '../../core/channel/ports';
import { DynamoSubscriptions } from '../../lambdas/shared/dynamodb/subscriptions';
import { startDynamoEngine } from '../support/dynamo-engine';
import { createFakes } from '../support/fakes/fakes';
import { createTables, deleteTables } from '../support/tables';

export interface SubscriptionsSubject {
  readonly subscriptions: Subscriptions;
  close(): Promise<void>;
}

// The engines share the machine with whatever else is tested at the time.
jest.setTimeout(30_000);

export type OpenSubscriptions = () => Promise<SubscriptionsSubject>;

const { DYNAMODB_CONTRACT_ENDPOINT } = process.env;

/** [name, open] of each. */
export const subscriptionSubjects: readonly (readonly [string, OpenSubscriptions])[] = [
  ['fake', async () => ({ subscriptions: createFakes().subscriptions, close: async () => {} })],
  ['adapter on the default engine', openEngine],
  ...(DYNAMODB_CONTRACT_ENDPOINT
    ? [
        [
          'adapter on DYNAMODB_CONTRACT_ENDPOINT',
          () => openEndpoint(DYNAMODB_CONTRACT_ENDPOINT, async () => {}),
        ] as const,
      ]
    : []),
];

async function openEngine(): Promise<SubscriptionsSubject> {
  const engine = await startDynamoEngine();
  return openEndpoint(engine.endpoint, engine.stop);
}

async function openEndpoint(
  endpoint: string,
  stop: () => Promise<void>,
): Promise<SubscriptionsSubject> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'contract', secretAccessKey: 'contract' },
  });
  const tables = await createTables(client, `contract-${randomBytes(6).toString('hex')}`);
  return {
    subscriptions: new DynamoSubscriptions(client, tables.subscriptions),
    close: async () => {
      await deleteTables(client, tables);
      client.destroy();
      await stop();
    },
  };
}
