/** `stowage migrate` from one service to another, while programs use the first. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { StowageClient } from '../../../client';
import { type RunningStowage, startStowage } from '../../../server/testing';
import { newName, useEmulatedService } from '../../support/local-service/shared-service';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { Command } from '../support/command';

jest.setTimeout(240_000);

const folder = useTemporaryFolder('migrate');
const emulated = useEmulatedService();
let services: readonly RunningStowage[] = [];
let [source, target] = [client('http://127.0.0.1:1', ''), client('http://127.0.0.1:1', '')];
let stowage: Command;

function client(baseUrl: string, apiKey: string): StowageClient {
  return new StowageClient({ baseUrl, apiKey });
}

function useProfile(name: string, url: string, key: string): void {
  const file = path.join(folder, '.config/stowage/config.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ profiles: { [name]: { url, key } } }));
}

beforeEach(async () => {
  services = await Promise.all([startStowage(), startStowage()]);
  const [here, there] = services;
  if (!here || !there) throw new Error('no services');
  source = client(here.url, here.key);
  target = client(there.url, there.key);
  stowage = new Command(folder, { baseUrl: here.url, apiKey: here.key });
  useProfile('there', there.url, there.key);
  await source.buckets.create('photos');
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
});

const once = (...more: readonly string[]) =>
  stowage.run(['migrate', '--to', 'there', '--once', ...more]);

/** What a reader gets of each object. */
async function contentsOf(of: StowageClient, bucket: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { key, size, content_type, metadata, expires_at } of of.objects(bucket)) {
    const { url } = await of.signedUrl(bucket, key, { method: 'GET' });
    const response = await fetch(url);
    const headers = ['cache-control', 'content-disposition', 'content-encoding'];
    const values = [...headers, 'content-language'].map((name) => response.headers.get(name));
    const bytes = Buffer.from(await response.arrayBuffer());
    const isLarge = bytes.length > 100_000;
    const content = isLarge ? `${bytes.length} ${bytes.subarray(-9).toString('hex')}` : `${bytes}`;
    found[key] = { size, content_type, metadata, expires_at, values, content };
  }
  return found;
}

async function expectSame(bucket = 'photos'): Promise<Record<string, unknown>> {
  const there = await contentsOf(target, bucket);
  expect(there).toEqual(await contentsOf(source, bucket));
  return there;
}

async function versionsOf(of: StowageClient): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for await (const { key, version } of of.objects('photos')) versions[key] = version;
  return versions;
}

async function putSamples(of: StowageClient, bucket = 'photos'): Promise<void> {
  const expiresAt = '2099-01-31T12:00:00.000Z';
  await of.put(bucket, 'page', '<p>', {
    ...{ contentType: 'text/html', metadata: { camera: 'x100' }, expiresAt },
    ...{ cacheControl: 'public, max-age=60', contentDisposition: 'attachment' },
    contentLanguage: 'de',
  });
  await of.put(bucket, 'packed', gzipSync('hello'), { contentEncoding: 'gzip' });
  await of.put(bucket, 'odd/ä b%2F+//c', '');
  await of.upload(bucket, 'film', randomBytes(11 * 1024 ** 2), { cacheControl: 'no-cache' });
  await of.buckets.setLifecycle(bucket, [{ prefix: 'tmp/', expire_after_days: 7 }]);
}

test('objects arrive with everything that describes them, and a bucket with its rules', async () => {
  await source.buckets.create('empty');
  await putSamples(source);
  const { status, stdout, stderr } = await once();
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('verified 4 objects of photos as of cursor 4\n');
  expect(Object.keys(await expectSame())).toEqual(['film', 'odd/ä b%2F+//c', 'packed', 'page']);
  expect((await target.buckets.get('photos')).lifecycle).toEqual([
    { prefix: 'tmp/', expire_after_days: 7 },
  ]);
  expect((await target.list('empty')).objects).toEqual([]);
});

test('what writers do during the migration arrives too', async () => {
  for (let n = 0; n < 300; n++) await source.put('photos', `old/${n}`, `${n}`);
  let isWriting = true;
  const writer = async () => {
    for (let n = 0; isWriting; n++) {
      await source.put('photos', `new/${n % 50}`, `${n}`, { metadata: { n: `${n}` } });
      if (n % 3 === 0) await source.delete('photos', `old/${n % 300}`).catch(() => undefined);
      if (n % 5 === 0) await source.patch('photos', `new/${n % 50}`, { contentType: 'a/b' });
      if (n % 7 === 0) await source.move('photos', 'moved', `new/${n % 50}`);
    }
  };
  const writers = writer();
  const during = await once();
  isWriting = false;
  await writers;
  expect([during.status, during.stderr]).toEqual([0, '']);
  expect(during.stdout).toMatch(/^verified \d+ objects of photos as of cursor \d+$/m);
  const after = await once();
  expect([after.status, after.stderr]).toEqual([0, '']);
  expect(after.stdout).not.toContain('copied');
  await expectSame();
});

test('a repeated migration follows deletions and expiry, and changes nothing else', async () => {
  const soon = () => new Date(Date.now() + 2_000).toISOString();
  for (const key of ['stays', 'goes', 'expires']) await source.put('photos', key, key);
  await source.put('photos', 'early', 'x', { expiresAt: soon() });
  expect((await once()).status).toBe(0);
  await source.delete('photos', 'goes');
  await source.put('photos', 'brief', 'x', { expiresAt: soon() });
  await source.patch('photos', 'expires', { expiresAt: soon() });
  await source.patch('photos', 'early', { expiresAt: null });
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect((await once()).status).toBe(0);
  expect(await versionsOf(target)).toEqual({ early: 2, stays: 1 });
  expect((await once()).status).toBe(0);
  expect(await versionsOf(target)).toEqual({ early: 2, stays: 1 });
  expect((await target.describe('photos', 'early')).expires_at).toBeUndefined();
});

test.each(['among the objects', 'in a large object'])(
  'a migration that is killed %s continues where it was',
  async (moment) => {
    for (let n = 0; n < 60; n++) await source.put('photos', `a/${n}`, `${n}`);
    await source.upload('photos', 'film', randomBytes(40 * 1024 ** 2));
    const state = path.join(folder, 'killed.json');
    const args = ['migrate', '--to', 'there', '--parallel', '1', '--state', state];
    const first = stowage.start(args);
    await until(moment, async () => {
      const content = `${state}.content`;
      if (moment !== 'among the objects') return existsSync(content) && readdirSync(content)[0];
      const { objects } = await target.list('photos').catch(() => ({ objects: [] }));
      return objects.length >= 5;
    });
    await first.end('SIGKILL');
    expect(first.output).not.toContain('caught up');
    await source.delete('photos', 'a/0');
    await source.put('photos', 'a/1', 'later');
    for (let n = 0; n < 2; n++) {
      const { status, stderr } = await once('--state', state);
      expect([status, stderr]).toEqual([0, '']);
    }
    expect(Object.keys(await expectSame())).toHaveLength(60);
    const { 'a/1': _changed, ...others } = await versionsOf(target);
    expect(new Set(Object.values(others))).toEqual(new Set([1]));
    rmSync(state);
  },
);

test('it says when it has caught up, again after further changes, and ends with Ctrl-C', async () => {
  await source.put('photos', 'a', '1');
  const command = stowage.start(['migrate', '--to', 'there', '--interval', '1']);
  await command.printed('caught up at cursor 1 of photos (');
  await source.put('photos', 'a', '2');
  await source.buckets.create('later');
  await source.put('later', 'b', '1');
  await command.printed('caught up at cursor 1 of later, cursor 2 of photos (');
  expect(command.stdout).toContain(`then point clients to ${services[1]?.url}\n`);
  expect(await command.end('SIGINT')).toBe(0);
  await expectSame('later');
  await expectSame();
});

test('an outage of the other service is waited out', async () => {
  const data = path.join(folder, 'outage');
  const before = await startStowage({ folder: data });
  useProfile('there', before.url, before.key);
  target = client(before.url, before.key);
  await source.put('photos', 'a', '1');
  const command = stowage.start(['migrate', '--to', 'there', '--interval', '1']);
  await command.printed('caught up at cursor 1 of photos (');
  await before.close();
  await source.put('photos', 'a', '2');
  await source.upload('photos', 'film', randomBytes(9 * 1024 ** 2));
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const after = await startStowage({ folder: data, port: Number(new URL(before.url).port) });
  await command.printed('caught up at cursor 3 of photos (');
  expect([await command.end('SIGINT'), command.stderr]).toEqual([0, '']);
  await expectSame();
  await after.close();
});

test('differences are named, and the next run repairs them', async () => {
  for (const key of ['a', 'b', 'c', 'd']) await source.put('photos', key, key);
  expect((await once()).status).toBe(0);
  await target.put('photos', 'a', 'x');
  await target.delete('photos', 'b');
  await target.put('photos', 'other', 'x');
  await target.patch('photos', 'c', { metadata: { x: 'y' } });
  const { status, stdout, stderr } = await once();
  expect(status).toBe(1);
  expect(stderr).toContain('4 objects differ');
  const named = [...stdout.matchAll(/^photos:(\w+) /gm)].map(([, key]) => key);
  expect(named).toEqual(['a', 'b', 'c', 'other']);
  expect((await once()).status).toBe(0);
  expect(Object.keys(await expectSame())).toEqual(['a', 'b', 'c', 'd']);
});

test('a bucket of the source that was created again is copied again', async () => {
  await source.put('photos', 'a', '1');
  expect((await once()).status).toBe(0);
  await source.delete('photos', 'a');
  await source.buckets.delete('photos');
  await source.buckets.create('photos');
  await source.put('photos', 'b', '1');
  expect((await once()).status).toBe(0);
  expect(Object.keys(await expectSame())).toEqual(['b']);
});

test('objects of others are neither replaced nor removed without being asked', async () => {
  await source.put('photos', 'a', '1');
  await target.buckets.create('photos');
  await target.put('photos', 'theirs', 'x');
  const refused = await once();
  expect([refused.status, refused.stderr]).toEqual([5, expect.stringContaining('photos of http')]);
  expect((await once('--into-existing')).status).toBe(0);
  const { objects } = await target.list('photos');
  expect(objects.map(({ key }) => key)).toEqual(['a', 'theirs']);
});

test('a file of somebody else is never the state, and a state not that of others', async () => {
  const mine = path.join(folder, 'notes.txt');
  writeFileSync(mine, 'mine');
  const { status, stderr } = await once('--state', mine);
  expect([status, readFileSync(mine, 'utf8')]).toEqual([1, 'mine']);
  expect(stderr).toContain('is not the state of a migration');
  const state = path.join(folder, 'state.json');
  expect((await once('--state', state)).status).toBe(0);
  expect(existsSync(state)).toBe(true);
  const { baseUrl, apiKey } = emulated();
  useProfile('there', baseUrl, apiKey);
  expect((await once('--state', state)).stderr).toContain('is the state of a migration from');
});

test('the service itself is no target', async () => {
  const [here] = services;
  useProfile('there', here?.url ?? '', here?.key ?? '');
  expect((await once()).status).toBe(2);
});

test('a deployed service receives everything, and gives it back', async () => {
  const { baseUrl, apiKey } = emulated();
  target = client(baseUrl, apiKey);
  useProfile('there', baseUrl, apiKey);
  const bucket = newName('moved');
  await source.buckets.create(bucket);
  await putSamples(source, bucket);
  const there = await once(bucket);
  expect([there.status, there.stderr]).toEqual([0, '']);
  await expectSame(bucket);
  const back = new Command(folder, { baseUrl, apiKey });
  const [, other] = services;
  useProfile('back', other?.url ?? '', other?.key ?? '');
  const returned = await back.run(['migrate', '--to', 'back', '--once', bucket]);
  expect([returned.status, returned.stderr]).toEqual([0, '']);
  source = client(other?.url ?? '', other?.key ?? '');
  await expectSame(bucket);
  await target.removeAll(bucket, '');
  await target.buckets.delete(bucket);
});
