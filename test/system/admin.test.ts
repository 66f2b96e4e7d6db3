/** The administration of the running service: sign-in, gateway, functions and tables. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { signed } from '../adapters/oidc/issuer';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../support/local-service/start-local-service';
import { runInProcess } from './support/in-process';

const data = newDataFolder();
let service: Running;
let token: string;

beforeAll(async () => {
  service = await startLocalService(data.folder);
  token = await stowage('sign-in');
  for (const name of ['team-a', 'other']) {
    const bearer = service.apiKey;
    const made = await ask(`${STORAGE}/buckets`, { method: POST, body: { name }, bearer });
    expect(made.status).toBe(201);
  }
});
afterAll(async () => {
  await service.kill();
  data.remove();
});

/** Returns what a command for the service prints. */
async function stowage(...args: string[]): Promise<string> {
  const all = [...args, '--data', data.folder];
  return (await runInProcess(all, { env: process.env })).stdout.trim();
}

interface Asked {
  readonly method?: string;
  readonly body?: object;
  readonly bearer?: string;
}

async function ask(at: string, { method = 'GET', body, bearer = token }: Asked = {}) {
  const response = await fetch(`${service.baseUrl}${at}`, {
    method,
    headers: {
      Authorization: `Bearer ${bearer}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const json: ReturnType<typeof JSON.parse> = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, json, text };
}

const STORAGE = '/api/v2/storage';
const POST = 'POST';

async function make(permissions: object[], more: object = {}) {
  const body = { name: 'made by a test', permissions, ...more };
  const response = await ask('/admin/v1/keys', { method: POST, body });
  expect(response.status).toBe(201);
  const made: { key: { id: string }; api_key: string } = response.json;
  return { id: made.key.id, bearer: made.api_key };
}

/** Returns the milliseconds until a request with the key gets 401. */
async function untilRefused(at: string, bearer: string): Promise<number> {
  const started = Date.now();
  while ((await ask(at, { bearer })).status !== 401) {
    if (Date.now() - started > 10_000) throw new Error('the key is still accepted after 10 s');
    await wait(100);
  }
  return Date.now() - started;
}

test('a key limited to team-* lists and reads only there, until it is revoked', async () => {
  const { id, bearer } = await make([{ buckets: ['team-*'], actions: ['read', 'list'] }]);

  expect((await ask(`${STORAGE}/objects/team-a`, { bearer })).status).toBe(200);
  expect((await ask(`${STORAGE}/objects/other`, { bearer })).status).toBe(403);
  expect((await ask(`${STORAGE}/objects/team-a/x`, { method: 'PUT', bearer })).status).toBe(403);

  const revoked = await ask(`/admin/v1/keys/${id}/revoke`, { method: POST });
  expect(revoked.json).toMatchObject({ state: 'revoked', revoked_by: 'dev@localhost' });
  expect(await untilRefused(`${STORAGE}/objects/team-a`, bearer)).toBeLessThan(5000);

  const { json } = await ask('/admin/v1/audit');
  const records = json.records.filter(({ key_id }: { key_id: string }) => key_id === id);
  expect(records.map(({ action, actor }: Record<string, string>) => [action, actor])).toEqual([
    ['revoke', 'dev@localhost'],
    ['create', 'dev@localhost'],
  ]);
});

test('the audit log names the key that deleted a bucket', async () => {
  const body = { name: 'short-lived' };
  await ask(`${STORAGE}/buckets`, { method: POST, body, bearer: service.apiKey });
  const actions = ['delete_bucket', 'list'];
  const { id, bearer } = await make([{ buckets: ['short-*'], actions }]);
  const deleted = await ask(`${STORAGE}/buckets/short-lived`, { method: 'DELETE', bearer });
  expect(deleted.status).toBe(204);

  const { json } = await ask('/admin/v1/audit?limit=1');
  expect(json.records).toMatchObject([
    { action: 'delete_bucket', actor: 'made by a test', actor_id: id, key_id: id },
  ]);
  expect(json.records[0].details).toMatchObject({ bucket: 'short-lived' });
});

test('revoke-key ends a key within 5 s, and a second run changes nothing', async () => {
  const { id, bearer } = await make([{ buckets: ['*'], actions: ['list'] }]);
  expect((await ask(`${STORAGE}/buckets`, { bearer })).status).toBe(200);
  const revoke = () => stowage('revoke-key', bearer);
  const first = await revoke();
  expect(first).toContain(`${id} (made by a test) is revoked since `);
  expect(await untilRefused(`${STORAGE}/buckets`, bearer)).toBeLessThan(5000);
  expect(await revoke()).toBe(first);
  const { json } = await ask('/admin/v1/audit');
  const records = json.records.filter(({ key_id }: { key_id: string }) => key_id === id);
  expect(records.map(({ action, actor }: Record<string, string>) => [action, actor])).toEqual([
    ['revoke', 'revoke-key'],
    ['create', 'dev@localhost'],
  ]);
});

test('paths of the administration below a key return errors of the interface', async () => {
  const { id } = await make([{ buckets: ['*'], actions: ['list'] }]);
  for (const [at, method, status] of [
    ['/admin/v1/keys', 'DELETE', 405],
    [`/admin/v1/keys/${id}`, 'PUT', 405],
    [`/admin/v1/keys/${id}/revoke`, 'GET', 405],
    [`/admin/v1/keys/${id}/unknown`, POST, 404],
    [`/admin/v1/keys/${id}/revoke/more`, POST, 404],
  ] as const) {
    expect([at, method, (await ask(at, { method })).status]).toEqual([at, method, status]);
  }
});

test('a rotation without overlap ends the old secret within 5 s, and the new one works', async () => {
  const { id, bearer } = await make([{ buckets: ['*'], actions: ['list'] }]);
  expect((await ask(`${STORAGE}/buckets`, { bearer })).status).toBe(200);
  const body = { overlap_seconds: 0 };
  const rotated = await ask(`/admin/v1/keys/${id}/rotate`, { method: POST, body });
  expect(rotated.status).toBe(201);
  expect((await ask(`${STORAGE}/buckets`, { bearer: rotated.json.api_key })).status).toBe(200);
  expect(await untilRefused(`${STORAGE}/buckets`, bearer)).toBeLessThan(5000);
  expect((await ask(`${STORAGE}/buckets`, { bearer: rotated.json.api_key })).status).toBe(200);
});

test('narrowed permissions apply within 5 s although the gateway caches them', async () => {
  const { id, bearer } = await make([{ buckets: ['*'], actions: ['list', 'write'] }]);
  const put = () => ask(`${STORAGE}/objects/team-a/narrowed`, { method: 'PUT', bearer });
  expect((await put()).status).toBe(201);
  const body = { permissions: [{ buckets: ['*'], actions: ['list'] }] };
  expect((await ask(`/admin/v1/keys/${id}`, { method: 'PATCH', body })).status).toBe(200);
  const started = Date.now();
  while ((await put()).status !== 403) {
    expect(Date.now() - started).toBeLessThan(5000);
    await wait(100);
  }
});

test('the API key of a session is accepted by the storage API and refused by the administration', async () => {
  const { json } = await ask('/admin/v1/session', { method: POST });
  const { api_key: bearer, key_id: id, expires_at } = json;
  expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect((await ask(`${STORAGE}/buckets`, { bearer })).status).toBe(200);
  expect((await ask('/admin/v1/keys', { bearer })).status).toBe(401);
  const body = { name: 'x', permissions: [{ buckets: ['*'], actions: ['read'] }] };
  expect((await ask('/admin/v1/keys', { method: POST, body, bearer })).status).toBe(401);
  expect((await ask(`/admin/v1/keys/${id}`)).status).toBe(404);
});

test('a key with `create_bucket` cannot create a key', async () => {
  const { bearer } = await make([{ buckets: ['*'], actions: ['create_bucket'] }]);
  const body = { name: 'x', permissions: [{ buckets: ['*'], actions: ['read'] }] };
  for (const at of ['/admin/v1/keys', '/admin/v1/session']) {
    expect((await ask(at, { method: POST, body, bearer })).status).toBe(401);
  }
});

test('the storage API refuses the access token of a person', async () => {
  const refused = await ask(`${STORAGE}/buckets`);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer');
});

test('a token with the right claims and a wrong signature is refused', async () => {
  const [head = '', payload = ''] = token.split('.');
  const fields = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { kid } = fields(head);
  const pair = { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  const forged = signed(pair, fields(payload));
  const none = `${Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url')}.${payload}.`;
  for (const bearer of [forged, none, `${token}x`, token.slice(0, -2)]) {
    const refused = await ask('/admin/v1/keys', { bearer });
    expect(refused.status).toBe(401);
    expect(refused.json.error.code).toBe('unauthorized');
  }
});

/** Sends the path unchanged: `fetch` would normalize it. */
async function raw(target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(service.baseUrl);
  const headers = { Authorization: `Bearer ${token}` };
  const sent = request({ hostname, port, path: target, headers });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

test.each([
  '/admin/v1/../v1/keys',
  '/admin//v1/keys',
  '/admin/v1//keys',
  '/admin/v1/keys/',
  '/admin/v1/keys/../audit',
  '/admin/v1/keys/%2e%2e/audit',
  '/admin/v1/%6beys',
  '/admin%2fv1%2fkeys',
  '/Admin/v1/keys',
  '/admin/v1/keys%2faaaaaaaaaaaa',
  '/admin/v1/keys;x=y',
  '/api/v2/storage/../../../admin/v1/keys',
  '/api/v2/storage/objects/team-a/../../../../../admin/v1/keys',
])('the path %s leads to no key', async (target) => {
  const status = await raw(target);
  expect([400, 401, 404]).toContain(status);
});

test('config returns where to sign in, and no secret', async () => {
  const { json, text } = await ask('/admin/v1/config', { bearer: 'none' });
  const { signIn } = JSON.parse(readFileSync(path.join(data.folder, 'endpoints.json'), 'utf8'));
  expect(json.issuer).toBe(signIn.issuer);
  expect(json.sync_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//);
  expect(json.sign_out_url).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/logout\?client_id=\w+&logout_uri=$/,
  );
  expect(text).not.toContain(signIn.password);
  expect(text).not.toContain('amazonaws');
});

test('a response of the administration sets no cookie and allows no other origin', async () => {
  const { headers } = await ask('/admin/v1/keys');
  expect(headers.get('set-cookie')).toBeNull();
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
});
