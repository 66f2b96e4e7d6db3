/**
 * 64 writers, 10,000 writes: on one key, and on 64 keys of one bucket, through the whole running
 * service.
 */
import { repairAndCheck } from '../../support/invariants';
import { Client, inParallel } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';

jest.setTimeout(600_000);

const WRITERS = 64;
/** Half on one key, half on 64 keys. */
const WRITES = 5000;

const data = newDataFolder();
let service: Running;

beforeAll(async () => {
  service = await startLocalService(data.folder);
});
afterAll(async () => {
  expect(await service.interrupt()).toBe(0);
  data.remove();
});

test.each([
  ['one key', 1],
  ['64 keys of one bucket', 64],
])('64 writers on %s: cursors dense, versions in cursor order, no orphan', async (_name, keys) => {
  const bucket = `contended-${keys}`;
  const client = new Client(service);
  await client.send('POST', '/buckets', JSON.stringify({ name: bucket }));
  const statuses = new Map<number | undefined, number>();
  await inParallel(WRITERS, WRITES, async (n) => {
    const status = await client.change(bucket, `k${n % keys}`, `write ${n}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  // A write that lost every race is told to come again; none fails in any other way.
  expect(
    [...statuses.keys()].every((status) => status === 200 || status === 201 || status === 503),
  ).toBe(true);
  expect(client.acknowledged.length).toBeGreaterThan(WRITES * 0.99);
  const stores = openStores(data.folder);
  const log = await repairAndCheck(stores, stores, bucket, client.acknowledged);
  expect(stores.errors).toEqual([]);
  expect(log.filter(({ type }) => type === 'put').length).toBe(client.acknowledged.length);
  stores.close();
  await client.close();
});
