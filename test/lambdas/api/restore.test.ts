/** POST /restore, on the fakes. */
import { DEFAULT_RATES } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { setUp } from './world';

interface Restored {
  readonly restored: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly has_more: boolean;
  readonly next_page_token?: string;
}

/** A bucket with so many objects, all of them newer than cursor 0. */
async function withObjects(count: number, write = DEFAULT_RATES.write) {
  const opened = await setUp({ rateTiers: { default: { ...DEFAULT_RATES, write } } });
  const { ask, deps } = opened;
  for (let n = 0; n < count; n++) {
    const path = `/objects/photos/${String(n).padStart(5, '0')}`;
    await ask({ method: 'PUT', path, body: 'x', keyId: `writer${n % 50}` });
    if (n % 200 === 199) deps.clock.advance(10_000);
  }
  while ((await publishChanges(deps, 'photos'))?.stats.published !== count);
  const restore = (body: Readonly<Record<string, unknown>>, headers = {}, keyId = 'restorer') =>
    ask({
      ...{ method: 'POST', path: '/restore', headers, keyId },
      body: JSON.stringify({ bucket: 'photos', ...body }),
    });
  return { ...opened, restore };
}

test('a call ends when the key has no tokens left, and the next one continues', async () => {
  const { restore, ask, deps } = await withObjects(500);
  let deleted = 0;
  let token: string | undefined;
  let calls = 0;
  do {
    const response = await restore({ as_of: 0, page_token: token });
    expect(response.status).toBe(200);
    const done = response.json<Restored>();
    deleted += done.deleted;
    token = done.next_page_token;
    expect(done.has_more).toBe(token !== undefined);
    calls += 1;
    deps.clock.advance(500);
  } while (token !== undefined);
  expect([deleted, calls > 2]).toEqual([500, true]);
  const page = (await ask({ path: '/objects/photos' })).json<{ objects: unknown[] }>();
  expect(page.objects).toEqual([]);
});

test('a key with a small burst restores an object for each token', async () => {
  const [rate, burst] = [4, 10];
  const { restore, deps } = await withObjects(40, { rate, burst });
  const started = deps.clock.now();
  let deleted = 0;
  for (let token: string | undefined = ''; token !== undefined; ) {
    const response = await restore({ as_of: 0, ...(token && { page_token: token }) });
    expect(response.status).toBe(200);
    const done = response.json<Restored>();
    expect(done.deleted).toBeGreaterThan(0);
    deleted += done.deleted;
    expect(deleted).toBeLessThanOrEqual(burst + (rate * (deps.clock.now() - started)) / 1000);
    token = done.next_page_token;
    deps.clock.advance(1000);
  }
  expect(deleted).toBe(40);
});

test('a page token continues its own restore only', async () => {
  const { restore } = await withObjects(300);
  const token = (await restore({ as_of: 0 })).json<Restored>().next_page_token;
  expect(token).toBeDefined();
  for (const other of [
    restore({ as_of: 1, page_token: token }),
    restore({ as_of: 0, page_token: token, prefix: '0' }),
    restore({ as_of: 0, page_token: token, dry_run: true }),
    restore({ as_of: 0, page_token: token }, {}, 'another'),
  ]) {
    const response = await other;
    expect(response.status).toBe(400);
    expect(response.json()).toMatchObject({ error: { details: { field: 'page_token' } } });
  }
});

test('a restored object keeps its expiry unless it has passed', async () => {
  const { ask, deps } = await setUp();
  const { clock } = deps;
  const HOUR = 3_600_000;
  const expiries = {
    over: new Date(clock.now() + HOUR).toISOString(),
    ahead: new Date(clock.now() + 100 * HOUR).toISOString(),
    same: new Date(clock.now() + HOUR).toISOString(),
  };
  for (const [key, expiry] of Object.entries(expiries)) {
    const headers = { 'x-object-expires-at': expiry };
    await ask({ method: 'PUT', path: `/objects/photos/${key}`, body: 'one', headers });
  }
  for (const key of ['over', 'ahead']) {
    await ask({ method: 'PUT', path: `/objects/photos/${key}`, body: 'two' });
  }
  await publishChanges(deps, 'photos');
  clock.advance(2 * HOUR);
  const body = JSON.stringify({ bucket: 'photos', as_of: 3 });
  const response = await ask({ method: 'POST', path: '/restore', body });
  expect(response.json<Restored>()).toMatchObject({ restored: 2, deleted: 0, unchanged: 1 });
  const list = (await ask({ path: '/objects/photos' })).json<{
    objects: readonly { key: string; expires_at?: string; size: number; version: number }[];
  }>();
  const found = Object.fromEntries(list.objects.map((one) => [one.key, one]));
  expect(found.over?.expires_at).toBeUndefined();
  expect(found.ahead).toMatchObject({ expires_at: expiries.ahead, version: 3 });
  expect(found.same).toMatchObject({ expires_at: expiries.same, version: 1 });
  const again = await ask({ method: 'POST', path: '/restore', body });
  expect(again.json<Restored>()).toMatchObject({ restored: 0, unchanged: 3 });
});

test('a restore with an Idempotency-Key is refused with 400', async () => {
  const { restore } = await withObjects(1);
  const response = await restore({ as_of: 0 }, { 'Idempotency-Key': 'k' });
  expect(response.status).toBe(400);
  expect(response.json()).toMatchObject({ error: { details: { field: 'Idempotency-Key' } } });
});

test('a page token of a deleted bucket is refused with 400', async () => {
  const { restore, ask, deps } = await withObjects(300);
  const token = (await restore({ as_of: 0 })).json<Restored>().next_page_token;
  deps.clock.advance(60_000);
  const rest = await restore({ as_of: 0, page_token: token });
  expect(rest.json<Restored>()).toMatchObject({ has_more: false });
  while ((await publishChanges(deps, 'photos'))?.stats.published !== 600);
  expect((await ask({ method: 'DELETE', path: '/buckets/photos' })).status).toBe(204);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  const late = await restore({ as_of: 0, page_token: token });
  expect(late.status).toBe(400);
  expect(late.json()).toMatchObject({
    error: { details: { rule: 'belongs to a deleted bucket' } },
  });
});

test.each([-1, 0.5, '0', null])('a restore to the cursor %j is refused with 400', async (as_of) => {
  const { restore } = await withObjects(1);
  const response = await restore({ as_of });
  expect(response.status).toBe(400);
  expect(response.json()).toMatchObject({ error: { details: { field: 'as_of' } } });
});
