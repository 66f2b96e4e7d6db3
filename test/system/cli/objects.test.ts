/** The command `stowage` against the emulator: buckets, objects, and their earlier states. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { StowageClient } from '../../../client';
import { newName } from '../../support/local-service/shared-service';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();

describe('buckets', () => {
  test('mb makes a bucket, which ls lists and rb removes', async () => {
    const bucket = newName('short-lived');
    await world.stowage.lines('mb', bucket);
    expect(await world.stowage.lines('ls')).toContain(`${bucket}:`);
    expect(await world.stowage.lines('rb', bucket)).toEqual([`removed ${bucket}:`]);
    expect(await world.stowage.lines('ls')).not.toContain(`${bucket}:`);
  });

  test('mb exits with 5 when there is a bucket of that name', async () => {
    const bucket = await world.newBucket();
    const { status, stderr } = await world.stowage.run(['mb', bucket]);
    expect([status, stderr]).toEqual([5, expect.stringContaining('already exists')]);
  });

  test('rb leaves a bucket with objects, and removes it with --force', async () => {
    const bucket = await world.newBucket('a');
    expect((await world.stowage.run(['rb', bucket])).status).toBe(5);
    expect((await world.stowage.run(['rb', bucket, '--force'])).status).toBe(2);
    expect(await world.keysOf(bucket)).toEqual(['a']);
    await world.stowage.lines('rb', bucket, '--force', '--yes');
    expect((await world.stowage.run(['ls', bucket])).status).toBe(3);
  });
});

describe('ls, stat, cat and du', () => {
  test('ls lists one level, -r everything, -l with sizes, --as-of an earlier state', async () => {
    const bucket = await world.newBucket('2026/a', '2026/b', 'c');
    expect(await world.stowage.lines('ls', bucket)).toEqual(['2026/', 'c']);
    expect(await world.stowage.lines('ls', `${bucket}:2026/`)).toEqual(['2026/a', '2026/b']);
    expect(await world.stowage.lines('ls', '-r', bucket)).toEqual(['2026/a', '2026/b', 'c']);
    expect(await world.stowage.lines('ls', '-r', bucket, '--as-of', '1')).toEqual(['2026/a']);
    expect(await world.stowage.lines('ls', '-r', await world.newBucket())).toEqual([]);
    const long = await world.stowage.lines('ls', '-l', `${bucket}:c`);
    expect(long).toEqual([expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ +1 B {2}c$/)]);
    const [first] = await world.stowage.json('ls', '-r', bucket);
    expect(first).toMatchObject({ bucket, key: '2026/a', size: 6, version: 1 });
  });

  test('watch exits with 0 and prints no error when its reader is gone', async () => {
    const bucket = await world.newBucket('a');
    const watching = world.stowage.start(['watch', bucket, '--cursor', '0']);
    watching.closeOutput();
    await world.put(bucket, 'b', 'b');
    const { status, stderr } = await watching.ended();
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('EPIPE')]);
  });

  test.each(['cat', 'ls -r'])('%s fails when its output cannot be written', async (command) => {
    const bucket = await world.newBucket('a');
    const [name = '', ...options] = command.split(' ');
    const full = openSync('/dev/full', 'w');
    const args = [name, ...options, `${bucket}:a`];
    const { status, stderr } = await world.stowage.start(args, { stdout: full }).ended();
    closeSync(full);
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOSPC')]);
  });

  test('cat prints an object, a range of it, and an earlier version', async () => {
    const bucket = await world.newBucket('a');
    await world.put(bucket, 'a', 'second');
    const cat = async (...args: string[]) => (await world.stowage.run(['cat', ...args])).stdout;
    expect(await cat(`${bucket}:a`)).toBe('second');
    expect(await cat(`${bucket}:a`, '--range', '1-3')).toBe('eco');
    expect(await cat(`${bucket}:a`, '--version-number', '1')).toBe('a');
    expect(await cat(`${bucket}:a`, '--as-of', '1')).toBe('a');
  });

  test.each([1_000, 5_000_000])(
    'cp and cat pass on the stored bytes of an object of %d bytes with a Content-Encoding',
    async (length) => {
      const bucket = await world.newBucket();
      const { baseUrl, apiKey } = world.service;
      const stored = gzipSync(randomBytes(length));
      const client = new StowageClient({ baseUrl, apiKey });
      await client.upload(bucket, 'a', stored, { contentEncoding: 'gzip' });
      await world.stowage.lines('cp', `${bucket}:a`, 'encoded');
      expect(readFileSync(path.join(world.folder, 'encoded')).equals(stored)).toBe(true);
      const printed = openSync(path.join(world.folder, 'printed'), 'w');
      const cat = world.stowage.start(['cat', `${bucket}:a`], { stdout: printed });
      const { status } = await cat.ended();
      closeSync(printed);
      expect(status).toBe(0);
      expect(readFileSync(path.join(world.folder, 'printed')).equals(stored)).toBe(true);
      const range = await world.stowage.run(['cat', `${bucket}:a`, '--range', '0-9']);
      expect(range).toMatchObject({ status: 1, stdout: '' });
      expect(range.stderr).toContain('a has a Content-Encoding');
    },
  );

  test('stat prints the descriptor of an object, and the figures of a bucket', async () => {
    const bucket = await world.newBucket('a');
    expect(await world.stowage.json('stat', `${bucket}:a`)).toMatchObject([
      { bucket, key: 'a', size: 1 },
    ]);
    expect(await world.stowage.json('stat', bucket)).toMatchObject([{ name: bucket, cursor: 1 }]);
    expect(await world.stowage.lines('stat', `${bucket}:a`)).toContain('version:          1');
  });

  test('du counts objects and bytes by folder', async () => {
    const bucket = await world.newBucket('x/1', 'x/2', 'y');
    expect(await world.stowage.json('du', bucket)).toEqual([
      { bucket, prefix: 'x/', objects: 2, size: 6 },
      { bucket, prefix: '', objects: 3, size: 7, total: true },
    ]);
  });
});

describe('rm', () => {
  test('rm deletes objects, and exits with 3 for one that is missing unless -f', async () => {
    const bucket = await world.newBucket('a', 'b');
    await world.stowage.lines('rm', `${bucket}:a`, `${bucket}:b`);
    expect(await world.keysOf(bucket)).toEqual([]);
    expect((await world.stowage.run(['rm', `${bucket}:a`])).status).toBe(3);
    expect((await world.stowage.run(['rm', '-f', `${bucket}:a`])).status).toBe(0);
  });

  test('rm -r needs --yes without a terminal, and deletes only what is below', async () => {
    const bucket = await world.newBucket('x/1', 'x/2', 'y');
    const { status, stderr } = await world.stowage.run(['rm', '-r', `${bucket}:x/`]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('Pass --yes')]);
    expect(await world.stowage.json('rm', '-r', `${bucket}:x/`, '--dry-run')).toMatchObject([
      { objects: 2 },
    ]);
    expect(await world.keysOf(bucket)).toHaveLength(3);
    expect(await world.stowage.json('rm', '-r', `${bucket}:x/`, '--yes')).toMatchObject([
      { deleted: 2, cursor: 3 },
    ]);
    expect(await world.keysOf(bucket)).toEqual(['y']);
  });

  test('rm -r deletes a folder, not the keys that only begin like it', async () => {
    const bucket = await world.newBucket('x', 'x-old', 'x/1');
    await world.stowage.lines('rm', '-r', `${bucket}:x`, '--yes');
    expect(await world.keysOf(bucket)).toEqual(['x', 'x-old']);
    const { status, stderr } = await world.stowage.run(['rm', '-r', `${bucket}:x`, '--yes']);
    expect([status, stderr]).toEqual([3, expect.stringContaining('nothing is below')]);
    expect(await world.keysOf(bucket)).toEqual(['x', 'x-old']);
    await world.stowage.lines('rm', '-rf', `${bucket}:x`, '--yes');
  });
});

describe('versions, restore and undo', () => {
  test('restore brings back the content before the last change, or a named version', async () => {
    const bucket = await world.newBucket('a');
    const content = async () => (await world.stowage.run(['cat', `${bucket}:a`])).stdout;
    await world.put(bucket, 'a', 'two');
    await world.stowage.lines('rm', `${bucket}:a`);
    const versions = await world.stowage.json('versions', `${bucket}:a`);
    expect(versions.map(({ version, type }) => [version, type])).toEqual([
      [3, 'delete'],
      [2, 'put'],
      [1, 'put'],
    ]);
    await world.stowage.lines('restore', `${bucket}:a`);
    expect(await content()).toBe('two');
    await world.stowage.lines('restore', `${bucket}:a`, '--version-number', '1');
    expect(await content()).toBe('a');
  });

  test('undo shows what would change, and brings a bucket back to a cursor', async () => {
    const bucket = await world.newBucket('a', 'b');
    await world.stowage.lines('rm', `${bucket}:a`);
    await world.put(bucket, 'c', 'c');
    const changes = await world.stowage.lines('undo', bucket, '--to', '2', '--dry-run');
    expect([...changes].sort()).toEqual(['would delete  c', 'would restore a: version 1, 1 B']);
    expect(await world.keysOf(bucket)).toEqual(['b', 'c']);
    await world.stowage.lines('undo', bucket, '--to', '2', '--yes');
    expect(await world.keysOf(bucket)).toEqual(['a', 'b']);
  });

  test('undo brings a bucket back to a time', async () => {
    const bucket = await world.newBucket('a', 'b', 'c');
    const [found] = await world.stowage.json('stat', `${bucket}:b`);
    await world.stowage.lines('rm', '-r', `${bucket}:`, '--yes');
    await world.stowage.lines('undo', bucket, '--to', String(found?.updated_at), '--yes');
    expect(await world.keysOf(bucket)).toEqual(['a', 'b']);
  });
});
