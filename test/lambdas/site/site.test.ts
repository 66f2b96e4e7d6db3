import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createSite } from '../../../lambdas/site/app';
import { readSite } from '../../../lambdas/site/files';
import { contentSecurityPolicy } from '../../../lambdas/site/security-headers';
import { useTemporaryFolder } from '../../support/temporary-folder';

const folder = useTemporaryFolder('site');
mkdirSync(path.join(folder, 'assets'));
writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
writeFileSync(path.join(folder, 'assets', 'a-1.js'), 'plain');
writeFileSync(path.join(folder, 'assets', 'a-1.js.gz'), 'compressed');

const STORE = 'https://store.example';
const origins = { connectTo: [STORE, 'https://issuer.example'], show: [STORE] };
const site = createSite({ files: readSite(folder), origins });

const get = (where: string, headers: Record<string, string> = {}, httpMethod = 'GET') =>
  site({
    path: where,
    httpMethod,
    headers,
    requestContext: { requestId: 'r-1', path: `/api${where}` },
  } as APIGatewayProxyEvent);

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
  ['gzip;q=0', 'plain'],
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

test('HEAD returns no body', async () => {
  expect(await get('/', {}, 'HEAD')).not.toHaveProperty('body');
});

test('the stage without a slash redirects to the stage with one', async () => {
  const event = { path: '/', httpMethod: 'GET', requestContext: { path: '/api' } };
  const response = await site(event as APIGatewayProxyEvent);
  expect(response).toMatchObject({ status: 308, headers: { Location: '/api/' } });
});

test('every file has a policy against inline code, other origins and framing', async () => {
  const { headers } = await get('/');
  const policy = headers['Content-Security-Policy'];
  expect(policy).toContain("connect-src 'self' https://store.example https://issuer.example;");
  expect(headers['X-Content-Type-Options']).toBe('nosniff');
  const { 'connect-src': _, ...others } = contentSecurityPolicy({ connectTo: [], show: [] });
  const sources = new Set(Object.values(others).flat());
  expect([...sources].sort()).toEqual(["'none'", "'script'", "'self'"]);
});

test('only the store may show pictures, media and frames, and it has no scripts', () => {
  const policy = contentSecurityPolicy(origins);
  const shown = Object.keys(policy).filter((name) => policy[name]?.includes(STORE));
  expect(shown).toEqual(['img-src', 'media-src', 'frame-src', 'connect-src']);
  expect([policy['script-src'], policy['frame-src']]).toEqual([["'self'"], [STORE]]);
});
