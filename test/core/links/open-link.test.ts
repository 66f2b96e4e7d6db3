/** Which links open, and what they open, on the fakes. */
import { LINK_LIMITS } from '../../../core/limits';
import { linkName, newLink } from '../../../core/links/link-secret';
import { fileNameOf, findLink, isOpen, openLink } from '../../../core/links/open-link';
import { hashPassword } from '../../../core/links/password';
import type { Link } from '../../../core/links/ports';
import { openBucket, put, remove } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

async function open(fields: Partial<Link> = {}, key = 'a/cat.jpg') {
  const { deps, bucket } = await openBucket();
  await put(deps, key, 'hello');
  const { secret, ...id } = newLink(bucket.id);
  const link: Link = {
    ...{ ...id, bucket: 'photos', key, uses: 0, createdBy: 'ada' },
    createdAt: deps.clock.iso(),
    expiresAt: new Date(deps.clock.now() + 600_000).toISOString(),
    ...fields,
  };
  await deps.links.create(link);
  const find = () => findLink(deps, { name: linkName(id), secret });
  const download = async (password?: string) => {
    const found = await find();
    return found && openLink(deps, found, password);
  };
  const served = async () => (await deps.s3.request('GET', (await download()) ?? '')).headers;
  return { deps, bucket, id, secret, find, download, served };
}

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();

test.each<[Partial<Link>, boolean]>([
  [{ expiresAt: at(1), uses: 9 }, true],
  [{ expiresAt: at(0), uses: 0 }, false],
  [{ expiresAt: at(-1), uses: 0 }, false],
  [{ expiresAt: at(1), uses: 1, maxUses: 2 }, true],
  [{ expiresAt: at(1), uses: 2, maxUses: 2 }, false],
  [{ expiresAt: at(0), uses: 1, maxUses: 2 }, false],
])('a link with %j is open: %s', async (fields, isSo) => {
  const { deps, id } = await open(fields);
  const link = await deps.links.get(id);
  expect(link && isOpen(link, NOW)).toBe(isSo);
});

test.each([
  ['cat.jpg', 'cat.jpg'],
  ['a/b/cat.jpg', 'cat.jpg'],
  ['a/folder/', 'folder'],
  ['a//', 'a'],
  ['/', '/'],
])('the file name of %s is %s', (key, name) => {
  expect(fileNameOf(key)).toBe(name);
});

test('the URL of the bytes works for a minute, and no browser keeps or shows them', async () => {
  const { deps, download } = await open({}, 'a/"c\\at".jpg');
  const url = (await download()) ?? '';
  expect((await deps.s3.request('GET', url)).headers).toMatchObject({
    'content-disposition': 'attachment; filename="_c_at_.jpg"',
    'cache-control': 'private, no-store',
  });
  deps.clock.advance(59_999);
  expect((await deps.s3.request('GET', url)).status).toBe(200);
  deps.clock.advance(1);
  expect((await deps.s3.request('GET', url)).status).toBe(403);
});

test('a link serves the disposition that it was made with', async () => {
  const { served } = await open({ disposition: 'inline' });
  expect((await served())['content-disposition']).toBe('inline');
});

test('a link of a session opens while its object exists, and uses are counted by opening', async () => {
  const { deps, id, find, download } = await open({ maxUses: 1 });
  expect(await find()).toMatchObject({ link: { uses: 0 }, object: { size: 5 } });
  const found = await find();
  if (!found) throw new Error('no link');
  expect(await download()).toBeDefined();
  expect(await openLink(deps, found, undefined)).toBeUndefined();
  expect((await deps.links.get(id))?.uses).toBe(1);
  expect(await find()).toBeUndefined();
});

test('a link ends with its object, with its key, and with its time', async () => {
  const deleted = await open();
  await remove(deleted.deps, 'a/cat.jpg');
  expect(await deleted.find()).toBeUndefined();
  const signer = { keyId: 'key-1', generation: 0 };
  const signed = await open({ signer });
  expect(await signed.find()).toBeUndefined();
  const key = newKey({ id: 'key-1' });
  signed.deps.state.apiKeys.set(key.id, key);
  expect(await signed.find()).toBeDefined();
  for (const actions of [['sign'], ['read']] as const) {
    const permissions = [{ buckets: ['*'], actions }];
    signed.deps.state.apiKeys.set(key.id, { ...key, permissions });
    expect(await signed.find()).toBeUndefined();
  }
  signed.deps.state.apiKeys.set(key.id, key);
  signed.deps.clock.advance(600_000);
  expect(await signed.find()).toBeUndefined();
});

test('a link to a version needs that version, in its bucket', async () => {
  const named = await open({ version: 1, cursor: 1 });
  await put(named.deps, 'a/cat.jpg', 'changed');
  expect(await named.find()).toMatchObject({ object: { version: 1 } });
  const later = await open({ version: 1, cursor: 7 });
  expect(await later.find()).toBeUndefined();
  const none = await open({ version: 2, cursor: 2 });
  expect(await none.find()).toBeUndefined();
  const never = await open({ key: 'never', version: 1, cursor: 1 });
  expect(await never.find()).toBeUndefined();
  const [{ buckets }, other] = [named.deps, { name: 'photos', id: 'other', cursor: 0 }];
  buckets.get = async () => ({ ...other, createdAt: at(0) });
  expect(await named.find()).toBeUndefined();
  buckets.get = async () => undefined;
  expect(await named.find()).toBeUndefined();
});

describe('a password', () => {
  const PASSWORD = 'p'.repeat(LINK_LIMITS.passwordCharacters);
  let hash: string;
  beforeAll(async () => {
    hash = await hashPassword(PASSWORD);
  });

  test('is needed, compared whole, and counted before it is compared', async () => {
    const { deps, id, download } = await open({ password: hash });
    const attempts: unknown[] = [];
    const { attempt } = deps.links;
    deps.links.attempt = async (...given) => {
      attempts.push(given);
      return attempt.apply(deps.links, given);
    };
    for (const none of [undefined, '']) {
      await expect(download(none)).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(attempts).toEqual([]);
    await expect(download(`${PASSWORD}p`)).rejects.toMatchObject({
      ...{ code: 'forbidden', message: 'the password of this link is another one' },
    });
    const limit = { burst: LINK_LIMITS.attemptBurst, intervalMs: 60_000 };
    expect(attempts).toEqual([[expect.objectContaining(id), deps.clock.now(), limit]]);
    expect(await download(PASSWORD)).toMatch(/^https:/);
  });

  test('is the same characters, however they are composed, up to the longest one', async () => {
    const { download } = await open({ password: await hashPassword('\u00e9'.repeat(128)) });
    expect(await download('e\u0301'.repeat(128))).toMatch(/^https:/);
  });

  test('that is tried too often is refused with the time to wait, uncompared', async () => {
    const { deps, download } = await open({ password: hash });
    deps.links.attempt = async () => false;
    await expect(download(PASSWORD)).rejects.toMatchObject({
      ...{ code: 'rate_limited', headers: { 'Retry-After': '60' } },
      message: expect.stringContaining('password'),
    });
  });
});
