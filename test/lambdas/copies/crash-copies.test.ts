/**
 * Stops the request of a large copy, and the janitor that makes it, before and after every AWS
 * call, on the real adapters: the client's retry and the next run end in one copy.
 */
import { copyObjects } from '../../../core/maintenance/copy-objects';
import { NEVER_STOP } from '../../../core/stop-signal';
import { type Service, startService } from '../../support/service';
import { BYTES, bucketWithFilm, copyRequest, LEASES_END_MS, lowerLimits } from './world';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
lowerLimits();

type World = Awaited<ReturnType<typeof bucketWithFilm>>;

const FAULTS = [
  { kind: 'killed', when: 'before' },
  { kind: 'killed', when: 'after' },
  { kind: 'disconnected', when: 'before' },
  { kind: 'disconnected', when: 'after' },
] as const;

/** Runs `act` with a fault at call `at`. Returns how many calls there were. */
async function faulty(
  { clock }: World,
  { kind, when }: (typeof FAULTS)[number],
  at: number,
  act: (deps: World['deps']) => Promise<unknown>,
): Promise<number> {
  let calls = 0;
  let struck: () => void = () => undefined;
  const hit = new Promise<void>((resolve) => {
    struck = resolve;
  });
  const deps = service.open({
    clock,
    watch: async (_call, moment) => {
      if (moment === 'before') calls += 1;
      if (calls < at || (calls === at && moment !== when)) return;
      if (kind === 'disconnected' && calls > at) return;
      struck();
      if (kind === 'killed') await new Promise(() => undefined);
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    },
  });
  const running = act(deps).catch(() => undefined);
  await (kind === 'killed' ? Promise.race([running, hit]) : running);
  return calls;
}

async function expectOneCopy(
  { ask, deps, read, runs, bucket, bucketId, clock }: World,
  id: unknown,
) {
  clock.advance(LEASES_END_MS);
  await runs(3);
  expect(BYTES.equals((await read('copy')) ?? Buffer.of())).toBe(true);
  const state = (await ask({ path: `/uploads/${id}` })).json();
  expect(state).toMatchObject({ state: 'committed', object: { version: 1 } });
  const record = await deps.objects.get(bucketId, 'copy');
  expect(record?.version).toBe(1);
  expect(await deps.pendingCopies.list()).toEqual([]);
  await ask({ method: 'DELETE', path: `/objects/${bucket}/copy` });
}

test.each(FAULTS)(
  'a request that is $kind $when a call begins one copy with its repetition',
  async (fault) => {
    const world = await bucketWithFilm(service);
    const { ask, bucket, deps } = world;
    for (let at = 1; ; at++) {
      const key = `copy-${at}`;
      const request = copyRequest(bucket, { key }, {}, { 'idempotency-key': key });
      const calls = await faulty(world, fault, at, (broken) => ask(request, broken));
      const response = await ask(request);
      expect(response.status).toBe(202);
      expect((await ask(request)).json()).toEqual(response.json());
      const pending = await deps.pendingCopies.list();
      expect(pending.map(({ id }) => id)).toEqual([response.json().upload_id]);
      for (const { id } of pending) await deps.pendingCopies.remove(id);
      if (calls < at) {
        expect(at).toBeGreaterThan(5);
        return;
      }
    }
  },
  120_000,
);

test.each(FAULTS)(
  'a janitor that is $kind $when a call leaves the rest of the copy to the next run',
  async (fault) => {
    for (let at = 1; ; at++) {
      const world = await bucketWithFilm(service);
      const begun = await world.commit({});
      const calls = await faulty(world, fault, at, (broken) => copyObjects(broken, NEVER_STOP));
      await expectOneCopy(world, begun.json().upload_id);
      if (calls < at) {
        expect(at).toBeGreaterThan(10);
        return;
      }
    }
  },
  300_000,
);
