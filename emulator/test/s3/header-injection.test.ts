import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchange, head, RawConnection, send, signHeaders } from './raw-http';
import { BUCKET, openServer, type TestServer } from './server';

const path = `/${BUCKET}/key`;
// Characters whose low bytes are CR and LF.
const LINE_END = '\u010d\u010a';
const SPLIT = [
  'attachment',
  'X-Injected: yes',
  'Content-Length: 0',
  '',
  'HTTP/1.1 200 OK',
  'Content-Length: 5',
  '',
  'forged',
].join(LINE_END);

async function put(server: TestServer, headers: Readonly<Record<string, string>>, query = {}) {
  const hash = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const request = { method: 'PUT', path, query, headers: { ...hash, ...headers } };
  return exchange(server, request, await signHeaders(server, request), 'z');
}

/** Stores an object with a Content-Disposition that the server refuses in requests. */
async function serverThatStores(disposition: string): Promise<TestServer> {
  const first = await openServer();
  await put(first, { 'content-disposition': 'PLACEHOLDER' });
  await first.stop();
  const journal = join(first.dataDir, BUCKET, 'journal.jsonl');
  const asRead = Buffer.from(disposition).toString('latin1');
  const text = readFileSync(journal, 'utf8');
  writeFileSync(journal, text.replace('"PLACEHOLDER"', JSON.stringify(asRead)));
  return openServer({ dataDir: first.dataDir, iam: first.iam });
}

it('sends the bytes of a header as they are stored, never as line ends', async () => {
  const server = await serverThatStores(SPLIT);
  const request = { method: 'GET', path };
  const connection = new RawConnection(server);
  const headers = { ...(await signHeaders(server, request)), connection: 'close' };
  connection.write(head(request, headers));
  const response = await connection.response();
  expect(response.headers['content-disposition']).toBe(Buffer.from(SPLIT).toString('latin1'));
  expect(response.headers).not.toHaveProperty('x-injected');
  expect(response.body).toBe('z');
  expect(connection.received.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
});

it.each([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
])('refuses %s with characters outside ASCII, by name, and stores nothing', async (name) => {
  const server = await openServer();
  const response = await put(server, { [name]: SPLIT });
  expect(response).toMatchObject({ status: 400, code: 'InvalidArgument' });
  expect(response.body).toContain(`<ArgumentName>${name}</ArgumentName>`);
  expect((await send(server, { method: 'GET', path })).status).toBe(404);
});

it('refuses such a header for multipart uploads too', async () => {
  const server = await openServer();
  const headers = { 'content-disposition': 'attachment; filename="é"' };
  const request = { method: 'POST', path, query: { uploads: '' }, headers };
  const response = await exchange(server, request, await signHeaders(server, request));
  expect(response).toMatchObject({ status: 400, code: 'InvalidArgument' });
});
