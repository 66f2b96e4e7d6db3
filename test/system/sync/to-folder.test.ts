/** `stowage sync` from a bucket to a folder. */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { contentsOf, useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();

test('sync writes files with the time of the object, and repeats nothing', async () => {
  const w = world();
  const { client, there, bucket } = w;
  await client.put(bucket, 'a/b', 'x', { metadata: { mtime: '1700000000.5' } });
  await client.put(bucket, 'a/c', 'y');
  expect((await w.run(`${bucket}:a`, there)).did).toEqual({ b: 'downloaded', c: 'downloaded' });
  expect(contentsOf(there)).toEqual({ b: 'x', c: 'y' });
  expect(statSync(path.join(there, 'b')).mtimeMs).toBe(1_700_000_000_500);
  expect(readdirSync(there).sort()).toEqual(['b', 'c']);
  const requests: string[] = [];
  const counting = w.clientOf((url, init, send) => {
    requests.push(url.pathname.replace('/api/v2/storage/', ''));
    return send(url.href, init);
  });
  // Without the state: the checksums say that the files are the objects.
  expect((await w.runHere(counting, `${bucket}:a`, there)).did).toEqual({});
  expect(requests).toEqual([`objects/${bucket}`]);
});

test('sync --delete replaces files by folders and folders by files', async () => {
  const w = world();
  const { client, there, bucket } = w;
  await client.put(bucket, 'a/b/c', 'x');
  await client.put(bucket, 'd', 'x');
  await w.run(`${bucket}:`, there);
  await client.delete(bucket, 'a/b/c');
  await client.put(bucket, 'a', 'file');
  await client.delete(bucket, 'd');
  await client.put(bucket, 'd/e', 'x');
  expect(await w.run(`${bucket}:`, there)).toMatchObject({ status: 1 });
  expect(await w.run(`${bucket}:`, there, '--delete')).toMatchObject({ status: 0 });
  expect(contentsOf(there)).toEqual({ a: 'file', 'd/e': 'x' });
});

test('sync writes nothing outside the folder, whatever the keys are', async () => {
  const w = world();
  const { client, there, bucket } = w;
  const names = ['/abs', 'a//b', 'folder/', '.stowage-sync/x', `${'n'.repeat(256)}`, 'ok', 'ok/x'];
  for (const key of names) await client.put(bucket, key, 'x');
  const { status, did } = await w.run(`${bucket}:`, there, '--delete');
  expect(status).toBe(0);
  const downloaded = Object.keys(did).filter((name) => did[name] === 'downloaded');
  expect(downloaded).toEqual(['ok/x']);
  expect(Object.values(did).filter((each) => each === 'skipped')).toHaveLength(6);
  expect(contentsOf(there)).toEqual({ 'ok/x': 'x' });
});

test('sync --delete deletes nothing when nothing is below the prefix of the source', async () => {
  const w = world();
  const { client, there, bucket } = w;
  await client.put(bucket, 'photos/a', 'x');
  await w.run(`${bucket}:photos`, there);
  for (const more of [[], ['--dry-run'], ['--watch']]) {
    const { status, stderr } = await w.run(`${bucket}:foto`, there, '--delete', ...more);
    expect([status, stderr]).toEqual([3, expect.stringContaining('nothing is below')]);
  }
  expect((await w.run(`${bucket}:foto`, there)).status).toBe(0);
  expect(contentsOf(there)).toEqual({ a: 'x' });
  await client.put(bucket, 'copy/a', 'x');
  expect((await w.run(`${bucket}:foto`, `${bucket}:copy`, '--delete')).status).toBe(3);
  expect(await w.keys('copy/')).toEqual(['copy/a']);
});

test('sync does not follow symbolic links in the destination', async () => {
  const w = world();
  const { client, there, bucket } = w;
  const outside = w.folder('outside');
  mkdirSync(outside);
  mkdirSync(there);
  writeFileSync(path.join(outside, 'kept'), 'kept');
  symlinkSync(outside, path.join(there, 'a'));
  symlinkSync(path.join(outside, 'kept'), path.join(there, 'file'));
  await client.put(bucket, 'a/b', 'x');
  await client.put(bucket, 'file', 'x');
  const { status, stderr } = await w.run(`${bucket}:`, there, '--delete');
  expect([status, stderr]).toEqual([1, expect.stringContaining('a is a symbolic link')]);
  expect(contentsOf(outside)).toEqual({ kept: 'kept' });
  expect(contentsOf(there)).toEqual({ file: 'x' });
});

test('sync writes the stored bytes of an object with a Content-Encoding', async () => {
  const w = world();
  const { client, there, bucket } = w;
  const bytes = gzipSync('hello');
  const options = { contentEncoding: 'gzip', contentType: 'text/plain' };
  await client.put(bucket, 'a.txt', new Uint8Array(bytes), options);
  expect((await w.run(`${bucket}:`, there)).did).toEqual({ 'a.txt': 'downloaded' });
  expect(readFileSync(path.join(there, 'a.txt')).equals(bytes)).toBe(true);
  expect((await w.run(`${bucket}:`, there, '--checksum')).did).toEqual({});
});

test('sync continues an interrupted download of a large object', async () => {
  const w = world();
  const { client, there, bucket } = w;
  const content = randomBytes(40 * 1024 ** 2);
  await client.upload(bucket, 'large', content);
  const stop = new AbortController();
  const interrupted = w.clientOf(async (url, init, send) => {
    const range = new Headers(init.headers).get('range');
    if (range?.startsWith('bytes=33554432-')) stop.abort(new Error('interrupted'));
    return send(url.href, init);
  });
  const first = w.runHere(interrupted, `${bucket}:`, there, { signal: stop.signal });
  await expect(first).rejects.toThrow('interrupted');
  expect(existsSync(path.join(there, 'large'))).toBe(false);
  expect((await w.run(`${bucket}:`, there)).did).toEqual({ large: 'downloaded' });
  expect(readFileSync(path.join(there, 'large')).equals(content)).toBe(true);
  expect(readdirSync(there)).toEqual(['large']);
});
