/** Many concurrent writers on one key, and on many keys of one bucket, over HTTP. */
import { repairAndCheck } from '../../support/invariants';
import { Client, inParallel } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';
import { size } from '../support/size';

jest.setTimeout(20 * 60_000);

const WRITERS = size('WRITERS', { small: 16, full: 64 });
/** Half of them on one key, half on 64 keys. */
const WRITES = size('WRITES', { small: 150, full: 500 });

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
])(
  `${WRITERS} concurrent writers on %s leave dense cursors, ordered versions and no orphan`,
  async (_name, keys) => {
    const bucket = `contended-${keys}`;
    const client = new Client(service);
    await client.send('POST', '/buckets', JSON.stringify({ name: bucket }));
    await inParallel(WRITERS, WRITES, async (n) => {
      // A write that lost every race gets 503, and the client repeats it. No write fails in
      // another way.
      let status: number | undefined;
      do status = await client.change(bucket, `k${n % keys}`, `write ${n}`);
      while (status === 503);
      expect([200, 201]).toContain(status);
    });
    expect(client.acknowledged.length).toBe(WRITES);
    const stores = openStores(data.folder);
    const log = await repairAndCheck(stores, stores, bucket, client.acknowledged);
    expect(stores.errors).toEqual([]);
    expect(log.filter(({ type }) => type === 'put').length).toBe(client.acknowledged.length);
    stores.close();
    await client.close();
  },
);
