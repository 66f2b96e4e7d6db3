/**
 * kill -9 of the whole local service under load, several times: what was acknowledged is there,
 * nothing half is.
 */
import { repairAndCheck } from '../../support/invariants';
import { Client, inParallel } from '../support/client';
import { newDataFolder, openStores, startLocalService } from '../support/local-service';

jest.setTimeout(600_000);

const KILLS = 3;

test('kill -9 under load, restart: every acknowledged write is there, none half there', async () => {
  const data = newDataFolder();
  const clients: Client[] = [];
  for (let round = 0; round <= KILLS; round++) {
    const service = await startLocalService(data.folder);
    const client = new Client(service);
    clients.push(client);
    if (round === 0) await client.send('POST', '/buckets', '{"name":"killed"}');
    // What the runs before were told is already visible.
    for (const { key, version, etag } of clients[round - 1]?.acknowledged.slice(-5) ?? []) {
      const reply = await client.send('GET', `/objects/killed/${key}?version=${version}`);
      expect([reply.status, reply.headers.etag]).toEqual(
        etag ? [200, `"${etag}"`] : [404, undefined],
      );
    }
    let killed = false;
    const enough = 300 + 200 * round;
    const load = inParallel(16, 5000, async (n) => {
      if (killed) return;
      const body = n % 5 === 4 ? undefined : `round ${round}, write ${n}`;
      await client.change('killed', `k${n % 40}`, body);
      if (client.acknowledged.length >= enough && !killed) {
        killed = true;
        if (round < KILLS) await service.kill();
      }
    });
    await load;
    expect(client.acknowledged.length).toBeGreaterThanOrEqual(enough);
    await client.close();
    if (round < KILLS) continue;
    const stores = openStores(data.folder);
    const acknowledged = clients.flatMap((one) => one.acknowledged);
    await repairAndCheck(stores, stores, 'killed', acknowledged);
    expect(stores.errors).toEqual([]);
    stores.close();
    expect(await service.interrupt()).toBe(0);
  }
  data.remove();
});
