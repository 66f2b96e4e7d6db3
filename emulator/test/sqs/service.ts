import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { allowAll } from '../../src/iam/allow-all';
import { type Sqs, type SqsOptions, startSqs } from '../../src/services/sqs/sqs';
import { DEAD, WORK } from './queues';

export { DEAD, define, WORK } from './queues';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (let undo = cleanups.pop(); undo !== undefined; undo = cleanups.pop()) await undo();
});

/** Runs after the test, the latest first. */
export function cleanUp(undo: () => unknown): void {
  cleanups.push(undo);
}

export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-sqs-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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
  cleanUp(() => service.stop());
  return service;
}

/** A client of the AWS SDK with the developer's credentials. */
export function useClient(endpoint: string, config: SQSClientConfig = {}): SQSClient {
  const client = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: allowAll().root,
    maxAttempts: 1,
    ...config,
  });
  cleanUp(() => client.destroy());
  return client;
}

export function urlOf({ endpoint }: { readonly endpoint: string }, queue = WORK): string {
  return `${endpoint}/000000000000/${queue.name}`;
}

/** What a promise rejects with, as a plain object. */
export async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...error, name: error.name, message: error.message };
  }
  throw new Error('it did not fail');
}
