import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSite } from '../../../service/site/files';
import { contentSecurityPolicy } from '../../../service/site/security-headers';
import { createSite } from '../../../service/site/site';
import { incomingRequest } from '../../support/requests';
import { useTemporaryFolder } from '../../support/temporary-folder';

const folder = useTemporaryFolder('site');
mkdirSync(path.join(folder, 'assets'));
writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
writeFileSync(path.join(folder, 'assets', 'a-1.js'), 'plain');
writeFileSync(path.join(folder, 'assets', 'a-1.js.gz'), 'compressed');

const STORE = 'https://store.example';
const origins = { connectTo: [STORE, 'https://issuer.example'], show: [STORE] };
const site = createSite({ files: readSite(folder), origins });

const get = (where: string, headers: Record<string, string> = {}, method = 'GET') =>
  site({ ...incomingRequest({ path: '', method, headers }), path: where });

test('browsers revalidate the page, and cache its files', async () => {
  const page = await get('/');
  expect(page.headers).toMatchObject({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
  });
  const file = await get('/assets/a-1.js');
  expect(file.headers['Cache-Control']).toContain('immutable');
  const again = await get('/', { 'If-None-Match': page.headers.ETag ?? '' });
  expect(again).toMatchObject({ status: 304 });
  expect(again).not.toHaveProperty('body');
  const listed = await get('/', { 'If-None-Match': `"other", ${page.headers.ETag}` });
  expect(listed.status).toBe(304);
});

test.each([
  ['gzip, br', 'compressed'],
  ['br, GZIP;q=0.5', 'compressed'],
  ['gzip ; q=1', 'compressed'],
  ['gzip; \tq=0.001', 'compressed'],
  ['gzip;q=0', 'plain'],
  ['gzip; q=0.00', 'plain'],
  ['gzip;q=0. ', 'plain'],
  ['br;gzip', 'plain'],
  ['x-gzip', 'plain'],
  ['gzipped', 'plain'],
  ['', 'plain'],
])('a request with Accept-Encoding %j gets the %s file', async (accepted, expected) => {
  const { body, headers } = await get('/assets/a-1.js', { 'accept-encoding': accepted });
  expect(Buffer.from(body as Uint8Array).toString()).toBe(expected);
  expect(headers['Content-Encoding']).toBe(expected === 'compressed' ? 'gzip' : undefined);
});

test.each(['/assets/../index.html', '/assets/%2e%2e/index.html', '/assets/a-1.js.gz', '/x', '//'])(
  '%s returns 404',
  async (where) => {
    expect(await get(where)).toMatchObject({ status: 404 });
  },
);

test('a file that does not exist has an error for GET, and no body for HEAD', async () => {
  const { status, headers, body } = await get('/x');
  expect([status, headers['Content-Type']]).toEqual([404, 'application/json']);
  expect(JSON.parse(String(body)).error).toMatchObject({
    code: 'not_found',
    request_id: 'request-1',
  });
  const head = await get('/x', {}, 'HEAD');
  expect(head).toMatchObject({ status: 404, headers: { 'Content-Type': 'application/json' } });
  expect(head).not.toHaveProperty('body');
});

test('HEAD has the headers of GET, and no body', async () => {
  for (const where of ['/', '/assets/a-1.js']) {
    const accepted = { 'Accept-Encoding': 'gzip' };
    const { status, headers } = await get(where, accepted);
    expect(await get(where, accepted, 'HEAD')).toEqual({ status, headers });
  }
});

test('headers are found in any case, and no other header counts for one', async () => {
  const { headers } = await get('/');
  expect(headers.ETag).toMatch(/^W\/"[\w-]{22}"$/);
  expect((await get('/', { 'IF-NONE-MATCH': headers.ETag ?? '' })).status).toBe(304);
  expect((await get('/', { 'If-Match': headers.ETag ?? '' })).status).toBe(200);
});

test('every file has a policy against inline code, other origins and framing', async () => {
  const { headers } = await get('/');
  const policy = headers['Content-Security-Policy'];
  expect(policy).toContain("connect-src 'self' https://store.example https://issuer.example;");
  expect(headers['X-Content-Type-Options']).toBe('nosniff');
  const sources = contentSecurityPolicy({ connectTo: [], show: [] });
  const having = (source: string) =>
    Object.keys(sources).filter((name) => String(sources[name]) === source);
  expect(having("'self'")).toEqual([
    ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src'],
  ]);
  expect(having("'none'")).toEqual([
    ...['default-src', 'base-uri', 'form-action', 'frame-ancestors', 'trusted-types'],
  ]);
  expect(having("'script'")).toEqual(['require-trusted-types-for']);
  expect(having('')).toEqual(['media-src', 'frame-src']);
  expect(policy).toMatch(/^default-src 'none'; .*; frame-ancestors 'none'; /);
});

test('only the store may show pictures, media and frames, and it has no scripts', () => {
  const policy = contentSecurityPolicy(origins);
  const shown = Object.keys(policy).filter((name) => policy[name]?.includes(STORE));
  expect(shown).toEqual(['img-src', 'media-src', 'frame-src', 'connect-src']);
  expect([policy['script-src'], policy['frame-src']]).toEqual([["'self'"], [STORE]]);
});
