/**
 * Stops the function before and after every AWS call of storing and deleting a consumer, on the
 * real adapters, and lets the client try again.
 */
import { createApi } from '../../service/storage-api';
import { send, type TestRequest } from '../support/requests';
import { type Service, type ServiceDeps, startService } from '../support/service';

let service: Service;
let buckets = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ask = (deps: ServiceDeps, request: TestRequest) => send(createApi(deps), request);

async function newBucket() {
  const name = `consumed-${++buckets}`;
  const deps = service.open();
  await ask(deps, { method: 'POST', path: '/buckets', body: JSON.stringify({ name }) });
  await ask(deps, { method: 'PUT', path: `/objects/${name}/a`, body: 'x' });
  const put = (cursor: number): TestRequest => ({
    ...{ method: 'PUT', path: `/buckets/${name}/consumers/indexer` },
    headers: { 'Idempotency-Key': `${name}-${cursor}` },
    body: JSON.stringify({ cursor }),
  });
  const consumers = async () => {
    const { id = '' } = (await deps.buckets.get(name)) ?? {};
    return (await deps.consumers.list(id, 100)).items;
  };
  return { name, deps, put, consumers };
}

type Bucket = Awaited<ReturnType<typeof newBucket>>;

/** Runs the request with a lost connection at call 1, 2, 3 … until it completes without. */
async function everyPoint(
  when: 'before' | 'after',
  requestOf: (bucket: Bucket) => Promise<TestRequest>,
  check: (bucket: Bucket, request: TestRequest) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const bucket = await newBucket();
    const request = await requestOf(bucket);
    let calls = 0;
    const deps = service.open({
      watch: async (_call, moment) => {
        if (moment === 'before') calls += 1;
        if (calls !== at || moment !== when) return;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
      },
    });
    await ask(deps, request);
    await check(bucket, request);
    if (calls < at) return at - 1;
  }
}

describe.each(['before', 'after'] as const)('a connection that is lost %s a call', (when) => {
  test('of creating a consumer leaves one after the retry', async () => {
    const points = await everyPoint(
      when,
      async (bucket) => bucket.put(0),
      async (bucket, request) => {
        const retry = await ask(bucket.deps, request);
        expect([retry.status, (await bucket.consumers()).length]).toEqual([201, 1]);
      },
    );
    expect(points).toBeGreaterThanOrEqual(5);
  });

  test('of moving a consumer leaves it at the new cursor after the retry', async () => {
    const points = await everyPoint(
      when,
      async (bucket) => {
        await ask(bucket.deps, bucket.put(0));
        return bucket.put(1);
      },
      async (bucket, request) => {
        const retry = await ask(bucket.deps, request);
        const [one] = await bucket.consumers();
        expect([retry.status, one?.cursor]).toEqual([200, 1]);
      },
    );
    expect(points).toBeGreaterThanOrEqual(5);
  });

  test('of deleting a consumer leaves none after the retry', async () => {
    const points = await everyPoint(
      when,
      async (bucket) => {
        const { path } = bucket.put(0);
        await ask(bucket.deps, bucket.put(0));
        return { method: 'DELETE', path, headers: { 'Idempotency-Key': `${bucket.name}-gone` } };
      },
      async (bucket, request) => {
        const retry = await ask(bucket.deps, request);
        expect([retry.status, (await bucket.consumers()).length]).toEqual([204, 0]);
      },
    );
    expect(points).toBeGreaterThanOrEqual(4);
  });
});
