/** One sync within the process, of a folder with a bucket on the fakes. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { SyncOptions } from '../../../cli/sync/options';
import { sync } from '../../../cli/sync/sync';
import { clientOfFakes, type FakesOptions } from '../../client/client-of-fakes';
import { temporaryFolder } from '../../support/temporary-folder';
import { placesOf, syncOptions, TestReport } from '../../system/support/sync-engine';

const BUCKET = 'photos';
const temporary = temporaryFolder('one-sync');
afterAll(() => temporary.remove());
let count = 0;

/** A folder of its own, and a bucket with these objects. */
async function open(objects: readonly string[], fakesOptions: FakesOptions = {}) {
  count += 1;
  const at = path.join(temporary.folder, String(count));
  const here = path.join(at, 'here');
  mkdirSync(here, { recursive: true });
  const { client } = clientOfFakes(fakesOptions);
  await client.buckets.create(BUCKET);
  for (const key of objects) await client.put(BUCKET, key, 'stored');
  const run = async (places: readonly [string, string], options: Partial<SyncOptions> = {}) => {
    const report = new TestReport();
    const all = { ...syncOptions(path.join(at, 'state')), parallel: 1, ...options };
    await sync(client, placesOf(...places), { options: all, report });
    return report;
  };
  const keys = async () => (await client.list(BUCKET)).objects.map(({ key }) => key);
  return { at, here, client, run, keys };
}

test('a sync deletes objects that the folder lacks only with --delete', async () => {
  const { here, run, keys } = await open(['gone', 'kept']);
  writeFileSync(path.join(here, 'kept'), 'stored');
  await run([here, `${BUCKET}:`]);
  expect(await keys()).toEqual(['gone', 'kept']);
  const { did } = await run([here, `${BUCKET}:`], { delete: true });
  expect(did).toMatchObject({ gone: 'deleted' });
  expect(await keys()).toEqual(['kept']);
});

test('a sync stops deleting when the folder disappears', async () => {
  let folder = '';
  const { here, run, keys } = await open(['a', 'b', 'c'], {
    after: async ({ method }) => {
      if (method === 'DELETE') rmSync(folder, { recursive: true });
    },
  });
  folder = here;
  const { failures } = await run([here, `${BUCKET}:`], { delete: true });
  expect(Object.keys(failures)).toHaveLength(2);
  expect(await keys()).toHaveLength(2);
});

test('a sync keeps an object that somebody else changes during the sync', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const { here, client, run } = await open(['a'], {
    after: async ({ method }) => {
      // After the list.
      if (method !== 'GET' || !meanwhile) return;
      const change = meanwhile;
      meanwhile = undefined;
      await change();
    },
  });
  writeFileSync(path.join(here, 'a'), 'mine, and longer');
  meanwhile = () => client.put(BUCKET, 'a', 'theirs');
  const { did } = await run([here, `${BUCKET}:`]);
  expect(did.a).not.toBe('uploaded');
  expect(await (await client.get(BUCKET, 'a')).text()).toBe('theirs');
});

test('a sync writes nothing through a symbolic link', async () => {
  const { at, here, run } = await open(['d/a']);
  const outside = path.join(at, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, path.join(here, 'd'));
  await run([`${BUCKET}:`, here], { delete: true });
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(path.join(here, 'd'))).toBe(true);
});

/** A file or folder below a folder, whose name is in Latin-1. */
const latin1 = (folder: string, name: string) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);

describe('names that are not UTF-8', () => {
  test('files and folders are skipped, and what may be theirs is not deleted', async () => {
    const { here, run, keys } = await open(['bad\ufffd', 'dir\ufffd/i', 'gone\ufffd', 'gone']);
    writeFileSync(path.join(here, 'ok'), 'x');
    writeFileSync(latin1(here, 'bad\xff'), 'x');
    mkdirSync(latin1(here, 'dir\xff'));
    writeFileSync(latin1(here, 'dir\xff/i'), 'x');
    mkdirSync(path.join(here, 'sub'));
    writeFileSync(latin1(here, 'sub/\xe9t\xe9'), 'x');
    const { did, skips, failures } = await run([here, `${BUCKET}:`], { delete: true });
    expect(did).toEqual({ ok: 'uploaded', gone: 'deleted', 'gone\ufffd': 'deleted' });
    const renamed = expect.stringContaining('the name is not UTF-8');
    const kept = expect.stringContaining('kept');
    expect(skips).toEqual({
      ...{ 'bad\\xff': renamed, 'dir\\xff': renamed, 'sub/\\xe9t\\xe9': renamed },
      ...{ 'bad\ufffd': kept, 'dir\ufffd/i': kept },
    });
    expect(failures).toEqual({});
    expect(await keys()).toEqual(['bad\ufffd', 'dir\ufffd/i', 'ok']);
  });

  test('a file whose name has a real U+FFFD is sent, beside one whose bytes look so', async () => {
    const { here, client, run } = await open([]);
    writeFileSync(path.join(here, 'bad\ufffd'), 'real');
    writeFileSync(latin1(here, 'bad\xff'), 'other');
    const { did, skips } = await run([here, `${BUCKET}:`], { delete: true });
    expect(did).toEqual({ 'bad\ufffd': 'uploaded' });
    expect(Object.keys(skips)).toEqual(['bad\\xff']);
    expect(await (await client.get(BUCKET, 'bad\ufffd')).text()).toBe('real');
  });

  test('excluded ones are not reported', async () => {
    const { here, run } = await open([]);
    for (const name of ['bad\xff', 'ok']) writeFileSync(latin1(here, name), 'x');
    mkdirSync(latin1(here, 'dir\xff'));
    const isExcluded = (name: string) => name !== 'ok';
    const { did, skips } = await run([here, `${BUCKET}:`], { isExcluded });
    expect(did).toEqual({ ok: 'uploaded' });
    // Something in the folder might be included.
    expect(Object.keys(skips)).toEqual(['dir\\xff']);
  });

  test('a sync to a folder leaves them where they are, and receives objects beside them', async () => {
    const { here, run } = await open(['bad\ufffd', 'dir/x', 'a']);
    for (const name of ['bad\xff', 'gone']) writeFileSync(latin1(here, name), 'mine');
    for (const name of ['a', 'a/b\xff']) mkdirSync(latin1(here, name));
    const { did, skips, failures } = await run([`${BUCKET}:`, here], { delete: true });
    expect(did).toEqual({ 'bad\ufffd': 'downloaded', 'dir/x': 'downloaded', gone: 'deleted' });
    expect(Object.keys(skips).sort()).toEqual(['a/b\\xff', 'bad\\xff']);
    expect(failures).toEqual({ a: expect.stringContaining('a folder with files has this name') });
    expect(readFileSync(latin1(here, 'bad\xff'), 'utf8')).toBe('mine');
    expect(readFileSync(path.join(here, 'bad\ufffd'), 'utf8')).toBe('stored');
  });
});

test('the type is that of the extension, and the charset that of the content', async () => {
  const { here, client, run } = await open([]);
  const utf16 = Buffer.from('\ufeffab', 'utf16le');
  const files: readonly (readonly [string, Uint8Array | string, string])[] = [
    ['a.html', 'ü', 'text/html; charset=utf-8'],
    ['a.txt', utf16, 'text/plain; charset=utf-16le'],
    ['be.txt', Buffer.from(utf16).swap16(), 'text/plain; charset=utf-16be'],
    ['no-mark.txt', utf16.subarray(2), 'text/plain'],
    ['latin1.css', Buffer.from('ü', 'latin1'), 'text/css'],
    ['constructor', 'x', 'application/octet-stream'],
    ['x.__proto__', 'x', 'application/octet-stream'],
    ['x.toString', 'x', 'application/octet-stream'],
    ['js', 'x', 'application/octet-stream'],
  ];
  for (const [name, content] of files) writeFileSync(path.join(here, name), content);
  expect((await run([here, `${BUCKET}:`])).failures).toEqual({});
  for (const [name, , type] of files) {
    expect([name, (await client.describe(BUCKET, name)).content_type]).toEqual([name, type]);
  }
});

test.each([-86_400.5, -0.25, 0, 1_700_000_000.123])(
  'a file of the second %d since 1970 keeps its time on both ways',
  async (seconds) => {
    const { at, here, client, run } = await open([]);
    const file = path.join(here, 'old');
    writeFileSync(file, 'x');
    utimesSync(file, new Date(seconds * 1000), new Date(seconds * 1000));
    await run([here, `${BUCKET}:`]);
    const { metadata } = await client.describe(BUCKET, 'old');
    expect(metadata).toEqual({ mtime: seconds.toFixed(3) });
    const there = path.join(at, 'there');
    await run([`${BUCKET}:`, there]);
    expect(statSync(path.join(there, 'old')).mtimeMs).toBeCloseTo(seconds * 1000, 0);
    const places = [`${BUCKET}:`, there] as const;
    expect((await run(places, { stateFile: undefined })).did).toEqual({});
  },
);
