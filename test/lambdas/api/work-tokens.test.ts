/** What requests cost that may read or sign far more than others, on the fakes. */
import { DEFAULT_RATES, LIMITS, type RateClass, type TierRates } from '../../../core/limits';
import type { TestRequest } from '../../support/requests';
import { setUp } from './world';

const MiB = 1024 * 1024;

async function open(rates: Partial<TierRates> = {}) {
  const opened = await setUp({ rateTiers: { default: { ...DEFAULT_RATES, ...rates } } });
  const { ask, deps } = opened;
  const ofOthers = async (requests: readonly TestRequest[]) => {
    for (const [n, request] of requests.entries()) await ask({ ...request, keyId: `key${n % 50}` });
    deps.clock.advance(10_000);
  };
  return { ...opened, ofOthers };
}

const puts = (count: number, key = (n: number) => String(n).padStart(5, '0')): TestRequest[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ method: 'PUT', path: `/objects/photos/${key(n)}`, body: 'x' },
  }));

const consumers = (count: number): TestRequest[] =>
  Array.from({ length: count }, (_, n) => ({
    method: 'PUT',
    path: `/buckets/photos/consumers/c${n}`,
    body: '{"cursor":0}',
  }));

const post = (path: string, body: object): TestRequest => ({
  ...{ method: 'POST', path },
  body: JSON.stringify({ bucket: 'photos', ...body }),
});

const parts = (count: number) =>
  post('/signed-url', {
    ...{ key: 'film', method: 'PUT' },
    multipart: { size: count * 5 * MiB, part_size: 5 * MiB },
  });

const OBJECTS = [...puts(250), ...puts(250).map((put) => ({ ...put, body: 'y' }))];
const VERSIONS = puts(95, () => 'a');
const asOf = { path: '/objects/photos', query: { as_of: '250', limit: '1000' } };
const versions = { path: '/objects/photos/a', query: { view: 'versions', limit: '1000' } };
const listConsumers = { path: '/buckets/photos/consumers' };
const dryRun = post('/restore', { as_of: 250, dry_run: true });

test.each<[string, RateClass, number, TestRequest, TestRequest[]]>([
  ['a list of an earlier state', 'list', 3, asOf, OBJECTS],
  ['a list of the present', 'list', 1, { ...asOf, query: { limit: '1000' } }, OBJECTS],
  ['a restore that is tried', 'write', 3, dryRun, OBJECTS],
  ['a page of versions', 'read', 10, versions, VERSIONS],
  [
    'a short page of versions',
    'read',
    1,
    { ...versions, query: { view: 'versions', limit: '9' } },
    VERSIONS,
  ],
  ['a page of consumers', 'list', 4, listConsumers, consumers(35)],
  ['an upload in a few parts', 'sign', 1, parts(100), []],
  ['an upload in many parts', 'sign', 10, parts(901), []],
])('%s takes tokens by the work that it causes', async (_what, name, tokens, request, before) => {
  const { ask, ofOthers } = await open();
  await ofOthers(before);
  const response = await ask({ ...request, keyId: 'caller' });
  expect(response.status).toBeLessThan(300);
  expect(response.headers.ratelimit).toContain(
    `"${name}";r=${DEFAULT_RATES[name].burst - tokens};`,
  );
});

const FEW = { rate: 1, burst: 2 };

/** Everything that the pages hold, and how long the first one is; half a minute passes for each. */
async function everything(
  { ask, deps }: Awaited<ReturnType<typeof open>>,
  request: (next: string | undefined) => TestRequest,
  field: string,
) {
  const sizes: number[] = [];
  for (let next: string | undefined, first = true; first || next; first = false) {
    const response = await ask({ ...request(next), keyId: 'caller' });
    expect(response.status).toBe(200);
    const page: Record<string, unknown> = response.json();
    sizes.push((page[field] as unknown[]).length);
    next = (page.next_page_token ?? page.next_before) as string | undefined;
    deps.clock.advance(30_000);
  }
  return { first: sizes[0], all: sizes.reduce((sum, size) => sum + size, 0) };
}

test.each<[string, TestRequest[], (next?: string) => TestRequest, string, number, number]>([
  [
    'a list of an earlier state',
    OBJECTS,
    (next) => ({ ...asOf, query: { ...asOf.query, ...(next && { page_token: next }) } }),
    ...(['objects', 200, 250] as const),
  ],
  [
    'a restore that is tried',
    OBJECTS,
    (next) => post('/restore', { as_of: 250, dry_run: true, page_token: next }),
    // Each read of it advances by a key at least.
    ...(['changes', 201, 250] as const),
  ],
  [
    'the versions of an object',
    VERSIONS,
    (next) => ({ ...versions, query: { ...versions.query, ...(next && { before: `${next}` }) } }),
    ...(['versions', 20, 95] as const),
  ],
  [
    'the consumers of a bucket',
    consumers(35),
    (next) => ({ ...listConsumers, query: { ...(next && { page_token: next }) } }),
    ...(['consumers', 20, 35] as const),
  ],
])(
  'a page of %s ends when the key has no tokens left, and the next one continues',
  async (_what, before, request, field, first, all) => {
    const world = await open({ read: FEW, list: FEW, write: { rate: 300, burst: 300 } });
    await world.ofOthers(before);
    if (field === 'changes') Object.assign(world.deps.rateTiers.default, { write: FEW });
    expect(await everything(world, request, field)).toEqual({ first, all });
  },
);

test('without tokens for all parts no upload begins, and none is signed again', async () => {
  const { ask, deps } = await open({ sign: { rate: 1, burst: 10 } });
  const begun = await ask(parts(901));
  expect(begun.status).toBe(201);
  deps.clock.advance(5_000);

  const again = post('/signed-url', {
    ...{ key: 'film', method: 'PUT' },
    multipart: { upload_id: begun.json<{ upload_id: string }>().upload_id },
  });
  for (const request of [parts(901), again]) {
    const refused = await ask(request);
    expect([refused.status, refused.json()]).toMatchObject([
      429,
      { error: { code: 'rate_limited', details: { class: 'sign' } } },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(deps.state.multiparts.size).toBe(1);
  deps.clock.advance(10_000);
  expect((await ask(again)).status).toBe(201);
});

test('an upload with the largest number of parts begins within any burst', async () => {
  const { ask } = await open({ sign: { rate: 1, burst: 3 } });
  expect((await ask(parts(LIMITS.partsMax))).status).toBe(201);
});
