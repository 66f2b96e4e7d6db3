/** SIGKILL of the whole local service under load, followed by a restart. */
import { repairAndCheck } from '../../support/invariants';
import { Client, inParallel } from '../support/client';
import { newDataFolder, openStores, startLocalService } from '../support/local-service';
import { size } from '../support/size';

jest.setTimeout(600_000);

const KILLS = size('KILLS', { small: 1, full: 3 });
/** Acknowledged writes before the first kill. */
const WRITES = size('WRITES', { small: 100, full: 300 });
/** By how many writes each run exceeds the one before. */
const MORE = size('MORE', { small: 20, full: 200 });

test(`after ${KILLS} kills under load every acknowledged write is readable and none is partial`, async () => {
  const data = newDataFolder();
  const clients: Client[] = [];
  for (let run = 0; run <= KILLS; run++) {
    const service = await startLocalService(data.folder);
    const client = new Client(service);
    clients.push(client);
    if (run === 0) await client.send('POST', '/buckets', '{"name":"killed"}');
    // The last writes that the previous run acknowledged are readable before any repair.
    for (const { key, version, etag } of clients[run - 1]?.acknowledged.slice(-5) ?? []) {
      const reply = await client.send('GET', `/objects/killed/${key}?version=${version}`);
      expect([reply.status, reply.headers.etag]).toEqual(
        etag ? [200, `"${etag}"`] : [404, undefined],
      );
    }
    const enough = WRITES + MORE * run;
    await writeUntilKilled(client, run, enough, run < KILLS ? service.kill : undefined);
    expect(client.acknowledged.length).toBeGreaterThanOrEqual(enough);
    await client.close();
    if (run < KILLS) continue;
    const stores = openStores(data.folder);
    const acknowledged = clients.flatMap((one) => one.acknowledged);
    await repairAndCheck(stores, stores, 'killed', acknowledged);
    expect(stores.errors).toEqual([]);
    stores.close();
    expect(await service.interrupt()).toBe(0);
  }
  data.remove();
});

/** Writes concurrently until `enough` writes are acknowledged, then kills the service. */
async function writeUntilKilled(
  client: Client,
  run: number,
  enough: number,
  kill: (() => Promise<void>) | undefined,
): Promise<void> {
  let stopped = false;
  await inParallel(16, 5000, async (n) => {
    if (stopped) return;
    const body = n % 5 === 4 ? undefined : `run ${run}, write ${n}`;
    await client.change('killed', `k${n % 40}`, body);
    if (client.acknowledged.length >= enough && !stopped) {
      stopped = true;
      await kill?.();
    }
  });
}
