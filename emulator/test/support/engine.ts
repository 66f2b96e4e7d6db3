import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine } from '../../src/services/dynamodb/engine/engine';
import { type EngineProcess, startEngine } from '../../src/services/dynamodb/engine/process';
import { afterTest } from './clean-up';

let folder: string | undefined;
let engine: Promise<EngineProcess> | undefined;

afterAll(async () => {
  await (await engine)?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

/**
 * Returns the endpoint of the DynamoDB engine that the tests of a file share. Its tables are
 * deleted after each test, because starting an engine takes longer.
 */
export async function sharedEngine(): Promise<string> {
  folder ??= mkdtempSync(join(tmpdir(), 'emulator-engine-'));
  engine ??= startEngine(folder);
  const { endpoint } = await engine;
  afterTest(async () => {
    const client = new Engine(endpoint, 1);
    const { TableNames } = await client.call('ListTables', {});
    for (const TableName of TableNames as string[]) await client.call('DeleteTable', { TableName });
    await client.close();
  });
  return endpoint;
}
