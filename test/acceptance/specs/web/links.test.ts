import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call, callJson, send } from '../../support/http';
import { revokeKey, useKey } from '../../support/keys';
import { download, expectLinked, LINKS, makeLink } from '../../support/links';
import { objectPath, put } from '../../support/objects';
import {
  expectError,
  expectHeadError,
  expectStatus,
  headerOf,
  jsonOf,
} from '../../support/responses';
import { until } from '../../support/wait';

const HTML = { accept: 'text/html' };

describe('A link', () => {
  const bucket = useBucket('links');
  const key = 'a/<b>.txt';
  beforeAll(() => put(bucket, key, 'shared'));

  it('opens an object for everybody: a page for people, the bytes with download', async () => {
    const link = await makeLink({ bucket, key, note: 'for you' });
    const page = expectStatus(await send('GET', link.url, { headers: HTML }), 200);
    expect(page.body.toString()).toContain('&lt;b&gt;.txt');
    expect(headerOf(page, 'content-type')).toBe('text/html; charset=utf-8');
    for (const response of [page, await download(link)]) {
      expect(headerOf(response, 'cache-control')).toBe('no-store');
      expect(headerOf(response, 'referrer-policy')).toBe('no-referrer');
      expect(headerOf(response, 'x-robots-tag')).toContain('noindex');
    }
    await expectLinked(await download(link), 'shared');
  });

  it('describes the object as JSON', async () => {
    const link = await makeLink({ bucket, key });
    const about = await send('GET', link.url, { headers: { accept: 'application/json' } });
    expect(jsonOf(expectStatus(about, 200))).toEqual({
      needs_password: false,
      name: '<b>.txt',
      size: 6,
      content_type: 'application/octet-stream',
    });
  });

  it('is used up by downloads alone, and never once more than max_uses', async () => {
    const link = await makeLink({ bucket, key, max_uses: 3 });
    expectStatus(await send('HEAD', `${link.url}&download`), 200);
    expectStatus(await send('GET', link.url), 200);
    const ahead = { 'sec-purpose': 'prefetch' };
    expectStatus(await send('GET', `${link.url}&download`, { headers: ahead }), 503);
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => download(link)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 307)).toHaveLength(3);
    expect(statuses.filter((status) => status === 404)).toHaveLength(9);
  });

  it('with a password shows nothing without it, and takes it from a form', async () => {
    const link = await makeLink({ bucket, key, password: 'sesame' });
    const page = expectStatus(await send('GET', link.url, { headers: HTML }), 200);
    expect(page.body.toString()).not.toContain('txt');
    expectError(await send('GET', link.url, { headers: { accept: 'text/plain' } }), 403);
    const post = (password: string) =>
      send('POST', link.url, {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: new URLSearchParams({ password }).toString(),
      });
    expectError(await post('wrong'), 403);
    await expectLinked(await post('sesame'), 'shared');
  });

  it('returns 404 from the next request on when it is revoked, as a link that never existed', async () => {
    const link = await makeLink({ bucket, key });
    expectStatus(await call('DELETE', `${LINKS}/${link.id}`), 204);
    const json = { accept: 'application/json' };
    const [mine, other] = [
      await send('GET', link.url, { headers: HTML }),
      await send('GET', link.url.replace(/.$/, '_'), { headers: HTML }),
    ];
    expectStatus(mine, 404);
    expect(mine.body.toString()).toBe(expectStatus(other, 404).body.toString());
    expectError(await send('GET', link.url, { headers: json }), 404);
    expectHeadError(await send('HEAD', link.url), 404);
    expectError(await call('DELETE', `${LINKS}/${link.id}`), 404);
  });

  it('returns 404 when its object is deleted, and opens a later object of the same key', async () => {
    await put(bucket, 'gone', 'one');
    const link = await makeLink({ bucket, key: 'gone' });
    const kept = await makeLink({ bucket, key: 'gone', version: 1 });
    expectStatus(await call('DELETE', objectPath(bucket, 'gone')), 200);
    expectStatus(await download(link), 404);
    await expectLinked(await download(kept), 'one');
    await put(bucket, 'gone', 'two');
    await expectLinked(await download(link), 'two');
  });

  it('is listed until it is revoked, without its URL', async () => {
    const { id } = await makeLink({ bucket, key, note: 'listed', expires_in: 60 });
    const listed = async () => {
      const page = expectStatus(await call('GET', `${LINKS}?bucket=${bucket}&limit=1000`), 200);
      const { links } = jsonOf(page) as { links: { id: string; note?: string }[] };
      return links.find((link) => link.id === id);
    };
    expect(await listed()).toMatchObject({ note: 'listed', uses: 0, bucket, key });
    expect(await listed()).not.toHaveProperty('url');
    expectStatus(await call('DELETE', `${LINKS}/${id}`), 204);
    expect(await listed()).toBeUndefined();
  });

  it('is made once under an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'link-1' };
    const [first, again] = [
      await makeLink({ bucket, key }, { headers }),
      await makeLink({ bucket, key }, { headers }),
    ];
    expect(again).toEqual(first);
  });

  it('is refused with unknown fields, values out of bounds, or a missing object', async () => {
    for (const wish of [{ uses: 1 }, { expires_in: 0 }, { max_uses: 0 }, { password: '' }]) {
      const field = Object.keys(wish)[0];
      expectError(await callJson('POST', LINKS, { bucket, key, ...wish }), 400, { field });
    }
    expectError(await callJson('POST', LINKS, { bucket, key: 'none' }), 404);
    expectError(await call('GET', LINKS), 400, { field: 'bucket' });
  });

  it('returns 405 to other methods of /links and /links/{id}', async () => {
    expectError(await callJson('PUT', LINKS, {}), 405);
    expectError(await call('GET', `${LINKS}/x`), 405);
  });
});

needing(['restricted-keys'], () => {
  describe('A link and the permissions of keys', () => {
    const bucket = useBucket('link-keys');
    const mine = useKey({ buckets: [bucket], prefix: 'mine/', actions: ['sign', 'read'] });
    const others = useKey({ buckets: [bucket], prefix: 'theirs/', actions: ['sign', 'read'] });
    const reader = useKey({ buckets: [bucket], actions: ['read', 'list'] });
    beforeAll(() => put(bucket, 'mine/a', 'mine'));

    it('needs sign and read, and is revoked by a key with sign for the same key', async () => {
      const wish = { bucket, key: 'mine/a' };
      expectError(await callJson('POST', LINKS, wish, { key: reader() }), 403);
      expectError(await callJson('POST', LINKS, wish, { key: others() }), 403);
      const link = await makeLink(wish, { key: mine() });
      expectError(await call('GET', `${LINKS}?bucket=${bucket}`, { key: reader() }), 403);
      const seen = await call('GET', `${LINKS}?bucket=${bucket}`, { key: others() });
      expect(jsonOf(expectStatus(seen, 200)).links).toEqual([]);
      expectError(await call('DELETE', `${LINKS}/${link.id}`, { key: others() }), 404);
      expectStatus(await download(link), 307);
      expectStatus(await call('DELETE', `${LINKS}/${link.id}`, { key: mine() }), 204);
    });
  });
});

needing(['key-revocation', 'restricted-keys'], () => {
  describe('A link whose key was revoked', () => {
    const bucket = useBucket('link-ends');
    const key = useKey({ buckets: [bucket], actions: ['sign', 'read'] });

    it('ends with the key', async () => {
      await put(bucket, 'a', 'shared');
      const link = await makeLink({ bucket, key: 'a' }, { key: key() });
      expectStatus(await download(link), 307);
      await revokeKey(key());
      await until('404', async () => ((await download(link)).status === 404 ? true : undefined));
    });
  });
});
