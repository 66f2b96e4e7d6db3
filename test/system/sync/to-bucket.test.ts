/** `stowage sync` from a folder to a bucket. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type SyncWorld, useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();

test('sync uploads files with their type and time, and repeats nothing', async () => {
  const w = world();
  const { client, here, bucket } = w;
  const file = w.write('a/page.html', '<p>');
  utimesSync(file, 1_700_000_000, 1_700_000_000.123);
  w.write('.hidden/ü b', 'x');
  mkdirSync(path.join(here, 'empty'));
  symlinkSync('/etc/passwd', path.join(here, 'link'));
  symlinkSync('/etc', path.join(here, 'links'));
  const first = await w.run(here, `${bucket}:site`);
  expect(first).toMatchObject({ status: 0 });
  expect(first.did).toEqual({
    'a/page.html': 'uploaded',
    '.hidden/ü b': 'uploaded',
    link: 'skipped',
    links: 'skipped',
  });
  const object = await client.describe(bucket, 'site/a/page.html');
  expect(object.content_type).toBe('text/html; charset=utf-8');
  expect(object.metadata).toEqual({ mtime: '1700000000.123' });
  expect(await w.keys()).toEqual(['site/.hidden/ü b', 'site/a/page.html']);
  expect((await w.run(here, `${bucket}:site/`)).did).toEqual({ link: 'skipped', links: 'skipped' });
});

test('sync without its state does not read files of equal size and time', async () => {
  const w = world();
  const { here, bucket } = w;
  const file = w.write('a', 'one');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  await w.run(here, `${bucket}:`);
  writeFileSync(file, 'two');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const anew = ['--state', w.folder('other')];
  expect((await w.run(here, `${bucket}:`, ...anew)).did).toEqual({});
  expect((await w.run(here, `${bucket}:`, '--checksum')).did).toEqual({ a: 'uploaded' });
});

test('sync detects an edit that keeps the size and the time', async () => {
  const w = world();
  const { here, bucket } = w;
  const file = w.write('a', 'one');
  const { mtime, atime } = statSync(file);
  await w.run(here, `${bucket}:`);
  writeFileSync(file, 'two');
  utimesSync(file, atime, mtime);
  expect((await w.run(here, `${bucket}:`)).did).toEqual({ a: 'uploaded' });
  expect(await w.text('a')).toBe('two');
});

test('sync --delete deletes objects below the prefix that the folder lacks, except excluded ones', async () => {
  const w = world();
  const { client, here, bucket } = w;
  for (const key of ['site/old', 'site/keep.log', 'other', 'site-2/x']) {
    await client.put(bucket, key, 'x');
  }
  w.write('new', 'x');
  const args = [here, `${bucket}:site`, '--exclude', '*.log'];
  expect((await w.run(...args, '--dry-run', '--delete')).did).toEqual({
    new: 'uploaded',
    old: 'deleted',
  });
  expect(await w.keys('site/')).toEqual(['site/keep.log', 'site/old']);
  expect((await w.run(...args)).did).toEqual({ new: 'uploaded' });
  expect((await w.run(...args, '--delete')).did).toEqual({ old: 'deleted' });
  expect(await w.keys()).toEqual(['other', 'site-2/x', 'site/keep.log', 'site/new']);
});

test('patterns are repeated options, before or after the places', async () => {
  const w = world();
  const { here, bucket } = w;
  for (const name of ['a.jpg', 'b.png', 'a.tmp', 'a.log']) w.write(name, 'x');
  const exclude = ['--exclude', '*.tmp', '--exclude', '*.log'];
  const dry = ['--dry-run', ...exclude];
  for (const args of [
    [...dry, here, `${bucket}:`],
    [here, ...dry, `${bucket}:`],
  ]) {
    const { status, did } = await w.run(...args);
    expect([status, did]).toEqual([0, { 'a.jpg': 'uploaded', 'b.png': 'uploaded' }]);
  }
  const include = ['--include', '*.jpg', '--include', '*.log'];
  const { did } = await w.run(...include, ...exclude, here, `${bucket}:`);
  expect(did).toEqual({ 'a.jpg': 'uploaded' });
});

test('sync --delete deletes nothing when the folder does not exist', async () => {
  const w = world();
  const { client, here, bucket } = w;
  await client.put(bucket, 'a', 'x');
  const { status, stderr } = await w.run(path.join(here, 'missing'), `${bucket}:`, '--delete');
  expect([status, stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
  expect(await w.keys()).toEqual(['a']);
});

test('sync keeps an object that somebody else changes after it was listed', async () => {
  const w = world();
  const { client, here, bucket } = w;
  w.write('replaced', 'mine');
  w.write('created', 'mine');
  await client.put(bucket, 'replaced', 'old');
  await client.put(bucket, 'deleted', 'old');
  let isListed = false;
  const meddling = w.clientOf(async (url, init, send) => {
    const response = await send(url.href, init);
    if (!isListed && url.pathname.endsWith(`/objects/${bucket}`)) {
      isListed = true;
      for (const key of ['replaced', 'created', 'deleted']) {
        await client.put(bucket, key, 'theirs');
      }
    }
    return response;
  });
  const report = await w.runHere(meddling, here, `${bucket}:`, { delete: true });
  expect(report.failures).toEqual({
    replaced: expect.stringContaining('somebody else'),
    created: expect.stringContaining('somebody else'),
    deleted: expect.stringContaining('somebody else'),
  });
  for (const key of ['replaced', 'created', 'deleted']) expect(await w.text(key)).toBe('theirs');
  const next = await w.runHere(client, here, `${bucket}:`, { delete: true });
  expect(next.did).toEqual({ replaced: 'uploaded', created: 'uploaded', deleted: 'deleted' });
});

test('a file that changes while it is sent is sent again', async () => {
  const w = world();
  const { client, here, bucket } = w;
  const file = w.write('a', 'one');
  let sent = 0;
  const meddling = w.clientOf(async (url, init, send) => {
    if (init.method === 'PUT' && sent++ === 0) writeFileSync(file, 'two');
    return send(url.href, init);
  });
  await w.runHere(meddling, here, `${bucket}:`);
  expect(await w.text('a')).toBe('one');
  expect((await w.runHere(client, here, `${bucket}:`)).did).toEqual({ a: 'uploaded' });
  expect(await w.text('a')).toBe('two');
});

/** Writes that many small files, and returns their names. */
function writeMany(w: SyncWorld, count: number): readonly string[] {
  const names = Array.from({ length: count }, (_, n) => `d${n % 3}/file ${n}`);
  for (const name of names) w.write(name, name);
  return names;
}

const allOf = <T>(names: readonly string[], value: T) =>
  Object.fromEntries(names.map((name) => [name, value]));

describe('many small files', () => {
  test('are sent by a fraction of the requests, each with its type and time', async () => {
    const w = world();
    const names = [...writeMany(w, 150), 'empty.txt'];
    utimesSync(w.write('empty.txt', ''), 1_700_000_000, 1_700_000_000.123);
    let requests = 0;
    const counting = w.clientOf((url, init, send) => {
      requests += 1;
      return send(url.href, init);
    });
    const { did, failures } = await w.runHere(counting, w.here, `${w.bucket}:site`);
    expect({ did, failures }).toEqual({ did: allOf(names, 'uploaded'), failures: {} });
    expect(requests).toBeLessThan(names.length / 2);
    expect(await w.keys()).toEqual(names.map((name) => `site/${name}`).sort());
    expect(await w.text('site/d1/file 100')).toBe('d1/file 100');
    expect(await w.client.describe(w.bucket, 'site/empty.txt')).toMatchObject({
      content_type: 'text/plain; charset=utf-8',
      size: 0,
      metadata: { mtime: '1700000000.123' },
    });
    expect((await w.runHere(counting, w.here, `${w.bucket}:site`)).did).toEqual({});
  });

  test('of long names and larger contents are sent, too', async () => {
    const w = world();
    const folders = ['x', 'y', 'z'].map((letter) => letter.repeat(250)).join('/');
    const names = Array.from({ length: 40 }, (_, n) => `${folders}/${n}`);
    for (const [n, name] of names.entries()) w.write(name, 'ü'.repeat(n * 400));
    expect((await w.run(w.here, `${w.bucket}:`)).did).toEqual(allOf(names, 'uploaded'));
    expect(await w.text(names[39] ?? '')).toHaveLength(39 * 400);
  });

  test('are uploaded, except those whose objects somebody else changes meanwhile', async () => {
    const w = world();
    const names = writeMany(w, 40);
    const theirs = [names[10], names[20]] as string[];
    await w.client.put(w.bucket, names[20] as string, 'old');
    let isListed = false;
    const meddling = w.clientOf(async (url, init, send) => {
      const response = await send(url.href, init);
      if (!isListed) for (const key of theirs) await w.client.put(w.bucket, key, 'theirs');
      isListed = true;
      return response;
    });
    const { did, failures } = await w.runHere(meddling, w.here, `${w.bucket}:`);
    expect(failures).toEqual(allOf(theirs, expect.stringContaining('somebody else')));
    expect(did).toEqual(
      allOf(
        names.filter((name) => !theirs.includes(name)),
        'uploaded',
      ),
    );
    for (const key of theirs) expect(await w.text(key)).toBe('theirs');
  });

  test.each([400, 403, 404, 409, 412, 413, 500])(
    'are uploaded where the service responds to commits with %d',
    async (status) => {
      const w = world();
      const names = writeMany(w, 20);
      const refusing = w.clientOf(async (url, init, send) =>
        url.pathname.endsWith('/commits') ? new Response('{}', { status }) : send(url.href, init),
      );
      const { did, failures } = await w.runHere(refusing, w.here, `${w.bucket}:`);
      expect({ did, failures }).toEqual({ did: allOf(names, 'uploaded'), failures: {} });
      expect(await w.keys()).toEqual([...names].sort());
    },
  );

  test('that change while they are sent are sent again', async () => {
    const w = world();
    const names = writeMany(w, 40);
    const changed = new Set<string>();
    const meddling = w.clientOf(async (url, init, send) => {
      if (init.method === 'POST' || init.method === 'PUT') {
        for (const name of names.filter((each) => !changed.has(each))) {
          if (changed.size < 30) w.write(name, 'changed');
          changed.add(name);
        }
      }
      return send(url.href, init);
    });
    await w.runHere(meddling, w.here, `${w.bucket}:`);
    await w.runHere(w.client, w.here, `${w.bucket}:`);
    for (const [n, name] of names.entries()) {
      expect(await w.text(name)).toBe(n < 30 ? 'changed' : name);
    }
  });

  test('are in step after a sync that was interrupted while the service stored them', async () => {
    const w = world();
    const names = writeMany(w, 60);
    const stop = new AbortController();
    const interrupting = w.clientOf(async (url, init, send) => {
      const response = await send(url.href, init);
      if (url.pathname.endsWith('/commits')) stop.abort(new Error('interrupted'));
      return response;
    });
    const options = { signal: stop.signal };
    const interrupted = w.runHere(interrupting, w.here, `${w.bucket}:`, options);
    await expect(interrupted).rejects.toThrow('interrupted');
    expect((await w.runHere(w.client, w.here, `${w.bucket}:`)).failures).toEqual({});
    expect(await w.keys()).toEqual([...names].sort());
    expect((await w.runHere(w.client, w.here, `${w.bucket}:`)).did).toEqual({});
  });
});

test('the charset of a large text is that of its beginning', async () => {
  const w = world();
  w.write('a.txt', `x${'ü'.repeat(3 * 1024 ** 2)}`);
  w.write('utf-16.txt', Buffer.alloc(5 * 1024 ** 2, Buffer.from('\ufeffab', 'utf16le')));
  await w.run(w.here, `${w.bucket}:`);
  const types = ['a.txt', 'utf-16.txt'].map(async (key) => {
    return (await w.client.describe(w.bucket, key)).content_type;
  });
  expect(await Promise.all(types)).toEqual([
    'text/plain; charset=utf-8',
    'text/plain; charset=utf-16le',
  ]);
});

/** Opening the file `locked` fails, as it does for all users but root. */
const LOCKED = `
const fs = require('node:fs/promises');
const { open } = fs;
fs.open = async (file, ...more) => {
  if (!String(file).endsWith('locked')) return open(file, ...more);
  throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
};
`;

test('a file that cannot be read fails with the reason, and the others are sent', async () => {
  const w = world();
  for (const name of ['a', 'locked', 'z']) w.write(name, 'x');
  const preload = w.folder('locked.cjs');
  writeFileSync(preload, LOCKED);
  const env = { NODE_OPTIONS: `--require=${preload}` };
  const { status, stderr } = await w.stowage
    .start(['sync', w.here, `${w.bucket}:`], { env })
    .ended();
  expect([status, stderr]).toEqual([1, expect.stringContaining('locked: EACCES')]);
  expect(stderr).not.toMatch(/changed while|no response/);
  expect(await w.keys()).toEqual(['a', 'z']);
});

test('sync never mixes two contents of a large file that changes while it is sent', async () => {
  const w = world();
  const { client, here, bucket } = w;
  const before = randomBytes(9 * 1024 ** 2);
  const after = before.map((byte) => ~byte);
  const file = w.write('a', before);
  let change: Promise<void> | undefined;
  const meddling = w.clientOf(async (url, init, send) => {
    if (!url.searchParams.has('partNumber')) return send(url.href, init);
    // The other parts are read after the file has changed.
    if (change) return change.then(() => send(url.href, init));
    const response = send(url.href, init);
    change = response.then(() => writeFileSync(file, after));
    await change;
    return response;
  });
  await w.runHere(meddling, here, `${bucket}:`, { parallel: 1 });
  const stored = Buffer.from(await (await client.get(bucket, 'a')).arrayBuffer());
  expect(stored.equals(after)).toBe(true);
  expect((await client.describe(bucket, 'a')).metadata.sha256).toEqual(expect.any(String));
  expect((await w.run(here, `${bucket}:`, '--checksum')).did).toEqual({});
});

test('a second sync of the same places is refused while the first one runs', async () => {
  const w = world();
  const { here, bucket } = w;
  const watching = w.stowage.start(['sync', '-w', here, `${bucket}:`]);
  await watching.printed('in step');
  expect(await w.run(here, `${bucket}:`)).toMatchObject({
    status: 5,
    stderr: expect.stringContaining("another 'stowage sync'"),
  });
  expect(await watching.end('SIGINT')).toBe(0);
  expect(await w.run(here, `${bucket}:`)).toMatchObject({ status: 0 });
});

test('sync --delete deletes keys that no file can have, and uploads nothing under them', async () => {
  const w = world();
  const { client, here, bucket } = w;
  w.write('a/b', 'file');
  for (const key of ['a//b', '.stowage-sync/x', 'n'.repeat(256)]) {
    await client.put(bucket, key, 'theirs');
  }
  expect(await w.run(here, `${bucket}:`)).toMatchObject({ status: 0, did: { 'a/b': 'uploaded' } });
  expect(await w.text('a//b')).toBe('theirs');
  expect((await w.run(here, `${bucket}:`, '--delete')).status).toBe(0);
  expect(await w.keys()).toEqual(['a/b']);
});

test('sync exits with 0 and prints no error when its reader is gone', async () => {
  const w = world();
  for (let n = 0; n < 40; n++) w.write(`file ${n}`, 'x');
  const child = w.stowage.start(['sync', w.here, `${w.bucket}:`]);
  child.closeOutput();
  const { status, stderr } = await child.ended();
  expect([status, stderr]).toEqual([0, '']);
});
