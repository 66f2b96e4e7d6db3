/** Downloads past API Gateway, in a running service with `edge.directDownloads`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { App, RemovalPolicy } from 'aws-cdk-lib';
import { request } from 'undici';
import cdkJson from '../../cdk.json';
import { StorageStack } from '../../lib';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../support/local-service/start-local-service';
import { useTemporaryFolder } from '../support/temporary-folder';

jest.setTimeout(120_000);

const data = newDataFolder();
const cdkOut = useTemporaryFolder('cdk-out');
let service: Running;

beforeAll(async () => {
  const app = new App({
    outdir: cdkOut,
    context: cdkJson.context,
    builtinCloudFormationValidation: false,
  });
  const edge = { directDownloads: true };
  new StorageStack(app, 'direct', { storage: { removalPolicy: RemovalPolicy.DESTROY, edge } });
  app.synth();
  service = await startLocalService(data.folder, ['--stack', 'direct', '--cdk-out', cdkOut]);
  expect((await send('POST', '/buckets', { body: '{"name":"photos"}' })).status).toBe(201);
});
afterAll(async () => {
  await service.kill();
  data.remove();
});

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

async function send(method: 'GET' | 'HEAD' | 'PUT' | 'POST', at: string, sent: Sent = {}) {
  const { body, headers, key = service.apiKey } = sent;
  const response = await request(`${service.baseUrl}/api/v2/storage${at}`, {
    method,
    headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text };
}

/** The lines of all logs that contain the text. */
function logged(text: string): readonly string[] {
  const folder = path.join(data.folder, 'logs');
  return readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => `${name}: ${line}`),
  );
}

test('a key gets bytes, ranges, headers and conditions by the function alone', async () => {
  const put = await send('PUT', '/objects/photos/direct-alone', { body: 'hello' });
  expect(put.status).toBe(201);
  const get = await send('GET', '/objects/photos/direct-alone');
  expect([get.status, get.text, get.headers.etag]).toEqual([200, 'hello', put.headers.etag]);
  expect(get.headers).toMatchObject({ 'x-frame-options': 'DENY', ratelimit: expect.any(String) });
  const range = await send('GET', '/objects/photos/direct-alone', {
    headers: { range: 'bytes=1-2' },
  });
  expect([range.status, range.text]).toEqual([206, 'el']);
  const head = await send('HEAD', '/objects/photos/direct-alone');
  expect([head.status, head.text]).toEqual([200, '']);
  const headers = { 'if-none-match': String(put.headers.etag) };
  expect((await send('GET', '/objects/photos/direct-alone', { headers })).status).toBe(304);
  // The REST API saw the PUT only.
  const access = logged('direct-alone').filter((line) => line.startsWith('access'));
  expect(access).toEqual([expect.stringContaining('"PUT"')]);
});

test.each(['a%2Fb', 'a%252Fb', 'a%20b+c', 'a//b', 'a/', '%E2%82%AC', 'a%3Fb', '...', 'a;b=c,d'])(
  'the key %s reads what was written under it',
  async (key) => {
    const at = `/objects/photos/keys/${key}`;
    expect([200, 201]).toContain((await send('PUT', at, { body: key })).status);
    expect(await send('GET', `${at}?version=1`)).toMatchObject({ status: 200, text: key });
  },
);

test('a request without a usable key gets 401 in the form of the interface', async () => {
  const made = service.apiKey.replace(/_[^_]*$/, '_x');
  for (const key of ['', 'osk_x', made]) {
    const { status, text } = await send('GET', '/objects/photos/direct-1', { key });
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'unauthorized']);
  }
});

test('a client cannot impersonate another with the headers of the edge', async () => {
  const headers = {
    'x-object-authorization': `Bearer ${service.apiKey}`,
    'x-object-path': '/api/v2/storage/objects/photos/direct-1',
  };
  const without = await send('GET', '/objects/photos/direct-1', { headers, key: '' });
  expect(without.status).toBe(401);
});

test('requests that are not downloads still go to the REST API', async () => {
  expect((await send('GET', '/objects/photos')).status).toBe(200);
  expect((await send('GET', '/objects/photos/none')).status).toBe(404);
  expect((await send('GET', '/nothing')).status).toBe(404);
});
