/**
 * The rate limiter on the DynamoDB engine with a virtual clock: how exact the limit of each key is,
 * and how many writes it costs.
 */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoApiKeys } from '../../../adapters/dynamodb/api-keys';
import { DynamoRates } from '../../../adapters/dynamodb/rates';
import { RateLimiter } from '../../../core/access/rate-limiter';
import { ServiceError } from '../../../core/errors';
import { DEFAULT_RATES } from '../../../core/limits';
import { log } from '../../../lambdas/runtime/telemetry/log';
import { type Engine, startDynamoEngine } from '../../support/dynamo-engine';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { createTables } from '../../support/tables';
import { watchCalls } from '../../support/watched-client';
import { RateTally, rateReport } from '../support/rate-tally';
import { size } from '../support/size';

/** Virtual seconds. */
const SECONDS = size('DURATION', { small: 10, full: 30 });
const KEYS = size('KEYS', { small: 20, full: 200 });

jest.setTimeout(10 * 60_000);

let engine: Engine;
beforeAll(async () => {
  engine = await startDynamoEngine();
});
afterAll(() => engine.stop());

test.each([
  ['far above their limit', { rate: 1, burst: 10 }],
  ['within their limit', { rate: 1000, burst: 1000 }],
])('keys in use %s cost less than a tenth of a write a request', async (what, limit) => {
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'busy', secretAccessKey: 'busy' };
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region, credentials });
  const { apiKeys, rates } = await createTables(client, `busy-${randomBytes(4).toString('hex')}`);
  let writes = 0;
  watchCalls(client, (_, when) => {
    if (when === 'before') writes += 1;
  });
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
    tally: new RateTally(limit, () => now),
  }));
  const end = start + SECONDS * 1000;
  for (; now < end; now += 50) {
    await Promise.all(
      keys.map(async ({ claim, tally }) => {
        for (let n = 0; n < 5; n++) tally.count(await isAllowed(limiter.takeToken(claim, 'read')));
      }),
    );
  }
  client.destroy();
  const tallies = keys.map(({ tally }) => tally);
  const report = rateReport(`${KEYS} keys ${what}, ${SECONDS} s`, tallies, writes);
  process.stdout.write(report.text);
  expect(Math.abs(report.share - 1)).toBeLessThan(0.05);
  expect(report.offBy).toBeLessThanOrEqual(2);
  expect(report.writesPerRequest).toBeLessThan(0.1);
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
