/**
 * Limits and changes of API keys on the whole running service. DURATION (seconds) and KEYS set the
 * scale of the last two tests.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import cdkJson from '../../../cdk.json';
import { createApiKey } from '../../../cli/api-keys';
import { parseApiKey } from '../../../core/access/api-key';
import type { Permission } from '../../../core/access/ports';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { ServiceError } from '../../../core/errors';
import { DEFAULT_RATES, type Rate } from '../../../core/limits';
import { DynamoApiKeys } from '../../../lambdas/shared/dynamodb/api-keys';
import { toItem } from '../../../lambdas/shared/dynamodb/items/attributes';
import type { KeyTables } from '../../../lambdas/shared/dynamodb/key-store';
import { DynamoRates } from '../../../lambdas/shared/dynamodb/rates';
import { log } from '../../../lambdas/shared/telemetry/log';
import { type Engine, startDynamoEngine } from '../../support/dynamo-engine';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { createTables } from '../../support/tables';
import { Client, type Reply } from '../support/client';
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy';
import { newDataFolder, type Running, startLocalService } from '../support/local-service';

const SECONDS = Number(process.env.DURATION ?? 30);
const KEYS = Number(process.env.KEYS ?? 200);

const SMALL = cdkJson.context.environments.dev.rateTiers.small;

jest.setTimeout(600_000);

const READ: readonly Permission[] = [{ buckets: ['*'], actions: ['read', 'list'] }];

const data = newDataFolder();
let engine: Engine;
let proxy: CountingProxy;
let service: Running;
let owner: Client;
let dynamo: DynamoDBClient;
let tables: KeyTables;

beforeAll(async () => {
  engine = await startDynamoEngine();
  proxy = await startCountingProxy(engine.endpoint);
  service = await startLocalService(data.folder, ['--dynamodb-endpoint', proxy.endpoint]);
  const { endpoints, credentials, region, outputs } = JSON.parse(
    readFileSync(path.join(data.folder, 'endpoints.json'), 'utf8'),
  );
  dynamo = new DynamoDBClient({ endpoint: endpoints.dynamodb, credentials, region });
  tables = { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName };
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

function newKey(permissions: readonly Permission[], tier?: string): Promise<string> {
  return createApiKey(dynamo, tables, { name: 'k', permissions, tier, by: 'test' });
}

async function newClient(permissions = READ, tier?: string) {
  const apiKey = await newKey(permissions, tier);
  const id = parseApiKey(apiKey)?.id ?? '';
  return { id, client: new Client({ ...service, apiKey }) };
}

/** As an operator does with the table's console: nobody marks it but the stream. */
async function change(id: string, name: string, value: unknown): Promise<void> {
  await dynamo.send(
    new UpdateItemCommand({
      TableName: tables.apiKeys,
      Key: toItem({ id }),
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: toItem({ ':value': value as string }),
    }),
  );
}

/**
 * Milliseconds until the answer is as wanted, asked for all the time so that every cache is warm.
 */
async function timeUntil(ask: () => Promise<Reply>, status: number): Promise<number> {
  const start = performance.now();
  while ((await ask()).status !== status) {
    if (performance.now() - start > 30_000) throw new Error(`no ${status} in 30 s`);
    await wait(20);
  }
  return performance.now() - start;
}

test('a revoked key is 401 within 5 s on every path, though the gateway keeps its permission for minutes', async () => {
  const { id, client } = await newClient();
  const paths = ['/objects/photos/a', '/objects/photos', '/buckets/photos'];
  for (let n = 0; n < 30; n++) {
    for (const at of paths) expect((await client.send('GET', at)).status).toBe(200);
  }
  await change(id, 'revoked_at', new Date().toISOString());
  const times = await Promise.all(paths.map((at) => timeUntil(() => client.send('GET', at), 401)));
  process.stdout.write(`401 after ${times.map(Math.round).join(', ')} ms\n`);
  expect(Math.max(...times)).toBeLessThan(5_000);
  for (const at of paths) expect((await client.send('GET', at)).status).toBe(401);
  await client.close();
});

test('a narrowed key loses within 5 s what it lost, and nothing else', async () => {
  const { id, client } = await newClient();
  const read = () => client.send('GET', '/objects/photos/a');
  const list = () => client.send('GET', '/objects/photos');
  for (let n = 0; n < 30; n++) {
    expect([(await read()).status, (await list()).status]).toEqual([200, 200]);
  }
  await change(id, 'permissions', [{ buckets: ['photos'], actions: ['list'] }]);
  const time = await timeUntil(read, 403);
  process.stdout.write(`403 after ${Math.round(time)} ms\n`);
  expect(time).toBeLessThan(5_000);
  expect([(await read()).status, (await list()).status]).toEqual([403, 200]);
  await client.close();
});

test('a flood with one key leaves another its limit, and is refused at little cost', async () => {
  const flood = await newClient(READ, 'small');
  const other = await newClient();
  let over = false;
  const statuses = new Map<number, number>();
  const flooding = Array.from({ length: 8 }, async () => {
    while (!over) {
      const { status } = await flood.client.send('GET', '/objects/photos');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const times: number[] = [];
  const end = performance.now() + 5_000;
  while (performance.now() < end) {
    const start = performance.now();
    expect((await other.client.send('GET', '/objects/photos/a')).status).toBe(200);
    times.push(performance.now() - start);
  }
  over = true;
  await Promise.all(flooding);
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(
    `beside ${JSON.stringify([...statuses])} of the flood: median ${median.toFixed(1)} ms\n`,
  );
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  expect(statuses.get(200)).toBeLessThanOrEqual(SMALL.list.burst + 7);
  expect(statuses.get(429)).toBeGreaterThan(4 * (statuses.get(200) ?? 0));
  // A second: the flood takes its share of the machine, but nobody waits for its limit.
  expect(median).toBeLessThan(1_000);
  await Promise.all([flood.client.close(), other.client.close()]);
});

/**
 * What a key was allowed, beside what a bucket of its own that has its limit allows of the same
 * requests.
 */
class Tally {
  requests = 0;
  allowed = 0;
  due = 0;
  private tokens: number;
  private last: number;

  constructor(
    private readonly limit: Rate,
    private readonly now: () => number,
  ) {
    this.tokens = limit.burst;
    this.last = now();
  }

  note(isAllowed: boolean): void {
    const now = this.now();
    const refilled = this.tokens + ((now - this.last) / 1000) * this.limit.rate;
    this.tokens = Math.min(this.limit.burst, refilled);
    this.last = now;
    this.requests += 1;
    if (isAllowed) this.allowed += 1;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      this.due += 1;
    }
  }
}

function judge(what: string, tallies: readonly Tally[], writes: number) {
  const total = (of: 'requests' | 'allowed' | 'due') =>
    tallies.reduce((sum, tally) => sum + tally[of], 0);
  const [requests, allowed, due] = [total('requests'), total('allowed'), total('due')];
  const offBy = Math.max(...tallies.map((tally) => Math.abs(tally.allowed - tally.due)));
  process.stdout.write(
    `${what}: ${KEYS} keys, ${SECONDS} s, ${requests} requests, ${allowed} allowed; allowed/limit ` +
      `${(allowed / due).toFixed(3)}, no key off by more than ${offBy}; ` +
      `${writes} writes, ${(writes / requests).toFixed(3)} a request\n`,
  );
  return { share: allowed / due, offBy, writesPerRequest: writes / requests };
}

test('keys used in parallel over HTTP are each limited by their own bucket and no other’s', async () => {
  const made = await Promise.all(Array.from({ length: KEYS }, () => newKey([], 'small')));
  const keys = made.map((apiKey) => ({
    apiKey,
    tally: new Tally(SMALL.sign, () => performance.now()),
  }));
  const client = new Client(service);
  const before = proxy.count('UpdateItem', 'Rates');
  const end = performance.now() + SECONDS * 1000;
  let next = 0;
  const worker = async () => {
    // On a busy machine for longer, until each key has asked for far more than it is allowed.
    while (performance.now() < end || next < KEYS * 40) {
      const { apiKey, tally } = keys[next++ % KEYS] ?? {};
      const body = '{"bucket":"photos","key":"a","method":"GET"}';
      const { status } = await client.send('POST', '/signed-url', body, apiKey);
      expect([403, 429]).toContain(status);
      tally?.note(status === 403);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const writes = proxy.count('UpdateItem', 'Rates') - before;
  // Otherwise nothing was limited.
  expect(keys.some(({ tally }) => tally.requests < 1.2 * tally.allowed)).toBe(false);
  const { offBy } = judge(
    'over HTTP',
    keys.map(({ tally }) => tally),
    writes,
  );
  // On a busy machine a request sees the next token a moment too early or too late.
  expect(offBy).toBeLessThanOrEqual(2);
  await client.close();
});

test.each([
  ['far above their limit', { rate: 1, burst: 10 }],
  ['within their limit', { rate: 1000, burst: 1000 }],
])('busy keys %s cost less than a tenth of a write a request', async (what, limit) => {
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'busy', secretAccessKey: 'busy' },
    cacheMiddleware: true,
  });
  let writes = 0;
  client.middlewareStack.add(
    (next) => (call) => {
      writes += 1;
      return next(call);
    },
    { step: 'finalizeRequest' },
  );
  const { apiKeys, rates } = await createTables(client, `busy-${randomBytes(4).toString('hex')}`);
  writes = 0;
  // Time is counted, not waited for: what is measured is the limiter, not the machine.
  const start = Date.now();
  let now = start;
  const limiter = new RateLimiter({
    apiKeys: new DynamoApiKeys(client, apiKeys),
    rates: new DynamoRates(client, rates),
    rateTiers: { default: { ...DEFAULT_RATES, read: limit } },
    clock: { now: () => now },
    log,
    meter: new FakeMeter(),
  });
  const keys = Array.from({ length: KEYS }, (_, key) => ({
    claim: { keyId: `k${key}`, permissions: [], tier: 'default', generation: 0, readAt: start },
    tally: new Tally(limit, () => now),
  }));
  const end = start + SECONDS * 1000;
  for (; now < end; now += 50) {
    await Promise.all(
      keys.map(async ({ claim, tally }) => {
        for (let n = 0; n < 5; n++) tally.note(await isAllowed(limiter.takeToken(claim, 'read')));
      }),
    );
  }
  client.destroy();
  const { share, offBy, writesPerRequest } = judge(
    what,
    keys.map(({ tally }) => tally),
    writes,
  );
  expect(Math.abs(share - 1)).toBeLessThan(0.05);
  expect(offBy).toBeLessThanOrEqual(2);
  expect(writesPerRequest).toBeLessThan(0.1);
});

async function isAllowed(admitted: Promise<unknown>): Promise<boolean> {
  try {
    await admitted;
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'rate_limited') return false;
    throw error;
  }
}
