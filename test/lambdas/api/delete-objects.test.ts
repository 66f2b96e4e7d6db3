/** DELETE of objects by prefix, on the fakes. */
import { DEFAULT_RATES } from '../../../core/limits';
import { EVERYTHING } from '../../support/requests';
import { setUp } from './world';

interface Deleted {
  readonly deleted: number;
  readonly from?: number;
  readonly to?: number;
  readonly has_more: boolean;
  readonly next_page_token?: string;
}

async function withObjects(count: number, prefix = 'a/', write = DEFAULT_RATES.write) {
  const opened = await setUp({ rateTiers: { default: { ...DEFAULT_RATES, write } } });
  const { ask, deps } = opened;
  const store = (key: string) =>
    ask({ method: 'PUT', path: `/objects/photos/${key}`, body: 'x', keyId: `w${key}` });
  for (let n = 0; n < count; n++) {
    await store(`${prefix}${String(n).padStart(5, '0')}`);
    if (n % 200 === 199) deps.clock.advance(10_000);
  }
  deps.clock.advance(10_000);
  const remove = (query: Readonly<Record<string, string>>) =>
    ask({ method: 'DELETE', path: '/objects/photos', query });
  const left = async () => {
    const page = (await ask({ path: '/objects/photos', query: { limit: '1000' } })).json();
    return (page.objects as { key: string }[]).map(({ key }) => key);
  };
  return { ...opened, store, remove, left };
}

test('the objects below a prefix are deleted in commits of up to 32', async () => {
  const { remove, left, store, deps, ask } = await withObjects(70);
  await store('b');
  const response = await remove({ prefix: 'a/' });
  expect(response.status).toBe(200);
  expect(response.json()).toEqual({
    ...{ bucket: 'photos', deleted: 70, from: 72, to: 141, has_more: false },
  });
  expect(await left()).toEqual(['b']);
  const { id } = (await deps.buckets.get('photos')) ?? { id: '' };
  const first = await deps.changeLog.get(id, 72);
  expect(first).toMatchObject({ type: 'delete', commit: { first: 72, last: 103 } });
  const again = (
    await ask({ method: 'DELETE', path: '/objects/photos', query: { prefix: 'a/' } })
  ).json<Deleted>();
  expect(again).toEqual({ bucket: 'photos', deleted: 0, has_more: false });
});

test('a call ends when the key has no tokens left, and the next one continues', async () => {
  const { remove, left, deps } = await withObjects(500);
  let deleted = 0;
  let token: string | undefined;
  let calls = 0;
  do {
    const query = { prefix: 'a/', ...(token !== undefined && { page_token: token }) };
    const response = await remove(query);
    expect(response.status).toBe(200);
    const page = response.json<Deleted>();
    deleted += page.deleted;
    token = page.next_page_token;
    expect(page.has_more).toBe(token !== undefined);
    expect(page.deleted).toBeLessThanOrEqual(DEFAULT_RATES.write.burst);
    calls += 1;
    deps.clock.advance(10_000);
  } while (token !== undefined);
  expect([deleted, calls, await left()]).toEqual([500, 2, []]);
});

test.each([
  [1, 1],
  [4, 10],
  [4, 32],
  [4, 33],
])(
  'a key of %i tokens a second and a burst of %i deletes an object for each token',
  async (rate, burst) => {
    const count = 40;
    const { remove, left, deps } = await withObjects(count, 'a/', { rate, burst });
    const started = deps.clock.now();
    let deleted = 0;
    let calls = 0;
    for (let token: string | undefined = ''; token !== undefined; calls++) {
      const response = await remove({ prefix: 'a/', ...(token && { page_token: token }) });
      expect(response.status).toBe(200);
      const page = response.json<Deleted>();
      expect(page.deleted).toBeGreaterThan(0);
      deleted += page.deleted;
      const seconds = (deps.clock.now() - started) / 1000;
      expect(deleted).toBeLessThanOrEqual(burst + rate * seconds);
      token = page.next_page_token;
      // Never so long that the bucket is full again, unless it holds one token only.
      deps.clock.advance(1000);
    }
    expect([deleted, await left()]).toEqual([count, []]);
    expect(calls).toBeLessThanOrEqual(1 + Math.ceil((count - burst) / rate));
  },
);

test('an object that another request deletes during the call is left out', async () => {
  const { remove, ask, deps } = await withObjects(3);
  const { list } = deps.objects;
  deps.objects.list = async (...parameters) => {
    const page = await list.apply(deps.objects, parameters);
    await ask({ method: 'DELETE', path: '/objects/photos/a/00001' });
    return page;
  };
  expect((await remove({ prefix: 'a/' })).json<Deleted>().deleted).toBe(2);
});

test.each([
  [{}, {}, 'prefix'],
  [{ prefix: '' }, { 'Idempotency-Key': 'k' }, 'Idempotency-Key'],
  [{ prefix: '', page_token: 'x' }, {}, 'page_token'],
])('the query %j with headers %j is refused with 400', async (query, headers, field) => {
  const { ask, left } = await withObjects(1);
  const request = { method: 'DELETE', path: '/objects/photos', query, headers };
  const response = await ask(request);
  expect(response.status).toBe(400);
  expect(response.json()).toMatchObject({ error: { details: { field } } });
  expect(await left()).toHaveLength(1);
});

test('the key needs delete for the whole prefix', async () => {
  const { ask, left } = await withObjects(1);
  const [everything] = EVERYTHING;
  const permissions = [
    { buckets: everything?.buckets ?? [], actions: ['delete' as const], prefix: 'a/' },
  ];
  const request = { method: 'DELETE', path: '/objects/photos', permissions };
  for (const prefix of ['', 'a', 'b/']) {
    const refused = await ask({ ...request, query: { prefix } });
    expect([refused.status, await left()]).toEqual([403, ['a/00000']]);
  }
  expect((await ask({ ...request, query: { prefix: 'a/' } })).status).toBe(200);
  expect(await left()).toEqual([]);
});
