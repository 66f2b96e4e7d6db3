/** The data folder of the service in one process: who may open it, and what it keeps. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type LocalStores, openStores } from '../../server/stores';
import { FakeClock, FakeIds } from '../support/fakes/clock';
import { temporaryFolder } from '../support/temporary-folder';

const LARGE = 200_000;

const clock = new FakeClock();
const ids = new FakeIds(clock);
const data = temporaryFolder('stores');
const open = (folder = path.join(data.folder, 'data')) =>
  openStores({ folder, origin: 'http://127.0.0.1:1', clock, ids });
afterAll(() => data.remove());

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

/** Stores bytes by a signed PUT, as a client does. */
async function put(stores: LocalStores, blob: string, bytes: Buffer): Promise<number> {
  const { url, headers } = await stores.blobs.presignPut(blob, { expiresIn: 60 });
  const { status } = await stores.answerContent({
    method: 'PUT',
    signed: new URL(url).searchParams.get('signed') ?? '',
    headers: { ...headers, 'content-length': String(bytes.length) },
    body: Readable.from([bytes], { objectMode: false }),
  });
  return status;
}

test('a folder has its content, its keys and its signed URLs after a restart', async () => {
  const first = await open();
  const content = Buffer.alloc(LARGE, 'x');
  expect(await put(first, 'objects/large', content)).toBe(200);
  expect(await put(first, 'objects/small', Buffer.from('small'))).toBe(200);
  const { url } = await first.blobs.presignGet('objects/large', { expiresIn: 60 });
  first.close();

  const second = await open();
  const body = await second.blobs.get('objects/large');
  expect(body && (await buffer(body)).equals(content)).toBe(true);
  const signed = new URL(url).searchParams.get('signed') ?? '';
  const request = { method: 'GET', signed, headers: {}, body: Readable.from([]) };
  const response = await second.answerContent(request);
  expect(response.status).toBe(200);
  expect(await buffer(response.body as Readable)).toHaveLength(LARGE);
  second.close();
});

test('a second process is refused with a sentence', async () => {
  const stores = await open();
  const script = `require('tsx/cjs');
    const { lockFolder } = require('./adapters/sqlite/lock');
    try { lockFolder(process.argv[1]); console.log('opened'); } catch (error) { console.log(error.message); }`;
  const second = spawnSync(process.execPath, ['-e', script, path.join(data.folder, 'data')], {
    encoding: 'utf8',
  });
  stores.close();

  expect(second.stdout.trim()).toBe(
    `another process serves ${path.join(data.folder, 'data')}: stop it first, or give this one another folder`,
  );
});

test('others on the machine can read neither folder nor files', async () => {
  const stores = await open();
  await put(stores, 'objects/private', Buffer.alloc(LARGE));
  stores.close();
  expect(statSync(path.join(data.folder, 'data')).mode & 0o077).toBe(0);
});

test('a start removes files that a process received and did not save', async () => {
  const content = path.join(data.folder, 'data', 'content');
  (await open()).close();
  const kept = filesBelow(content);
  const name = '01JD0000000000000000000000';
  writeFileSync(path.join(content, 'incoming', name), 'half of a file');
  (await open()).close();
  expect(filesBelow(content).sort()).toEqual(kept.sort());
});

test('a start touches nothing that is not of a service', async () => {
  const content = path.join(data.folder, 'data', 'content');
  (await open()).close();
  mkdirSync(path.join(content, 'posts'));
  const foreign = [path.join(content, 'posts', 'a.md'), path.join(content, '.DS_Store')];
  for (const file of foreign) writeFileSync(file, 'of somebody');
  (await open()).close();
  for (const file of foreign) expect(readFileSync(file, 'utf8')).toBe('of somebody');
  for (const file of foreign) rmSync(file);
  rmSync(path.join(content, 'posts'), { recursive: true });
  const site = path.join(data.folder, 'site');
  mkdirSync(path.join(site, 'content'), { recursive: true });
  await expect(open(site)).rejects.toThrow('has other files, such as content');
});

test('content that is removed or replaced leaves no files', async () => {
  const stores = await open();
  const content = path.join(data.folder, 'data', 'content');
  const before = filesBelow(content).length;
  const blob = 'objects/gone';
  await put(stores, blob, Buffer.alloc(LARGE));
  expect(await put(stores, blob, Buffer.alloc(LARGE))).toBe(412);
  expect(filesBelow(content)).toHaveLength(before + 1);
  await stores.blobs.remove([blob]);
  expect(filesBelow(content)).toHaveLength(before);
  stores.close();
});

test('an upload whose sender disconnects leaves nothing behind', async () => {
  const stores = await open();
  const content = path.join(data.folder, 'data', 'content');
  const before = filesBelow(content).length;
  const { url, headers } = await stores.blobs.presignPut('objects/cut', { expiresIn: 60 });
  const cut = Readable.from(
    (function* () {
      yield Buffer.alloc(LARGE);
      throw new Error('the sender disconnected');
    })(),
    { objectMode: false },
  );
  const signed = new URL(url).searchParams.get('signed') ?? '';
  const sent = { ...headers, 'content-length': String(2 * LARGE) };
  await expect(
    stores.answerContent({ method: 'PUT', signed, headers: sent, body: cut }),
  ).rejects.toThrow('disconnected');
  expect(filesBelow(content)).toHaveLength(before);
  expect(await stores.blobs.head('objects/cut')).toBeUndefined();
  stores.close();
});
