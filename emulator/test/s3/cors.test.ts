import { fetch } from 'undici';
import type { CorsRule } from '../../src/services/s3/s3';
import { send } from './raw-http';
import { BUCKET, openServer } from './server';

const RULES: readonly CorsRule[] = [
  {
    allowedOrigins: ['https://*.example.com'],
    allowedMethods: ['PUT', 'POST'],
    allowedHeaders: ['content-type', 'X-Amz-*'],
    exposedHeaders: ['ETag'],
    maxAgeSeconds: 3000,
  },
  { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposedHeaders: [] },
];

async function preflight(headers: Record<string, string>, corsRules = RULES) {
  const server = await openServer({ buckets: [{ name: BUCKET, corsRules }] });
  return fetch(`${server.endpoint}/${BUCKET}/key`, { method: 'OPTIONS', headers });
}

const ORIGIN = 'https://app.example.com';

it('allows a preflight request that a rule matches', async () => {
  const response = await preflight({
    origin: ORIGIN,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'Content-Type, x-amz-date',
  });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'PUT, POST',
    'access-control-allow-headers': 'content-type, x-amz-date',
    'access-control-expose-headers': 'ETag',
    'access-control-max-age': '3000',
    'access-control-allow-credentials': 'true',
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  });
});

it.each([
  [
    'another origin',
    { origin: 'https://example.org', 'access-control-request-method': 'PUT' },
    403,
  ],
  ['another method', { origin: ORIGIN, 'access-control-request-method': 'DELETE' }, 403],
  [
    'another header',
    {
      origin: ORIGIN,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-other',
    },
    403,
  ],
  ['no origin', { 'access-control-request-method': 'PUT' }, 400],
  ['no method', { origin: ORIGIN }, 400],
])('refuses %s', async (_, headers, status) => {
  const response = await preflight(headers as Record<string, string>);
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

it('refuses preflight requests without rules', async () => {
  const server = await openServer();
  const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' };
  const response = await fetch(`${server.endpoint}/${BUCKET}/key`, { method: 'OPTIONS', headers });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('CORS is not enabled for this bucket');
});

it('adds CORS headers to responses and errors, so that a page may read them', async () => {
  const server = await openServer({ buckets: [{ name: BUCKET, corsRules: RULES }] });
  const path = `/${BUCKET}/key`;
  const put = await send(server, { method: 'PUT', path, headers: { origin: ORIGIN } }, 'a');
  expect(put.headers['access-control-allow-origin']).toBe(ORIGIN);
  const get = await send(server, { method: 'GET', path, headers: { origin: 'https://any.org' } });
  expect(get.headers['access-control-allow-origin']).toBe('*');
  const refused = await fetch(`${server.endpoint}${path}`, { headers: { origin: ORIGIN } });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
});
