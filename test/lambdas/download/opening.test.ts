/** Opening links: what a client wants, and what it gets. */
import { linkName, newLink } from '../../../core/links/link-secret';
import type { Link } from '../../../core/links/ports';
import { createLinks, isLink } from '../../../service/links/links';
import { openBucket, put } from '../../support/bucket-world';
import { send, type TestRequest } from '../../support/requests';

const HTML = 'text/html';
const FORM = 'application/x-www-form-urlencoded';

async function open(fields: Partial<Link> = {}) {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a/cat.jpg', 'hello');
  const { secret, ...id } = newLink(bucket.id);
  await deps.links.create({
    ...{ ...id, bucket: 'photos', key: 'a/cat.jpg', uses: 0, createdBy: 'ada' },
    createdAt: deps.clock.iso(),
    expiresAt: new Date(deps.clock.now() + 60_000).toISOString(),
    ...fields,
  });
  const app = createLinks({ ...deps, contentOrigin: 'https://content.example' });
  const ask = (request: Partial<TestRequest> = {}) =>
    send((event) => app({ ...event, path: `/s/${linkName(id)}` }), {
      ...{ path: '', ...request, query: { secret, ...request.query } },
    });
  const post = (type: string, body: string, accept = HTML) =>
    ask({ method: 'POST', headers: { 'Content-Type': type, accept }, body });
  const uses = async () => (await deps.links.get(id))?.uses;
  return { deps, ask, post, uses };
}

test.each([
  ['/s/abc', true],
  ['/s/', true],
  ['/s', false],
  ['/api/s/', false],
])('the path %s is that of a link: %s', (path, isSo) => {
  expect(isLink({ path })).toBe(isSo);
});

test.each([
  [undefined, 'page'],
  ['', 'page'],
  ['text/html;q=0.9', 'page'],
  ['*/*', 'page'],
  ['application/json, */*', 'page'],
  ['TEXT/HTML', 'page'],
  ['application/json', 'json'],
  ['image/png, Application/JSON', 'json'],
  ['image/*', 'bytes'],
])('a client that accepts %j gets the %s', async (accept, kind) => {
  const { ask } = await open();
  const { status, headers } = await ask({
    headers: accept === undefined ? {} : { ACCEPT: accept },
  });
  const types = { page: 'text/html; charset=utf-8', json: 'application/json', bytes: undefined };
  expect([status, headers['content-type']]).toEqual([
    kind === 'bytes' ? 307 : 200,
    types[kind as keyof typeof types],
  ]);
});

const LINK_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

test('every response has the headers of links', async () => {
  const { ask } = await open();
  for (const request of [
    { headers: { accept: HTML } },
    { headers: { accept: 'application/json' } },
    { headers: { accept: 'image/*' } },
    { headers: { accept: 'image/*' }, query: { secret: 'x' } },
    { headers: { accept: HTML }, query: { secret: 'x' } },
  ]) {
    expect((await ask(request)).headers).toMatchObject(LINK_HEADERS);
  }
});

test('HEAD has the headers of the page or the description, and no body', async () => {
  const { ask, uses } = await open();
  for (const accept of [HTML, 'application/json', 'image/*']) {
    const { status, headers, body } = await ask({ method: 'HEAD', headers: { accept } });
    expect([status, body.length]).toEqual([200, 0]);
    expect(Number(headers['content-length'])).toBeGreaterThan(10);
  }
  const missing = await ask({ method: 'HEAD', query: { secret: 'x' } });
  expect([missing.status, missing.body.length, await uses()]).toEqual([404, 0, 0]);
});

test.each(
  ['Purpose', 'Sec-Purpose', 'X-Purpose', 'X-Moz'].flatMap((name) =>
    ['prefetch', 'Preview', 'prerender;x'].map((value) => [name, value] as const),
  ),
)('a download that is asked for ahead of time, with %s: %s, is refused', async (name, value) => {
  const { ask, uses } = await open();
  const headers = { accept: 'image/*', [name]: value };
  const refused = await ask({ headers });
  expect([refused.status, refused.json(), await uses()]).toMatchObject([
    503,
    { error: { message: expect.stringContaining('ahead of time') } },
    0,
  ]);
  expect((await ask({ headers: { accept: HTML, [name]: value } })).status).toBe(200);
});

test('a download with other purposes is served', async () => {
  const { ask } = await open();
  const headers = { accept: 'image/*', purpose: 'download' };
  expect((await ask({ headers })).status).toBe(307);
});

describe('a POST', () => {
  test('of a link without a password redirects by GET', async () => {
    const { post, uses } = await open();
    const { status, headers } = await post(FORM, '');
    expect([status, await uses()]).toEqual([303, 1]);
    expect(headers).toMatchObject({ ...LINK_HEADERS, location: expect.stringMatching(/^https:/) });
  });

  test.each([
    [FORM, 'password='],
    [FORM, 'other=x'],
    ['multipart/form-data', 'password=x'],
    [`x-${FORM}`, 'password=x'],
    [`${FORM}x`, 'password=x'],
    ['', 'password=x'],
  ])('of the type %j with the form %j has no password', async (type, form) => {
    const { deps, post } = await open({ password: 'a.b' });
    deps.links.attempt = () => Promise.reject(new Error('an attempt'));
    const refused = await post(type, form, 'application/json');
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { error: { code: 'forbidden', message: expect.stringContaining('needs its password') } },
    ]);
  });

  test.each([FORM, `${FORM}; charset=UTF-8`, FORM.toUpperCase()])(
    'of the type %s has the password of the form',
    async (type) => {
      const { deps, post } = await open({ password: 'a.b' });
      let attempts = 0;
      deps.links.attempt = async () => {
        attempts += 1;
        return false;
      };
      const { status, headers } = await post(type, 'password=x');
      expect([status, attempts, headers['retry-after']]).toEqual([429, 1, '60']);
    },
  );

  test('has a form of at most 4,096 bytes', async () => {
    const { post } = await open();
    expect((await post(FORM, 'x'.repeat(4096))).status).toBe(303);
    const refused = await post(FORM, 'x'.repeat(4097), 'application/json');
    expect([refused.status, refused.json()]).toMatchObject([
      413,
      { error: { code: 'payload_too_large', message: expect.stringContaining('4096') } },
    ]);
  });
});

describe('a problem', () => {
  const titleOf = ({ body }: { body: Buffer }) => /<h1>(.*)<\/h1>/.exec(body.toString())?.[1];

  test('that is ours is logged, and shown without what it says', async () => {
    const { deps, ask } = await open();
    deps.links.get = () => Promise.reject(new Error('secret'));
    const page = await ask({ headers: { accept: HTML } });
    expect([page.status, titleOf(page)]).toEqual([500, 'Something went wrong']);
    expect(page.body.toString()).not.toContain('secret');
    const json = await ask({ headers: { accept: 'application/json' } });
    expect(json.json()).toMatchObject({ error: { code: 'internal', request_id: 'request-1' } });
    const line = {
      ...{ level: 'error', event: 'request_failed' },
      fields: { requestId: 'request-1', error: new Error('secret') },
    };
    expect(deps.log.lines).toEqual([line, line]);
  });

  test('of the client is not logged, and has a title of its own', async () => {
    const { deps, ask, post } = await open({ password: 'a.b' });
    const gone = await ask({ headers: { accept: HTML }, query: { secret: 'x' } });
    expect([gone.status, titleOf(gone)]).toEqual([404, 'This link does not work']);
    const headers = { accept: 'application/json' };
    expect((await ask({ headers, query: { secret: 'x' } })).json()).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining('this link') },
    });
    const wrong = await post(FORM, 'password=x');
    expect([wrong.status, titleOf(wrong)]).toEqual([403, 'Password needed']);
    expect(wrong.body.toString()).toContain('role="alert"');
    deps.links.attempt = async () => false;
    const often = await post(FORM, 'password=x');
    expect([often.status, titleOf(often)]).toEqual([429, 'Too many attempts']);
    expect(deps.log.lines).toEqual([]);
  });
});

test('the page of a link with a password asks for it, whatever was asked for', async () => {
  const { deps, ask } = await open({ password: 'a.b', note: 'for you' });
  deps.links.attempt = () => Promise.reject(new Error('an attempt'));
  for (const more of [{}, { query: { download: '' } }]) {
    const page = await ask({ headers: { accept: HTML }, ...more });
    expect([page.status, page.body.includes('type="password"')]).toEqual([200, true]);
    expect(page.body.toString()).not.toMatch(/for you|role="alert"/);
  }
  expect((await ask({ headers: { accept: 'application/json' } })).json()).toEqual({
    needs_password: true,
  });
});
