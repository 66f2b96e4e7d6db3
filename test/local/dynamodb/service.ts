import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { allowAll } from '../../../local/iam/allow-all';
import {
  type DynamoDb,
  type DynamoDbOptions,
  startDynamoDb,
} from '../../../local/services/dynamodb/dynamodb';
import { streamArn, type TableDefinition } from '../../../local/services/dynamodb/table-definition';
import type { StreamRecord } from '../../../local/services/events/stream-source';

export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

/** Partition key `id`, sort key `n`, expiry `ttl`. */
export const NOTES: TableDefinition = {
  name: 'Notes',
  keys: [
    { name: 'id', type: 'S' },
    { name: 'n', type: 'N' },
  ],
  ttlAttribute: 'ttl',
  attributeDefinitions: [
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
};

/** The same with a stream. */
export const LOG: TableDefinition = { ...NOTES, name: 'Log', stream: 'NEW_IMAGE' };
export const LOG_STREAM = streamArn(tableArn('Log'));

export function tableArn(name: string): string {
  return `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`;
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (let undo = cleanups.pop(); undo !== undefined; undo = cleanups.pop()) await undo();
});

/** Runs after the test, the latest first. */
export function cleanUp(undo: () => unknown): void {
  cleanups.push(undo);
}

export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stowage-dynamodb-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function useService(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDb> {
  const service = await startDynamoDb({
    tables: [NOTES, LOG],
    dataDir: options.dataDir ?? useFolder(),
    iam: allowAll(),
    region: REGION,
    accountId: ACCOUNT,
    port: 0,
    ...options,
  });
  cleanUp(() => service.stop());
  return service;
}

/** The official SDK with the developer's credentials. */
export function useClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: allowAll().root,
    maxAttempts: 1,
    ...config,
  });
  cleanUp(() => client.destroy());
  return client;
}

export async function useClientOf(options: Partial<DynamoDbOptions> = {}): Promise<DynamoDBClient> {
  return useClient((await useService(options)).endpoint);
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

/** Waits for a condition. */
export async function until<T>(
  what: () => Promise<T | undefined> | T | undefined,
  milliseconds = 5000,
): Promise<T> {
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline; ) {
    const value = await what();
    if (value !== undefined) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('waited in vain');
}

export async function allRecords(service: DynamoDb): Promise<readonly StreamRecord[]> {
  return service.streams.read(LOG_STREAM, undefined, 10_000);
}
