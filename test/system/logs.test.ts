/**
 * The logs of the running service: one line for each request, from which CloudWatch extracts
 * metrics, and no secret.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { WebSocket } from 'ws';
import { ROUTES } from '../../service/routes/routes';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../support/local-service/start-local-service';
import { cdkOutWithout } from './support/cdk-out-without';
import { logLines, secretsIn } from './support/logged-secrets';

const ROOT = path.join(__dirname, '../..');
const STORAGE = '/api/v2/storage';
const data = newDataFolder();
const folder = path.join(data.folder, 'data');
let service: Running;
/** Every value that a request or a response contained. */
const secrets: string[] = [];
const requestIds = new Map<string, number>();

beforeAll(async () => {
  // Some requests must fail: the logged error of an AWS client contains details of the request.
  const cdkOut = cdkOutWithout(path.join(data.folder, 'taken'), [
    ['Download', 's3:GetObject', '/objects/*'],
    ['Api', 'dynamodb:Query', 'StorageTablesObjects'],
    ['Channel', 'sqs:SendMessage', 'StorageQueuesFollowUps'],
    ['Admin', 'dynamodb:Query', 'StorageTablesAudit'],
  ]);
  service = await startLocalService(folder, ['--cdk-out', cdkOut]);
  secrets.push(service.apiKey.slice(-50));
  await everyRoute();
  await administration();
  await channels();
  // Ends the functions, so that every line is written.
  expect(await service.interrupt()).toBe(0);
});
afterAll(async () => {
  await service.kill();
  data.remove();
});

async function ask(method: string, at: string, body?: string | object, bearer = service.apiKey) {
  const isJson = typeof body === 'object';
  const response = await fetch(`${service.baseUrl}${at}`, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(isJson && { 'content-type': 'application/json' }),
    },
    body: isJson ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  const json: ReturnType<typeof JSON.parse> = text.startsWith('{') ? JSON.parse(text) : undefined;
  if (json?.error) requestIds.set(json.error.request_id, response.status);
  return { status: response.status, headers: response.headers, json };
}

const COPY = { op: 'copy', key: 'private/copy', from: { key: 'private/key' } };

const signed = (body: object) => ask('POST', `${STORAGE}/signed-url`, body);

async function everyRoute() {
  const statuses = new Map<string, number>();
  for (const [method, at, body] of [
    ['POST', '/buckets', { name: 'secret-plans' }],
    ['POST', '/buckets', { name: 'passing' }],
    ['GET', '/buckets'],
    ['GET', '/buckets/secret-plans'],
    ['PATCH', '/buckets/passing', { lifecycle: [{ prefix: 'private/', expire_after_days: 1 }] }],
    ['DELETE', '/buckets/passing'],
    ['PUT', '/objects/secret-plans/private/key', 'the content'],
    ['HEAD', '/objects/secret-plans/private/key'],
    ['GET', '/objects/secret-plans/private/key'],
    ['GET', '/objects/secret-plans/private/key?view=descriptor'],
    ['GET', '/objects/secret-plans'],
    ['GET', '/sync?bucket=secret-plans&cursor=0'],
    ['GET', '/sync?bucket=secret-plans&cursor=1&wait=1'],
    ['POST', '/commits', { bucket: 'secret-plans', changes: [COPY] }],
    ['POST', '/restore', { bucket: 'secret-plans', as_of: 1 }],
    ['DELETE', '/objects/secret-plans?prefix=private/copy'],
    ['GET', '/uploads/none'],
    ['PUT', '/buckets/secret-plans/consumers/private', { cursor: 0 }],
    ['GET', '/buckets/secret-plans/consumers/private'],
    ['GET', '/buckets/secret-plans/consumers'],
    ['DELETE', '/buckets/secret-plans/consumers/private'],
    ['GET', '/links?bucket=secret-plans'],
    ['DELETE', '/links/none'],
    ['DELETE', '/objects/secret-plans/private/key'],
    ['DELETE', '/no/such/path?token=osk_not_in_a_query'],
    ['PUT', '/objects/secret-plans/private/%zz', 'x'],
  ] as const) {
    statuses.set(`${method} ${at}`, (await ask(method, `${STORAGE}${at}`, body)).status);
  }
  const failed = [...statuses].filter(([, status]) => status >= 500).map(([request]) => request);
  expect(failed).toEqual([
    'DELETE /buckets/passing',
    'GET /objects/secret-plans/private/key',
    'GET /objects/secret-plans',
    'POST /restore',
    'DELETE /objects/secret-plans?prefix=private/copy',
  ]);
  await links();
  const target = { bucket: 'secret-plans', key: 'large' };
  for (const body of [
    { ...target, method: 'PUT' },
    { ...target, method: 'PUT', multipart: { size: 10_485_760 } },
  ]) {
    const { json } = await signed(body);
    const urls: string[] = [json.url ?? json.complete.url];
    secrets.push(...urls.map((url) => new URL(url).searchParams.get('X-Amz-Signature') ?? ''));
    if (json.url) await fetch(json.url, { method: 'PUT', headers: json.headers, body: 'large' });
  }
  await ask('GET', `${STORAGE}/buckets`, undefined, `${service.apiKey.slice(0, -6)}abcdef`);
}

async function links() {
  const made = await ask('POST', `${STORAGE}/links`, {
    bucket: 'secret-plans',
    key: 'private/copy',
  });
  const { pathname, search, searchParams } = new URL(made.json.url);
  secrets.push(searchParams.get('secret') ?? '');
  const opened = [
    await ask('GET', pathname + search),
    await ask('GET', `${pathname}${search}&download`),
    await ask('GET', `${pathname}/more${search}`),
  ];
  expect(opened.map(({ status }) => status)).toEqual([200, 307, 404]);
  const permissions = [{ buckets: ['secret-plans'], actions: ['read'] }];
  const { json } = await ask('POST', `${STORAGE}/tokens`, { permissions, expires_in: 60 });
  secrets.push(json.token.slice(-43));
}

async function administration() {
  const script = path.join(ROOT, 'dist/cli/stowage.js');
  const flags = [script, 'sign-in', '--data', folder];
  const token = execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim();
  secrets.push(token.slice(-40));
  const permissions = [{ buckets: ['*'], actions: ['read'] }];
  const made = await ask('POST', '/admin/v1/keys', { name: 'k', permissions }, token);
  const { id } = made.json.key;
  const rotated = await ask('POST', `/admin/v1/keys/${id}/rotate`, {}, token);
  const session = await ask('POST', '/admin/v1/session', {}, token);
  const texts = [made, rotated, session].map(({ json }): string => json.api_key);
  for (const text of texts) secrets.push(text.slice(-50));
  await ask('GET', `${STORAGE}/buckets`, undefined, texts[0]);
  for (const at of ['config', 'keys', `keys/${id}`, 'usage', 'audit']) {
    await ask('GET', `/admin/v1/${at}`, undefined, token);
  }
  await ask('GET', '/admin/v1/keys', undefined, `${token}x`);
  await ask('POST', `/admin/v1/keys/${id}/revoke`, {}, token);
}

async function channels() {
  const { json } = await signed({ bucket: 'secret-plans', method: 'SYNC' });
  const ticket = new URL(json.url).searchParams.get('ticket') ?? '';
  expect(ticket.length).toBeGreaterThan(40);
  secrets.push(ticket);
  const address = `${service.baseUrl.replace('http', 'ws')}${STORAGE}/sync`;
  const headers = { authorization: `Bearer ${service.apiKey}` };
  // A valid ticket, a used ticket, an API key, and a subscription in the handshake, which fails.
  for (const url of [json.url, json.url, address, `${address}?bucket=secret-plans`]) {
    await handshake(url, url.includes('ticket') ? {} : headers);
  }
}

function handshake(address: string, headers: Record<string, string>): Promise<void> {
  const socket = new WebSocket(address, { headers });
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (request) => {
      request.destroy();
      resolve();
    });
    socket.on('error', reject);
    socket.on('open', () => {
      socket.send('{"action":"ping","cursors":{}}');
      socket.once('message', () => socket.close());
    });
    socket.on('close', () => resolve());
  });
}

test('no line of any log holds a key, a token, a ticket or a signed URL', () => {
  expect(secretsIn(logLines(folder), secrets)).toEqual([]);
  expect(secrets.every((secret) => secret.length >= 22)).toBe(true);
});

test('the search for secrets finds each of them', () => {
  const line = (text: string) => [{ file: 'api.log', text }];
  for (const text of [
    service.apiKey,
    'https://s3.example/x?X-Amz-Signature=0123456789abcdef',
    'Authorization: Bearer abcdefghijkl',
    '/sync?ticket=abcdefghijkl',
    `{"token":"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0abc.c2lnbmF0dXJl"}`,
  ]) {
    expect(secretsIn(line(text)).length).toBeGreaterThan(0);
    expect(secretsIn(line('nothing of it'), [text])).toEqual([]);
  }
  expect(secretsIn(line('a known one'), ['known'])).toHaveLength(1);
});

test('every route writes a line of JSON with the request id and the key id', () => {
  const reports = logLines(folder)
    .filter(({ text }) => text.includes('"_aws"'))
    .map(({ text }) => JSON.parse(text));
  const requests = reports.filter(({ Route }) => Route !== undefined);
  const routes = new Set(requests.map(({ Route }) => Route));
  expect([...routes].sort()).toEqual([...ROUTES].sort());
  for (const { Route, requestId, keyId, status, Latency } of requests) {
    expect([typeof requestId, typeof status, typeof Latency]).toEqual([
      'string',
      'number',
      'number',
    ]);
    const hasKey = Route !== 'administration' && Route !== 'openLink';
    if (hasKey) expect(keyId).toMatch(/^[0-9A-Za-z]{12}$/);
  }
});

test('a failed request is logged with the request id that the client received', () => {
  const lines = logLines(folder);
  const failed = [...requestIds].filter(([, status]) => status >= 500).map(([id]) => id);
  expect(failed.length).toBeGreaterThanOrEqual(2);
  for (const id of failed) {
    const texts = lines.filter(({ text }) => text.includes(id)).map(({ text }) => text);
    expect(texts.some((text) => text.includes('"event":"request_failed"'))).toBe(true);
    expect(texts.some((text) => text.includes('"Errors":1'))).toBe(true);
  }
});
