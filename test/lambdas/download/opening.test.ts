/** What a link gives to each kind of client. */
import { linkName, newLink } from '../../../core/links/link-secret';
import type { Link } from '../../../core/links/ports';
import { createLinks } from '../../../service/links/links';
import { openBucket, put } from '../../support/bucket-world';
import { send, type TestRequest } from '../../support/requests';

const HTML = 'text/html';

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
  const uses = async () => (await deps.links.get(id))?.uses;
  return { deps, ask, uses };
}

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

test('every response forbids caching, referrers and indexing', async () => {
  const { ask } = await open();
  for (const accept of [HTML, 'application/json', 'image/*']) {
    for (const query of [undefined, { secret: 'x' }]) {
      expect((await ask({ headers: { accept }, query })).headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow, noarchive',
      });
    }
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
)('a prefetch of a download with %s: %s is refused', async (name, value) => {
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

describe('a problem', () => {
  const titleOf = ({ body }: { body: Buffer }) =>
    /<h1><bdi>(.*)<\/bdi><\/h1>/.exec(body.toString())?.[1];

  test('of the service is logged, and shown without its message', async () => {
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
});
