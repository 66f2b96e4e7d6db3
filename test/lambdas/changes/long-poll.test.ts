/** Requests that wait for a change. On the fakes. */
import type { ApiKeyRecord } from '../../../core/access/ports';
import { DEFAULT_RATES } from '../../../core/limits';
import { createApi } from '../../../service/storage-api';
import { BUCKET, put } from '../../support/bucket-world';
import { send } from '../../support/requests';
import { KEY, setUp } from './world';

type World = Awaited<ReturnType<typeof setUp>>;

const POLL = { cursor: '0', wait: '20' };

/** Does the work while the next request waits for the `nth` time. */
function duringSleep({ deps }: World, nth: number, work: () => Promise<unknown>): void {
  const { sleep } = deps.clock;
  let sleeps = 0;
  jest.spyOn(deps.clock, 'sleep').mockImplementation(async (milliseconds) => {
    await sleep.call(deps.clock, milliseconds);
    sleeps += 1;
    if (sleeps === nth) await work();
  });
}

describe('a long poll', () => {
  test('ends with the first change', async () => {
    const world = await setUp();
    const { deps, ask } = world;
    duringSleep(world, 5, () => put(deps, 'a', '1'));
    const from = deps.clock.now();
    const page = await ask({ cursor: '0', wait: '20' });
    expect(page.json()).toMatchObject({ from: 0, to: 1, changes: [{ cursor: 1 }] });
    expect(deps.clock.now() - from).toBeLessThan(5_000);
  });

  test('ends without changes after its timeout, with at most 25 polls in 20 seconds', async () => {
    const { deps, ask } = await setUp();
    let reads = 0;
    const { get } = deps.buckets;
    deps.buckets.get = (name) => {
      reads += 1;
      return get.call(deps.buckets, name);
    };
    const from = deps.clock.now();
    const page = await ask({ cursor: '0', wait: '20' });
    expect(page.json()).toMatchObject({ from: 0, to: 0, head: 0, changes: [] });
    expect(deps.clock.now() - from).toBe(20_000);
    expect(reads).toBeLessThanOrEqual(25);
  });

  test('ends when the bucket is deleted', async () => {
    const world = await setUp();
    const { deps, bucket, ask } = world;
    duringSleep(world, 1, async () => {
      await deps.buckets.close(bucket, deps.clock.iso());
      await deps.buckets.remove({ ...bucket, trimmed: 1, deletedAt: deps.clock.iso() });
    });
    expect((await ask({ cursor: '0', wait: '20' })).status).toBe(404);
  });

  test('ends with a change behind a gap when the gap is filled', async () => {
    const world = await setUp();
    const { deps, bucket, ask } = world;
    const pending = await deps.commits.allocate(bucket);
    await put(deps, 'b', '1');
    expect(pending).toBe(1);
    const page = await ask(POLL);
    expect(page.json()).toMatchObject({ from: 0, to: 2, changes: [{ cursor: 2 }] });
  });

  test('of HEAD waits too', async () => {
    const world = await setUp();
    duringSleep(world, 3, () => put(world.deps, 'a', '1'));
    const head = await world.ask(POLL, { method: 'HEAD' });
    expect([head.status, head.headers.etag, head.body.length]).toEqual([200, '"1"', 0]);
  });
});

describe('a key at its limit of waiting requests', () => {
  const wait = { ...DEFAULT_RATES.wait, concurrent: 2 };

  /** Runs the work while two requests of the key wait. Returns their statuses. */
  async function whileTwoWait(world: World, work: () => Promise<unknown>) {
    const { clock, state } = world.deps;
    const { sleep } = clock;
    let second: ReturnType<World['ask']> | undefined;
    let done: Promise<unknown> | undefined;
    jest.spyOn(clock, 'sleep').mockImplementation(async (milliseconds) => {
      await sleep.call(clock, milliseconds);
      second ??= world.ask(POLL);
      if (state.slotsOf(KEY, 'wait').size === 2) done ??= work();
      await done;
    });
    const first = await world.ask(POLL);
    await done;
    expect(done).toBeDefined();
    return [first.status, (await second)?.status];
  }

  test('gets the next page at once, with Retry-After when it is empty', async () => {
    const world = await setUp({ wait });
    const { deps, ask } = world;
    const statuses = await whileTwoWait(world, async () => {
      const empty = await ask(POLL);
      expect([empty.status, empty.headers['retry-after']]).toEqual([200, '2']);
      expect(empty.json()).toMatchObject({ from: 0, to: 0, changes: [] });
      const unchanged = await ask(POLL, { headers: { 'If-None-Match': '"0"' } });
      expect([unchanged.status, unchanged.headers['retry-after']]).toEqual([304, '2']);
      await put(deps, 'a', '1');
      const page = await ask(POLL);
      expect([page.status, page.headers['retry-after']]).toEqual([200, undefined]);
      expect(page.json()).toMatchObject({ from: 0, to: 1 });
    });
    expect(statuses).toEqual([200, 200]);
  });

  test('waits again as soon as one of them has ended', async () => {
    const world = await setUp({ wait });
    for (let n = 0; n < 3; n++) {
      const from = world.deps.clock.now();
      const page = await world.ask(POLL);
      expect(page.headers['retry-after']).toBeUndefined();
      expect(world.deps.clock.now() - from).toBe(20_000);
    }
    expect(world.deps.state.slotsOf(KEY, 'wait').size).toBe(0);
  });

  test('waits again half a minute after the instances of its requests died', async () => {
    const world = await setUp({ wait });
    const { deps, ask } = world;
    jest.spyOn(deps.slots, 'release').mockRejectedValue(new Error('the instance died'));
    for (let n = 0; n < 2; n++) expect((await ask({ cursor: '0', wait: '1' })).status).toBe(200);
    expect((await ask(POLL)).headers['retry-after']).toBe('2');
    deps.clock.advance(11_000);
    expect((await ask(POLL)).headers['retry-after']).toBeUndefined();
  });

  test('takes no slot from another key', async () => {
    const world = await setUp({ wait });
    world.addKey('other');
    await whileTwoWait(world, async () => {
      const taken = await world.deps.slots.take('other', 'wait', {
        holder: 'x',
        limit: 1,
        now: world.deps.clock.now(),
        until: world.deps.clock.now() + 1,
      });
      expect(taken).toBe(true);
      await put(world.deps, 'a', '1');
    });
  });
});

test('a service at its limit of waiting requests answers further ones at once', async () => {
  const world = await setUp({ maxWaiting: 1 });
  const { deps, ask, addKey } = world;
  addKey('other');
  duringSleep(world, 1, async () => {
    const page = await ask(POLL, { keyId: 'other' });
    expect([page.status, page.headers['retry-after']]).toEqual([200, '2']);
    expect(deps.state.slotsOf('other', 'wait').size).toBe(0);
    expect((await ask({ cursor: '0' }, { keyId: 'other' })).status).toBe(200);
  });
  expect((await ask(POLL)).status).toBe(200);
  expect(deps.log.lines).toEqual([
    { level: 'info', event: 'wait_refused', fields: { keyId: 'other', waiting: 1 } },
  ]);
});

describe('a request is answered at once when the service', () => {
  const expectAnswerAtOnce = async ({ deps, ask }: World) => {
    const page = await ask(POLL);
    expect([page.status, page.headers['retry-after']]).toEqual([200, '2']);
    expect(deps.clock.sleeps).toEqual([]);
  };

  test('cannot count it, and releases the slot of its key', async () => {
    const world = await setUp();
    const { slots, state } = world.deps;
    const { take } = slots;
    jest.spyOn(slots, 'take').mockImplementation(async (owner, ...request) => {
      if (owner === '*') throw new Error('throttled');
      return take.call(slots, owner, ...request);
    });
    await expectAnswerAtOnce(world);
    expect(state.slotsOf(KEY, 'wait').size).toBe(0);
  });

  test('has no slot left, and that of its key cannot be released', async () => {
    const world = await setUp({ maxWaiting: 0 });
    jest.spyOn(world.deps.slots, 'release').mockRejectedValue(new Error('throttled'));
    await expectAnswerAtOnce(world);
  });
});

describe('a request that waits while its key', () => {
  const change = ({ deps }: World, to: Partial<ApiKeyRecord>) => {
    const key = deps.state.apiKeys.get(KEY);
    if (key) deps.state.apiKeys.set(KEY, { ...key, ...to });
  };

  test.each<[string, (world: World) => Partial<ApiKeyRecord>, number]>([
    ['is revoked', ({ deps }) => ({ revokedAt: deps.clock.iso() }), 401],
    ['expires', ({ deps }) => ({ expiresAt: deps.clock.iso() }), 401],
    ['gets another secret', () => ({ generation: 1 }), 401],
    ['loses the permission', () => ({ permissions: [] }), 403],
  ])('%s gets no change that is written after that', async (_what, to, status) => {
    const world = await setUp();
    duringSleep(world, 6, async () => {
      change(world, to(world));
      await put(world.deps, 'secret', '1');
    });
    const response = await world.ask(POLL);
    expect(response.status).toBe(status);
    expect(response.body.toString()).not.toContain('secret');
    expect(world.deps.state.slotsOf(KEY, 'wait').size).toBe(0);
  });

  test('is revoked gets 401 in place of an empty page', async () => {
    const world = await setUp();
    duringSleep(world, 6, async () => change(world, { revokedAt: world.deps.clock.iso() }));
    expect((await world.ask(POLL)).status).toBe(401);
  });

  test('does not change costs no read of the key when the wait is short', async () => {
    const world = await setUp();
    const reads = jest.spyOn(world.deps.apiKeys, 'get');
    duringSleep(world, 4, () => put(world.deps, 'a', '1'));
    expect((await world.ask(POLL)).status).toBe(200);
    expect(reads).not.toHaveBeenCalled();
  });
});

test('function api never waits: it answers at once, with Retry-After', async () => {
  const { deps } = await setUp();
  const api = createApi({ ...deps, responseMode: 'stream' });
  const page = await send(api, { path: '/sync', query: { bucket: BUCKET, ...POLL } });
  expect([page.status, page.headers['retry-after']]).toEqual([200, '2']);
  expect(deps.clock.sleeps).toEqual([]);
});
