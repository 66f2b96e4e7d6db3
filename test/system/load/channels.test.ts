/** The end of an API key with many channels. CHANNELS sets how many. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createApiKey } from '../../../cli/api-keys';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { toItem } from '../../../lambdas/shared/dynamodb/items/attributes';
import { until } from '../../support/until';
import { inParallel } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';
import { size } from '../support/size';
import { openWireChannel, type WireChannel } from '../support/wire-channel';

const CHANNELS = size('CHANNELS', { small: 30, full: 1_000 });
const TIMED = process.env.TEST_SIZE === 'full';

jest.setTimeout(20 * 60_000);

const data = newDataFolder();
let service: Running;
let stores: ReturnType<typeof openStores>;

beforeAll(async () => {
  const folder = path.join(data.folder, 'cdk.out');
  service = await startLocalService(data.folder, ['--cdk-out', withTiers(folder)]);
  stores = openStores(data.folder);
});
afterAll(async () => {
  stores.close();
  expect(await service.interrupt()).toBe(0);
  data.remove();
});

/** The synthesized stack, with the tiers of this test in its functions. */
function withTiers(folder: string): string {
  const [from, file] = [path.join(__dirname, '../../../cdk.out'), 'stowage-dev.template.json'];
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(from)) {
    if (entry !== file) symlinkSync(path.join(from, entry), path.join(folder, entry));
  }
  const template = JSON.parse(readFileSync(path.join(from, file), 'utf8'));
  for (const { Properties } of Object.values<{ Properties?: Variables }>(template.Resources)) {
    const variables = Properties?.Environment?.Variables;
    if (variables?.RATE_TIERS === undefined) continue;
    const tiers = JSON.parse(variables.RATE_TIERS);
    const many = { rate: 1_000, burst: 2_000, concurrent: 2_000 };
    tiers.many = { ...tiers.default, connect: many };
    variables.RATE_TIERS = JSON.stringify(tiers);
  }
  writeFileSync(path.join(folder, file), JSON.stringify(template));
  return folder;
}

interface Variables {
  readonly Environment?: { readonly Variables?: { RATE_TIERS?: string } };
}

const newKey = (tier?: string) =>
  createApiKey(stores.dynamo, stores.keyTables, {
    ...{ name: 'a test', by: 'a test', permissions: ALL_PERMISSIONS },
    ...(tier !== undefined && { tier }),
  });

async function openAll(key: string, count: number): Promise<WireChannel[]> {
  const channels: WireChannel[] = [];
  await inParallel(25, count, async () => {
    channels.push(await openWireChannel(service.baseUrl, key));
  });
  return channels;
}

test(`the ${CHANNELS} channels of a revoked key are closed`, async () => {
  const key = await newKey('many');
  const channels = await openAll(key, CHANNELS);
  expect(channels.filter(({ refused }) => refused !== undefined)).toEqual([]);
  const revoked = Date.now();
  await stores.dynamo.send(
    new UpdateItemCommand({
      TableName: stores.keyTables.apiKeys,
      Key: toItem({ id: key.split('_')[1] ?? '' }),
      UpdateExpression: 'SET revoked_at = :now',
      ExpressionAttributeValues: toItem({ ':now': new Date().toISOString() }),
    }),
  );
  await until('every channel to close', () => channels.every(({ closedAt }) => closedAt), {
    timeoutMs: 120_000,
  });
  const last = Math.max(...channels.map(({ closedAt = 0 }) => closedAt)) - revoked;
  process.stdout.write(`the last of ${CHANNELS} channels closed ${last} ms after the revocation\n`);
  if (TIMED) expect(last).toBeLessThanOrEqual(5_000);
  expect(channels.flatMap((channel) => channel.of('goodbye').map(({ code }) => code))).toEqual(
    Array(CHANNELS).fill(4401),
  );
});
