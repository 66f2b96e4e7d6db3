/** Opening links, from the event of the gateway to the response. */
import { mayStillSign } from '../../../core/access/signer';
import { linkName, newLink } from '../../../core/links/link-secret';
import { hashPassword } from '../../../core/links/password';
import type { Link } from '../../../core/links/ports';
import { sizeText } from '../../../service/links/link-page';
import { createLinks } from '../../../service/links/links';
import { openBucket, put, remove } from '../../support/bucket-world';
import { incomingRequest, send, type TestRequest } from '../../support/requests';
import { newKey } from '../../support/samples';

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: HTML };

async function setUp(fields: Partial<Link> = {}) {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a/<cat>.jpg', 'hello');
  const key = newKey({ id: 'key-1' });
  deps.state.apiKeys.set(key.id, key);
  const { secret, ...id } = newLink(bucket.id);
  await deps.links.create({
    ...{ ...id, bucket: 'photos', key: 'a/<cat>.jpg', uses: 0, createdBy: key.id },
    createdAt: deps.clock.iso(),
    expiresAt: new Date(deps.clock.now() + 60_000).toISOString(),
    signer: { keyId: key.id, generation: 0 },
    ...fields,
  });
  const app = createLinks({ ...deps, contentOrigin: 'https://content.example' });
  const ask = (request: Partial<TestRequest> = {}, link: Opening = { ...id, secret }) =>
    send((event) => app({ ...event, path: `/s/${linkName(link)}` }), {
      path: '',
      ...request,
      query: { secret: link.secret, ...request.query },
    });
  const download = (headers: Record<string, string> = { Accept: HTML }) =>
    ask({ query: { download: '' }, headers });
  const uses = async () => (await deps.links.get(id))?.uses;
  return { deps, bucket, key, id, secret, ask, download, uses };
}

/** What the URL of a link holds. */
type Opening = ReturnType<typeof newLink>;

test('the page of a link shows the characters that hide how a name is read', async () => {
  const key = 'invoice_\u202efdp.exe';
  const { deps, ask } = await setUp({ key, note: 'a\u0007b\u2066c' });
  await put(deps, key, 'x');
  const text = (await ask({ headers: { Accept: HTML } })).body.toString();
  expect(text).toContain('invoice_\\u{202e}fdp.exe');
  expect(text).toContain('a\\u{7}b\\u{2066}c');
  for (const hidden of '\u0007\u202e\u2066') expect(text).not.toContain(hidden);
});

test('a browser gets a page that runs nothing, escapes every name and uses nothing up', async () => {
  const { ask, secret, uses } = await setUp({ note: 'from "Ada" & me' });
  const page = await ask({ headers: { Accept: HTML } });
  expect(page.status).toBe(200);
  const text = page.body.toString();
  expect(text).toContain('&lt;cat&gt;.jpg');
  expect(text).toContain('from &quot;Ada&quot; &amp; me');
  expect(text).toContain('5 bytes');
  expect(text).toContain(`href="?secret=${secret}&amp;download="`);
  expect(text).not.toContain('<cat>');
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/content\.example;/,
    ),
  });
  expect(await uses()).toBe(0);
});

test('a download is a redirect to the bytes for a minute, and uses the link up once', async () => {
  const { deps, download, uses } = await setUp({ maxUses: 2 });
  const first = await download();
  expect(first.status).toBe(307);
  const url = first.headers.location ?? '';
  expect((await deps.s3.request('GET', url)).body.toString()).toBe('hello');
  expect((await download()).status).toBe(307);
  expect((await download()).status).toBe(404);
  expect(await uses()).toBe(2);
});

test.each([
  ['HEAD', { method: 'HEAD', query: { download: '' } }, 200],
  ['a look at the page', { headers: { Accept: HTML } }, 200],
  ['the preview of a chat program', { headers: { Accept: '*/*' } }, 200],
  ['a request without Accept', {}, 200],
  ['a description', { headers: { Accept: 'application/json' } }, 200],
  ['a prefetch', { query: { download: '' }, headers: { 'Sec-Purpose': 'prefetch' } }, 503],
  ['a preview', { query: { download: '' }, headers: { Purpose: 'preview' } }, 503],
])('%s does not count as a use of the link', async (_what, request, status) => {
  const { ask, uses } = await setUp({ maxUses: 1 });
  expect((await ask(request)).status).toBe(status);
  expect(await uses()).toBe(0);
});

test('a program that accepts other types gets the bytes, or a description as JSON', async () => {
  const { ask, uses } = await setUp();
  expect((await ask({ headers: { Accept: 'image/*' } })).status).toBe(307);
  expect(await uses()).toBe(1);
  const about = await ask({ headers: { Accept: 'application/json' } });
  expect(about.json()).toEqual({
    ...{ needs_password: false, name: '<cat>.jpg', size: 5, content_type: 'a/b' },
  });
});

type World = Awaited<ReturnType<typeof setUp>>;

test.each<[string, (world: World) => Promise<unknown>]>([
  ['was revoked', async ({ deps, id }) => deps.links.remove(id)],
  ['has expired', async ({ deps }) => deps.clock.advance(60_000)],
  ['is used up', async ({ download }) => download()],
  ['leads to a deleted object', async ({ deps }) => remove(deps, 'a/<cat>.jpg')],
  [
    'was made by a key that is revoked',
    async ({ deps, key }) =>
      deps.state.apiKeys.set(key.id, { ...key, revokedAt: deps.clock.iso() }),
  ],
  [
    'was made by a key that was rotated',
    async ({ deps, key }) => deps.state.apiKeys.set(key.id, { ...key, generation: 1 }),
  ],
  [
    'was made by a key that lost read',
    async ({ deps, key }) =>
      deps.state.apiKeys.set(key.id, {
        ...key,
        permissions: [{ buckets: ['*'], actions: ['sign'] }],
      }),
  ],
])('a link that %s is refused like one that nobody made', async (_what, end) => {
  const world = await setUp({ maxUses: 1 });
  const { ask, bucket, download } = world;
  const unknown = newLink(bucket.id);
  await end(world);
  for (const headers of [{ Accept: HTML }, { Accept: 'application/json' }, { Accept: 'image/*' }]) {
    const [made, other] = [await ask({ headers }), await ask({ headers }, unknown)];
    expect([made.status, made.body.toString()]).toEqual([404, other.body.toString()]);
    expect(made.headers).toEqual(other.headers);
    for (const malformed of [{ secret: 'x' }, { secret: '' }, { hash: 'x' }]) {
      const response = await ask({ headers }, { ...unknown, ...malformed });
      expect(response.body.toString()).toBe(other.body.toString());
    }
  }
  expect((await download()).status).toBe(404);
});

test('a link opens after the key that made it has expired', async () => {
  const { deps, key, download } = await setUp();
  deps.state.apiKeys.set(key.id, { ...key, expiresAt: deps.clock.iso() });
  expect((await download()).status).toBe(307);
  const place = { bucket: 'photos', key: 'a' };
  const signer = { keyId: key.id, generation: 0 };
  expect(await mayStillSign(deps.apiKeys, signer, ['sign'], place)).toBe(true);
});

test('a link follows the current version, or keeps the one that it names', async () => {
  const [following, named] = [await setUp(), await setUp({ version: 1, cursor: 1 })];
  for (const { deps, download } of [following, named]) {
    await put(deps, 'a/<cat>.jpg', 'changed');
    const { headers } = await download();
    const { body } = await deps.s3.request('GET', headers.location ?? '');
    expect(body.toString()).toBe(deps === named.deps ? 'hello' : 'changed');
  }
});

test('a deletion ends no link: one opens what comes later, one the version that it names', async () => {
  const [following, named] = [await setUp(), await setUp({ version: 1, cursor: 1 })];
  for (const { deps, download } of [following, named]) {
    const opened = async () => {
      const { status, headers } = await download();
      if (status !== 307) return status;
      return (await deps.s3.request('GET', headers.location ?? '')).body.toString();
    };
    const names = deps === named.deps;
    await remove(deps, 'a/<cat>.jpg');
    expect(await opened()).toBe(names ? 'hello' : 404);
    await put(deps, 'a/<cat>.jpg', 'another');
    expect(await opened()).toBe(names ? 'hello' : 'another');
  }
});

test('a link to a version does not open another one that has its number later', async () => {
  const { deps, bucket, download } = await setUp({ version: 1, cursor: 1 });
  const removed = await remove(deps, 'a/<cat>.jpg');
  if (removed.result !== 'committed') throw new Error(removed.result);
  await deps.objects.removeTombstone(bucket.id, 'a/<cat>.jpg', removed.object.cursor);
  await put(deps, 'a/<cat>.jpg', 'confidential');
  expect((await download()).status).toBe(404);
});

test('a link to a version ends with its bucket', async () => {
  const { deps, download } = await setUp({ version: 1, cursor: 1 });
  await remove(deps, 'a/<cat>.jpg');
  expect((await download()).status).toBe(307);
  const { get } = deps.buckets;
  deps.buckets.get = async () => undefined;
  expect((await download()).status).toBe(404);
  deps.buckets.get = get;
});

test('a made-up link causes no call', async () => {
  const { deps, id, secret } = await setUp();
  const fail = () => Promise.reject(new Error('a call'));
  const links = { get: fail, use: fail, attempt: fail };
  const app = createLinks({ ...deps, links, contentOrigin: 'https://content.example' });
  const ask = async (query: Record<string, string>) =>
    (await app({ ...incomingRequest({ path: '', query }), path: `/s/${linkName(id)}` })).status;
  const other = secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const statuses = [await ask({ secret }), await ask({ secret: other }), await ask({})];
  expect(statuses).toEqual([500, 404, 404]);
});

describe('a link with a password', () => {
  const locked = async () => setUp({ password: await hashPassword('caf\u00e9'), maxUses: 1 });
  const post = (world: World, password: string, headers: Record<string, string> = FORM) =>
    world.ask({ method: 'POST', headers, body: new URLSearchParams({ password }).toString() });

  test('shows nothing of the object before the password', async () => {
    const { ask, download } = await locked();
    const page = (await ask({ headers: { Accept: HTML } })).body.toString();
    expect(page).toContain('type="password"');
    expect(page).not.toContain('cat');
    expect((await download()).body.toString()).toBe(page);
    const about = await ask({ headers: { Accept: 'application/json' } });
    expect(about.json()).toEqual({ needs_password: true });
    expect((await download({ Accept: 'image/*' })).status).toBe(403);
  });

  test('opens with the password, by a redirect that does not send it on', async () => {
    const world = await locked();
    const wrong = await post(world, 'cafe');
    expect([wrong.status, await world.uses()]).toEqual([403, 0]);
    expect(wrong.body.toString()).toContain('role="alert"');
    // The same characters, composed in another way.
    const right = await post(world, 'cafe\u0301');
    expect([right.status, await world.uses()]).toEqual([303, 1]);
    expect((await world.deps.s3.request('GET', right.headers.location ?? '')).body.toString()).toBe(
      'hello',
    );
  });

  test('bounds the attempts, whatever the password, and forgets them in time', async () => {
    const world = await locked();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await post(world, `guess ${n}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
    const limited = await post(world, 'caf\u00e9', { ...FORM, Accept: 'application/json' });
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '60']);
    world.deps.clock.advance(59_999);
    expect((await post(world, 'caf\u00e9')).status).toBe(429);
  });

  test('refuses a form that is too large, before it compares', async () => {
    const world = await locked();
    expect((await post(world, 'x'.repeat(5000), { 'Content-Type': 'a/b' })).status).toBe(413);
    expect((await post(world, 'x'.repeat(1000))).status).toBe(403);
  });
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [48_213, '48.2 KB'],
  [5_000_000_000_000_000, '5000.0 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
