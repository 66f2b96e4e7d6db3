/** What the tests of an application get from `stowage/testing`. */
import { StowageClient } from '../../client';
import { startStowage } from '../../server/testing';

test('services of one process are ready at once, share nothing, and end', async () => {
  const services = await Promise.all([startStowage(), startStowage(), startStowage()]);
  const clients = services.map(({ url, key }) => new StowageClient({ baseUrl: url, apiKey: key }));
  for (const [n, client] of clients.entries()) {
    await client.buckets.create('photos');
    await client.put('photos', 'mine', `of ${n}`);
  }
  for (const [n, client] of clients.entries()) {
    expect(await (await client.get('photos', 'mine')).text()).toBe(`of ${n}`);
  }
  await Promise.all(services.map((service) => service.close()));
  await expect(fetch(services[0]?.url ?? '')).rejects.toThrow();
});

test('a test sends more requests than a rate limit of a deployment allows', async () => {
  const service = await startStowage();
  const headers = { authorization: `Bearer ${service.key}` };
  const statuses = new Set<number>();
  for (let n = 0; n < 1500; n++) {
    const response = await fetch(`${service.url}/api/v2/storage/buckets`, { headers });
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  expect([...statuses]).toEqual([200]);
  // Nor more followers at a time.
  const client = new StowageClient({ baseUrl: service.url, apiKey: service.key });
  await client.buckets.create('photos');
  const waiting = Array.from({ length: 20 }, () =>
    fetch(`${service.url}/api/v2/storage/sync?bucket=photos&cursor=0&wait=20`, { headers }),
  );
  await client.put('photos', 'a', 'a');
  for (const page of await Promise.all(waiting)) {
    expect([page.status, page.headers.get('retry-after')]).toEqual([200, null]);
  }
  await service.close();
});
