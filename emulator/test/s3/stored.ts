import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until';
import { BUCKET, type TestServer } from './server';

/** Content of the object `key`; undefined when it does not exist. */
export async function content(server: TestServer): Promise<string | undefined> {
  try {
    const got = await server.s3.getObject({ Bucket: BUCKET, Key: 'key' });
    return await got.Body?.transformToString();
  } catch {
    return undefined;
  }
}

export function dataFiles(server: TestServer): readonly string[] {
  return readdirSync(join(server.dataDir, BUCKET, 'data'));
}

/** Expects that a refused upload left neither an object nor a file. */
export async function expectNothingStored(server: TestServer): Promise<void> {
  expect(await content(server)).toBeUndefined();
  await until(() => dataFiles(server).length === 0);
  expect(server.errors).toEqual([]);
}
