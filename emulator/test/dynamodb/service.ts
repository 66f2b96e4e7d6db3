import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { allowAll } from '../../src/iam/allow-all';
import {
  type DynamoDb,
  type DynamoDbOptions,
  startDynamoDb,
} from '../../src/services/dynamodb/dynamodb';
import type { StreamRecord } from '../../src/services/events/stream-source';
import { ACCOUNT, LOG, LOG_STREAM, NOTES, REGION } from './tables';

export { ACCOUNT, LOG, LOG_STREAM, NOTES, REGION, tableArn } from './tables';

// Each test starts an engine, some of them a CDK app or a child process too.
jest.setTimeout(60_000);

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (let undo = cleanups.pop(); undo !== undefined; undo = cleanups.pop()) await undo();
});

/** Runs after the test, the latest first. */
export function cleanUp(undo: () => unknown): void {
  cleanups.push(undo);
}

export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-dynamodb-'));
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

/** A client of the AWS SDK with the developer's credentials. */
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
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('waited in vain');
}

export async function allRecords(service: DynamoDb): Promise<readonly StreamRecord[]> {
  return service.streams.read(LOG_STREAM, undefined, 10_000);
}
