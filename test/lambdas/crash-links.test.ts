/**
 * Stops the function before and after every AWS call of making, opening and revoking a link, on the
 * real adapters, and lets the client try again.
 */
import { createLinks } from '../../service/links/links';
import { createApi } from '../../service/storage-api';
import { incomingRequest, send, type TestRequest } from '../support/requests';
import { newKey } from '../support/samples';
import { type Service, type ServiceDeps, startService } from '../support/service';

let service: Service;
let buckets = 0;

beforeAll(async () => {
  service = await startService();
  await service.putKey(newKey({ id: 'key-1' }));
});
afterAll(() => service.stop());

const ask = (deps: ServiceDeps, request: TestRequest) => send(createApi(deps), request);

async function newBucket() {
  const name = `linked-${++buckets}`;
  const deps = service.open();
  await ask(deps, {
    method: 'POST',
    path: '/buckets',
    body: JSON.stringify({ name }),
    headers: {},
  });
  await ask(deps, { method: 'PUT', path: `/objects/${name}/a`, body: 'x' });
  const links = async () => {
    const { id = '' } = (await deps.buckets.get(name)) ?? {};
    return (await deps.links.list(id, 100)).items;
  };
  return { name, deps, links };
}

type Bucket = Awaited<ReturnType<typeof newBucket>>;

const creation = ({ name }: Bucket): TestRequest => ({
  method: 'POST',
  path: '/links',
  headers: { 'Idempotency-Key': name },
  body: JSON.stringify({ bucket: name, key: 'a', max_uses: 2 }),
});

/** Runs `act` with a lost connection at call 1, 2, 3 … until it completes without; counts them. */
async function everyPoint(
  when: 'before' | 'after',
  prepare: (bucket: Bucket) => Promise<string>,
  act: (deps: ServiceDeps, bucket: Bucket, made: string) => Promise<unknown>,
  after: (bucket: Bucket, made: string) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const bucket = await newBucket();
    const made = await prepare(bucket);
    let calls = 0;
    const deps = service.open({
      watch: async (_call, moment) => {
        if (moment === 'before') calls += 1;
        if (calls !== at || moment !== when) return;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
      },
    });
    await act(deps, bucket, made);
    await after(bucket, made);
    if (calls < at) return at - 1;
  }
}

describe.each(['before', 'after'] as const)('a connection that is lost %s a call', (when) => {
  test('of making a link leaves one link after the retry', async () => {
    const points = await everyPoint(
      when,
      async () => '',
      (deps, bucket) => ask(deps, creation(bucket)),
      async (bucket) => {
        const retry = await ask(bucket.deps, creation(bucket));
        expect([retry.status, (await bucket.links()).length]).toEqual([201, 1]);
      },
    );
    expect(points).toBeGreaterThanOrEqual(5);
  });

  test('of revoking a link leaves none after the retry', async () => {
    const revoke = (id: string) => ({
      ...{ method: 'DELETE', path: `/links/${id}`, headers: { 'Idempotency-Key': id } },
    });
    const points = await everyPoint(
      when,
      async (bucket) => (await ask(bucket.deps, creation(bucket))).json<{ id: string }>().id,
      (deps, _bucket, id) => ask(deps, revoke(id)),
      async (bucket, id) => {
        const retry = await ask(bucket.deps, revoke(id));
        expect([retry.status, (await bucket.links()).length]).toEqual([204, 0]);
      },
    );
    expect(points).toBeGreaterThanOrEqual(3);
  });

  test('of opening a link never gives it out more often than it may be used', async () => {
    const open = async (deps: ServiceDeps, address: string) => {
      const app = createLinks({ ...deps, contentOrigin: 'https://content.example' });
      const { pathname: path, searchParams } = new URL(address);
      const query = { ...Object.fromEntries(searchParams), download: '' };
      return (await app({ ...incomingRequest({ path: '', query }), path })).status;
    };
    let given = 0;
    const points = await everyPoint(
      when,
      async (bucket) => {
        return (await ask(bucket.deps, creation(bucket))).json<{ url: string }>().url;
      },
      async (deps, _bucket, url) => {
        given = (await open(deps, url)) === 307 ? 1 : 0;
      },
      async (bucket, url) => {
        for (let n = 0; n < 3; n++) if ((await open(bucket.deps, url)) === 307) given += 1;
        const [link] = await bucket.links();
        expect(link?.uses).toBe(2);
        expect(given).toBeGreaterThanOrEqual(1);
        expect(given).toBeLessThanOrEqual(2);
      },
    );
    expect(points).toBeGreaterThanOrEqual(4);
  });
});
