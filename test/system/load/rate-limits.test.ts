/** Many API keys at once over HTTP: each is limited by its own token bucket. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import cdkJson from '../../../cdk.json';
import { createApiKey } from '../../../cli/operate/api-keys';
import type { Permission } from '../../../core/access/ports';
import { type Engine, startDynamoEngine } from '../../support/dynamo-engine';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../../support/local-service/start-local-service';
import { Client } from '../support/client';
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy';
import { RateTally, rateReport } from '../support/rate-tally';
import { size } from '../support/size';

const KEYS = size('KEYS', { small: 20, full: 200 });
/** Refusals that each key gets before the test stops using it. */
const REFUSALS = size('REFUSALS', { small: 10, full: 40 });
const WORKERS = 8;

const SMALL = cdkJson.context.environments.dev.rateTiers.small;

jest.setTimeout(10 * 60_000);

const data = newDataFolder();
let engine: Engine;
let proxy: CountingProxy;
let service: Running;
let dynamo: DynamoDBClient;
let owner: Client;
let newKey: (permissions: readonly Permission[], tier?: string) => Promise<string>;

beforeAll(async () => {
  engine = await startDynamoEngine();
  proxy = await startCountingProxy(engine.endpoint);
  service = await startLocalService(data.folder, ['--dynamodb-endpoint', proxy.endpoint]);
  const { endpoints, credentials, region, outputs } = JSON.parse(
    readFileSync(path.join(data.folder, 'endpoints.json'), 'utf8'),
  );
  dynamo = new DynamoDBClient({ endpoint: endpoints.dynamodb, credentials, region });
  const tables = { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName };
  newKey = (permissions, tier) =>
    createApiKey(dynamo, tables, { name: 'k', permissions, tier, by: 'test' });
  owner = new Client(service);
  await owner.send('POST', '/buckets', '{"name":"photos"}');
  await owner.send('PUT', '/objects/photos/a', 'x');
});
afterAll(async () => {
  await owner.close();
  dynamo.destroy();
  expect(await service.interrupt()).toBe(0);
  await proxy.stop();
  await engine.stop();
  data.remove();
});

test('a key over its limit is refused while another key is served', async () => {
  const read: readonly Permission[] = [{ buckets: ['*'], actions: ['read', 'list'] }];
  const flood = new Client({ ...service, apiKey: await newKey(read, 'small') });
  const other = new Client({ ...service, apiKey: await newKey(read) });
  const tally = new RateTally(SMALL.list, () => performance.now());
  const enough = () => tally.requests - tally.allowed >= 200 && times.length >= 20;
  const times: number[] = [];
  const flooding = Array.from({ length: WORKERS }, async () => {
    while (!enough()) {
      const { status } = await flood.send('GET', '/objects/photos');
      expect([200, 429]).toContain(status);
      tally.count(status === 200);
    }
  });
  while (!enough()) {
    const start = performance.now();
    expect((await other.send('GET', '/objects/photos/a')).status).toBe(200);
    times.push(performance.now() - start);
  }
  await Promise.all(flooding);
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(
    `during a flood of ${tally.requests} requests, ${tally.allowed} of them allowed: ` +
      `median ${median.toFixed(1)} ms of another key\n`,
  );
  expect(tally.allowed).toBeGreaterThan(0);
  expect(tally.allowed).toBeLessThanOrEqual(tally.most());
  await Promise.all([flood.close(), other.close()]);
});

test('each of many keys in use is limited by its own token bucket', async () => {
  const made = await Promise.all(Array.from({ length: KEYS }, () => newKey([], 'small')));
  const keys = made.map((apiKey) => ({
    apiKey,
    tally: new RateTally(SMALL.sign, () => performance.now()),
  }));
  const client = new Client(service);
  const before = proxy.count('UpdateItem', 'Rates');
  // A key leaves when it was refused often enough, and the machine's whole throughput is left to
  // the others. So each key reaches its limit, however slow the machine is.
  let next = 0;
  const active = new Set(keys);
  const worker = async () => {
    while (active.size > 0) {
      const key = [...active][next++ % active.size];
      if (key === undefined) continue;
      const body = '{"bucket":"photos","key":"a","method":"GET"}';
      const { status } = await client.send('POST', '/signed-url', body, key.apiKey);
      expect([403, 429]).toContain(status);
      key.tally.count(status === 403);
      if (key.tally.requests - key.tally.allowed >= REFUSALS) active.delete(key);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const writes = proxy.count('UpdateItem', 'Rates') - before;
  const tallies = keys.map(({ tally }) => tally);
  process.stdout.write(rateReport(`over HTTP, ${KEYS} keys`, tallies, writes).text);
  for (const tally of tallies) {
    expect(tally.allowed).toBeLessThanOrEqual(tally.most());
    // A key that is refused before its burst is used up would be limited by other keys. Two tokens
    // may be leased to another instance.
    expect(tally.allowed).toBeGreaterThanOrEqual(SMALL.sign.burst - 2);
  }
  const allowed = tallies.reduce((sum, tally) => sum + tally.allowed, 0);
  expect(allowed).toBeGreaterThanOrEqual(KEYS * SMALL.sign.burst * 0.9);
  await client.close();
});
