/**
 * Stops the function before and after every AWS call of a deletion by prefix and of a restore,
 * which consist of several commits. Each commit must be whole, and the repeated call must do the
 * rest.
 */
import { createApi } from '../../service/storage-api';
import { type CrashBucket, everyPoint, FAULTS } from '../support/crash-points';
import { send, type TestRequest } from '../support/requests';
import { newKey } from '../support/samples';
import { type Service, type ServiceDeps, startService } from '../support/service';

let service: Service;

// One for each test: what the reconciler checks grows with each crash.
beforeEach(async () => {
  service = await startService();
  await service.putKey(newKey({ id: 'key-1' }));
});
afterEach(() => service.stop());

const ask = (deps: ServiceDeps, request: TestRequest) => send(createApi(deps), request);

/** So long that the message of a commit holds 19 deletions. */
const keys = Array.from({ length: 20 }, (_, n) => `p/${String(n).padStart(850, '0')}`);

async function commit(deps: ServiceDeps, bucket: string, changes: readonly object[]) {
  const body = JSON.stringify({ bucket, changes });
  const response = await ask(deps, { method: 'POST', path: '/commits', body });
  if (response.status !== 201) throw new Error(response.body.toString());
  return response.json<{ to: number }>().to;
}

const puts = (names: readonly string[], content: string) =>
  names.map((key) => ({ op: 'put', key, content }));

/** What the bucket holds, by key: the sizes of its objects. */
async function sizesOf({ deps, name }: Pick<CrashBucket, 'deps' | 'name'>) {
  const response = await ask(deps, { path: `/objects/${name}`, query: { limit: '1000' } });
  const { objects } = response.json<{ objects: { key: string; size: number }[] }>();
  return Object.fromEntries(objects.map(({ key, size }) => [key, size]));
}

// A function killed before a call leaves what one killed after the call before it leaves.
const DISTINCT = FAULTS.filter(({ kind, when }) => kind === 'disconnected' || when === 'after');

describe.each(DISTINCT)('a function that is $kind $when a call', (fault) => {
  test('deletes whole commits of a prefix, and the rest when it is asked again', async () => {
    const remove = (deps: ServiceDeps, name: string) =>
      ask(deps, { method: 'DELETE', path: `/objects/${name}`, query: { prefix: 'p/' } });
    const left = new Set<number>();
    const points = await everyPoint(service, fault, {
      prepare: async ({ deps, name }) => {
        await commit(deps, name, puts(keys.slice(0, 10), 'AAAA'));
        await commit(deps, name, puts([...keys.slice(10), 'q'], 'AAAA'));
      },
      act: async (writer, { name }) => {
        await remove(writer, name);
        return undefined;
      },
      after: async ({ deps, name }) => {
        left.add(Object.keys(await sizesOf({ deps, name })).length - 1);
        const rest = await remove(deps, name);
        expect([rest.status, rest.json<{ has_more: boolean }>().has_more]).toEqual([200, false]);
        expect(await sizesOf({ deps, name })).toEqual({ q: 3 });
      },
    });
    expect(points).toBeGreaterThanOrEqual(7);
    expect([...left].sort((a, b) => a - b)).toEqual([0, 1, 20]);
  });

  test('restores whole commits, and the rest when it is asked again', async () => {
    const places = new Map<string, number>();
    const restore = (deps: ServiceDeps, bucket: string) => {
      const body = JSON.stringify({ bucket, as_of: places.get(bucket) });
      return ask(deps, { method: 'POST', path: '/restore', body });
    };
    const seen = new Set<string>();
    const points = await everyPoint(service, fault, {
      prepare: async ({ deps, name }) => {
        const to = await commit(deps, name, puts(['kept', 'changed', 'gone', 'moved'], 'AAAA'));
        places.set(name, to);
        await commit(deps, name, [
          ...puts(['changed', 'new'], 'AAAAAAAA'),
          { op: 'delete', key: 'gone' },
          { op: 'move', key: 'there', from: { key: 'moved' } },
        ]);
      },
      act: async (writer, { name }) => {
        await restore(writer, name);
        return undefined;
      },
      after: async ({ deps, name }) => {
        seen.add(JSON.stringify(await sizesOf({ deps, name })));
        const rest = await restore(deps, name);
        expect([rest.status, rest.json<{ has_more: boolean }>().has_more]).toEqual([200, false]);
        const restored = { kept: 3, changed: 3, gone: 3, moved: 3 };
        expect(await sizesOf({ deps, name })).toEqual(restored);
      },
    });
    expect(points).toBeGreaterThanOrEqual(9);
    expect([...seen].sort()).toEqual([
      '{"changed":3,"gone":3,"kept":3,"moved":3}',
      '{"changed":6,"kept":3,"new":6,"there":3}',
    ]);
  });
});
