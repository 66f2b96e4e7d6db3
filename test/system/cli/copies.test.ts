/** The command `stowage` against the emulator: copies and moves. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workingFiles } from '../../../client/transfer/file-download';
import { useCommandWorld } from './world';

jest.setTimeout(240_000);

const world = useCommandWorld();

/** Reading the folder `locked` fails. */
const LOCKED = `
const fs = require('node:fs/promises');
for (const name of ['readdir', 'opendir']) {
  const real = fs[name];
  fs[name] = async (folder, ...more) => {
    if (String(folder).endsWith('locked')) {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    }
    return real(folder, ...more);
  };
}
`;

/** The file `log` grows when the service has its content. */
const GROW = `
const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  const response = await fetch(url, init);
  require('node:fs').appendFileSync('log', 'two');
  return response;
};
`;

describe('cp and mv', () => {
  test('cp uploads a file with the content type of its extension, and downloads it', async () => {
    const bucket = await world.newBucket();
    world.write('page.html', '<p>');
    const meta = ['--meta', 'a=1', '--meta', 'b=2', '--cache-control', 'no-cache'];
    await world.stowage.lines('cp', 'page.html', `${bucket}:`, ...meta);
    const [found] = await world.stowage.json('stat', `${bucket}:page.html`);
    expect(found).toMatchObject({
      content_type: 'text/html; charset=utf-8',
      metadata: { a: '1', b: '2' },
    });
    await world.stowage.lines('cp', `${bucket}:page.html`, 'back/');
    expect(world.read('back/page.html')).toBe('<p>');
  });

  test('cp -r and mv -r keep every object apart from the files of downloads', async () => {
    const large = 'v'.repeat(4_000_000);
    const bucket = await world.newBucket('v.partial', 'v.partial.json', 'v.partial.lock');
    await world.put(bucket, 'v', large);
    const working = path.basename((await workingFiles('v')).partial);
    await world.put(bucket, working, 'taken for a working file');
    const ended = await world.stowage.run(['mv', '-r', `${bucket}:`, 'apart/']);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining(working)]);
    expect(world.read('apart/v')).toBe(large);
    for (const key of ['v.partial', 'v.partial.json', 'v.partial.lock']) {
      expect(world.read(`apart/${key}`)).toBe(key);
    }
    expect(readdirSync(path.join(world.folder, 'apart'))).toHaveLength(4);
    expect(await world.keysOf(bucket)).toEqual([working]);
  });

  test('cp -r follows no link below its destination', async () => {
    const bucket = await world.newBucket('link/x', 'linked', 'plain');
    world.write('outside/x', 'mine');
    world.write('copied/keep');
    symlinkSync('../outside', path.join(world.folder, 'copied/link'));
    symlinkSync('../outside/x', path.join(world.folder, 'copied/linked'));
    const ended = await world.stowage.run(['cp', '-r', `${bucket}:`, 'copied/']);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('symbolic link')]);
    expect([world.read('outside/x'), world.read('copied/plain')]).toEqual(['mine', 'plain']);
  });

  test('cp -r reports a key that is a folder of another key, and leaves nothing behind', async () => {
    const bucket = await world.newBucket('a', 'a/b');
    const ended = await world.stowage.run(['cp', '-r', `${bucket}:`, 'both/', '--parallel', '1']);
    expect([ended.status, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/file in the place of/),
    ]);
    expect(readdirSync(path.join(world.folder, 'both'))).toEqual(['a']);
  });

  test('cp -r reports a key whose name a folder has already, and leaves nothing behind', async () => {
    const bucket = await world.newBucket('a', 'a/b', 'c');
    await world.stowage.lines('cp', `${bucket}:a/b`, 'folder-first/a/');
    const ended = await world.stowage.run(['cp', '-r', `${bucket}:`, 'folder-first/']);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('is a folder')]);
    const names = readdirSync(path.join(world.folder, 'folder-first'), { recursive: true });
    expect(names.sort()).toEqual(['a', 'a/b', 'c']);
    expect(world.read('folder-first/a/b')).toBe('a/b');
  });

  test('cp of a file that cannot be read says so, and does not blame the network', async () => {
    const bucket = await world.newBucket();
    const ended = await world.stowage.run(['cp', '/proc/self/mem', `${bucket}:mem`]);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringMatching(/EIO|EACCES|EPERM/)]);
    expect(ended.stderr).not.toContain('no response');
  });

  test.each([
    ['page.html', '<p>ü', 'text/html; charset=utf-8'],
    ['empty.txt', '', 'text/plain; charset=utf-8'],
    ['utf-16.txt', Buffer.from('\ufeffü', 'utf16le'), 'text/plain; charset=utf-16le'],
    ['latin1.txt', Buffer.from('ü', 'latin1'), 'text/plain'],
    ['cat.JPG', 'x', 'image/jpeg'],
    ['constructor', 'x', 'application/octet-stream'],
    ['x.__proto__', 'x', 'application/octet-stream'],
    ['js', 'x', 'application/octet-stream'],
  ])('cp and cp - store %s with its content type', async (name, content, type) => {
    const bucket = await world.newBucket();
    world.write(`typed/${name}`, Buffer.from(content));
    await world.stowage.lines('cp', `typed/${name}`, `${bucket}:file/${name}`);
    const input = Buffer.from(content);
    const copied = await world.stowage.run(['cp', '-', `${bucket}:input/${name}`], { input });
    expect([copied.status, copied.stderr]).toEqual([0, '']);
    for (const folder of ['file', 'input']) {
      const [found] = await world.stowage.json('stat', `${bucket}:${folder}/${name}`);
      expect(found).toMatchObject({ content_type: type, size: input.length });
    }
  });

  test('cp stores standard input', async () => {
    const bucket = await world.newBucket();
    const ended = await world.stowage.run(['cp', '-', `${bucket}:a`], { input: 'from a pipe' });
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    expect((await world.stowage.run(['cat', `${bucket}:a`])).stdout).toBe('from a pipe');
  });

  test('cp -r keeps the folder itself, and with a slash only what it contains', async () => {
    const bucket = await world.newBucket();
    world.write('trip/a');
    world.write('trip/deep/b');
    symlinkSync('/etc', path.join(world.folder, 'trip/link'));
    await world.stowage.lines('cp', '-r', 'trip', `${bucket}:x`);
    await world.stowage.lines('cp', '-r', 'trip/', `${bucket}:y/`);
    expect(await world.keysOf(bucket)).toEqual(['x/trip/a', 'x/trip/deep/b', 'y/a', 'y/deep/b']);
    await world.stowage.lines('cp', '-r', `${bucket}:x/trip`, 'down');
    await world.stowage.lines('cp', '-r', `${bucket}:x/trip/`, 'down');
    expect(world.read('down/trip/deep/b')).toBe('trip/deep/b');
    expect(world.read('down/deep/b')).toBe('trip/deep/b');
  });

  test('cp copies between buckets within the service, with the metadata', async () => {
    const [from, to] = [await world.newBucket(), await world.newBucket()];
    world.write('a.txt');
    await world.stowage.lines('cp', 'a.txt', `${from}:2026/`, '--meta', 'a=1');
    await world.stowage.lines('cp', '-r', `${from}:2026/`, `${to}:`);
    const [found] = await world.stowage.json('stat', `${to}:a.txt`);
    expect(found).toMatchObject({
      content_type: 'text/plain; charset=utf-8',
      metadata: { a: '1' },
    });
  });

  test('cp -n leaves existing files and objects unchanged', async () => {
    const bucket = await world.newBucket('a');
    world.write('a', 'new');
    await world.stowage.lines('cp', '-n', 'a', `${bucket}:a`);
    expect((await world.stowage.run(['cat', `${bucket}:a`])).stdout).toBe('a');
    expect(await world.stowage.lines('cp', '-n', `${bucket}:a`, 'a')).toEqual([
      'a exists: left as it is',
    ]);
    expect(world.read('a')).toBe('new');
  });

  test('cp -r reports a key that cannot be the name of a file, and copies the others', async () => {
    const bucket = await world.newBucket('x/ok', 'x//out');
    const { status, stderr } = await world.stowage.run(['cp', '-r', `${bucket}:x/`, 'safe/inner']);
    expect(stderr).toContain('cannot be the name of a file here');
    expect(status).toBe(1);
    expect(readdirSync(path.join(world.folder, 'safe'), { recursive: true })).toEqual([
      'inner',
      'inner/ok',
    ]);
  });

  test('mv deletes the source: of a file, an object, and within the service', async () => {
    const bucket = await world.newBucket();
    world.write('moved');
    await world.stowage.lines('mv', 'moved', `${bucket}:a`);
    expect(existsSync(path.join(world.folder, 'moved'))).toBe(false);
    await world.stowage.lines('mv', `${bucket}:a`, `${bucket}:b`);
    const other = await world.newBucket();
    await world.stowage.lines('mv', `${bucket}:b`, `${other}:c`);
    expect([await world.keysOf(bucket), await world.keysOf(other)]).toEqual([[], ['c']]);
    await world.stowage.lines('mv', `${other}:c`, 'moved');
    expect(await world.keysOf(other)).toEqual([]);
    expect(world.read('moved')).toBe('moved');
  });

  test('cp -r reports a folder that cannot be read, and copies the rest', async () => {
    const bucket = await world.newBucket();
    world.write('tree/a');
    world.write('tree/locked/x');
    world.write('tree/z');
    // As an unreadable folder is for root, too.
    const preload = world.write('locked.cjs', LOCKED);
    const env = { NODE_OPTIONS: `--require=${path.join(world.folder, preload)}` };
    const copy = world.stowage.start(['cp', '-r', 'tree/', `${bucket}:`], { env });
    const { status, stderr } = await copy.ended();
    expect([status, stderr]).toEqual([1, expect.stringContaining('tree/locked: ')]);
    expect(await world.keysOf(bucket)).toEqual(['a', 'z']);
  });

  test.each(['cp', 'mv'])(
    '%s -r reports names that are not UTF-8, and copies the rest',
    async (c) => {
      const bucket = await world.newBucket();
      const bytes = (name: string) => Buffer.from(path.join(world.folder, c, name), 'latin1');
      world.write(`${c}/ok`);
      for (const name of ['a\xff', 'z']) writeFileSync(bytes(name), name);
      mkdirSync(bytes('dir\xff'));
      writeFileSync(bytes('dir\xff/inside'), 'x');
      world.write(`${c}/a\ufffd`, 'real');
      const { status, stderr } = await world.stowage.run([c, '-r', `${c}/`, `${bucket}:`]);
      expect([status, stderr]).toEqual([1, expect.stringContaining('2 of 5 failed')]);
      for (const name of ['a\\xff', 'dir\\xff']) {
        expect(stderr).toContain(`${c}/${name}: the name is not UTF-8`);
      }
      expect(await world.keysOf(bucket)).toEqual(['a\ufffd', 'ok', 'z']);
      expect((await world.stowage.run(['cat', `${bucket}:a\ufffd`])).stdout).toBe('real');
      expect([existsSync(bytes('a\xff')), existsSync(bytes('dir\xff/inside'))]).toEqual([
        true,
        true,
      ]);
    },
  );

  test('mv keeps a file that changes while it is sent', async () => {
    const bucket = await world.newBucket();
    world.write('log', 'one');
    const env = {
      NODE_OPTIONS: `--require=${path.join(world.folder, world.write('grow.cjs', GROW))}`,
    };
    const { status, stderr } = await world.stowage
      .start(['mv', 'log', `${bucket}:`], { env })
      .ended();
    expect([status, stderr]).toEqual([1, expect.stringContaining('changed while it was sent')]);
    expect(world.read('log')).toBe('onetwo');
  });

  test('mv of two sources with one destination moves the first', async () => {
    const bucket = await world.newBucket();
    world.write('x1/f', 'one');
    world.write('y1/f', 'two');
    const args = ['mv', 'x1/f', 'y1/f', `${bucket}:`];
    const { status, stderr } = await world.stowage.run(args);
    expect([status, stderr]).toEqual([1, expect.stringContaining('another source has gone to')]);
    expect([await world.keysOf(bucket), world.read('y1/f')]).toEqual([['f'], 'two']);
  });

  test('mv within a bucket gives the object the type and the metadata of its options', async () => {
    const bucket = await world.newBucket('a');
    const options = ['--type', 'image/png', '--meta', 'a=1'];
    await world.stowage.lines('mv', `${bucket}:a`, `${bucket}:b`, ...options);
    expect(await world.keysOf(bucket)).toEqual(['b']);
    const [found] = await world.stowage.json('stat', `${bucket}:b`);
    expect(found).toMatchObject({ content_type: 'image/png', metadata: { a: '1' } });
  });

  test.each(['cp', 'mv'])('%s -r refuses a destination in its source', async (command) => {
    const bucket = await world.newBucket('x/a');
    for (const to of [`${bucket}:x/sub/`, `${bucket}:x/`]) {
      const { status, stderr } = await world.stowage.run([command, '-r', `${bucket}:x/`, to]);
      expect([status, stderr]).toEqual([2, expect.stringContaining('part of the source')]);
    }
    expect(await world.keysOf(bucket)).toEqual(['x/a']);
  });

  test.each([['--version-number'], ['--as-of']])('mv takes no %s', async (option) => {
    const bucket = await world.newBucket('a');
    const { status, stderr } = await world.stowage.run([
      ...['mv', `${bucket}:a`, `${bucket}:b`, option, '1'],
    ]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('use cp')]);
    expect(await world.keysOf(bucket)).toEqual(['a']);
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ['a folder without -r', ['trip2', 'photos:'], 2, /trip2 is a folder: pass -r/],
    ['a file that is missing', ['nothing', 'photos:'], 3, /there is no file nothing/],
    ['two local paths', ['trip2/a', 'b'], 2, /one side must be in a bucket/],
    ['a URL', ['s3://a/b', '.'], 2, /is a URL: write BUCKET:KEY/],
    ['no destination', ['trip2/a'], 2, /name a source and a destination/],
    ['standard input without a key', ['-', 'photos:'], 2, /standard input needs a key/],
    ['a bucket that is missing', ['trip2/a', 'no-such-bucket:'], 3, /no bucket/],
  ])('cp refuses %s', async (_what, args, status, text) => {
    world.write('trip2/a');
    const ended = await world.stowage.run(['cp', ...args]);
    expect([ended.stderr, ended.status]).toEqual([expect.stringMatching(text), status]);
  });
});
