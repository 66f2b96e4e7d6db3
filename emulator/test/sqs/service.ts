import { SQS, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { allowAll } from '../../src/iam/allow-all';
import { type Sqs, type SqsOptions, startSqs } from '../../src/services/sqs/sqs';
import { afterTest, useFolder } from '../support/clean-up';
import { DEAD, WORK } from './queues';

export { DEAD, define, WORK } from './queues';

export async function useService(options: Partial<SqsOptions> = {}): Promise<Sqs> {
  const service = await startSqs({
    queues: [WORK, DEAD],
    dataDir: options.dataDir ?? useFolder(),
    iam: allowAll(),
    region: 'us-east-1',
    accountId: '000000000000',
    port: 0,
    ...options,
  });
  afterTest(() => service.stop());
  return service;
}

/** A client of the AWS SDK with the developer's credentials. */
export function useClient(endpoint: string, config: SQSClientConfig = {}): SQS {
  const client = new SQS({
    endpoint,
    region: 'us-east-1',
    credentials: allowAll().root,
    maxAttempts: 1,
    ...config,
  });
  afterTest(() => client.destroy());
  return client;
}

export function urlOf({ endpoint }: { readonly endpoint: string }, queue = WORK): string {
  return `${endpoint}/000000000000/${queue.name}`;
}
