/** What lies in the places that `stowage sync` and its state write to, and is not a file of it. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();

/** The name under which `sync` receives the object `name` in its work folder. */
const workName = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32);

const makeFifo = (file: string) => execFileSync('mkfifo', [file]);

test('a FIFO in the destination is skipped, with and without --delete', async () => {
  const { client, there, bucket, run } = bound();
  await client.put(bucket, 'pipe', 'content');
  mkdirSync(there);
  makeFifo(path.join(there, 'pipe'));
  for (const more of [[], ['--delete']]) {
    expect((await run(`${bucket}:`, there, ...more)).did).toEqual({ pipe: 'skipped' });
    expect(lstatSync(path.join(there, 'pipe')).isFIFO()).toBe(true);
  }
});

test.each<[string, (place: string, precious: string) => void]>([
  ['a symbolic link', (place, precious) => symlinkSync(precious, place)],
  ['a hard link', (place, precious) => linkSync(precious, place)],
  ['a FIFO', (place) => makeFifo(place)],
])('%s in the work folder is removed, and its target stays', async (_what, plant) => {
  const { client, there, bucket, run, folder } = bound();
  await client.put(bucket, 'a', 'content');
  const precious = folder('precious');
  writeFileSync(precious, 'precious');
  mkdirSync(path.join(there, '.stowage-sync'), { recursive: true });
  plant(path.join(there, '.stowage-sync', workName('a')), precious);
  expect((await run(`${bucket}:`, there)).did).toEqual({ a: 'downloaded' });
  expect(readFileSync(precious, 'utf8')).toBe('precious');
  expect(lstatSync(path.join(there, 'a')).isFile()).toBe(true);
  expect(readFileSync(path.join(there, 'a'), 'utf8')).toBe('content');
});

test('a work folder that is a link to another one is refused', async () => {
  const { client, there, bucket, run, folder } = bound();
  await client.put(bucket, 'a', 'content');
  mkdirSync(there);
  mkdirSync(folder('else'));
  symlinkSync(folder('else'), path.join(there, '.stowage-sync'));
  const { status, stderr } = await run(`${bucket}:`, there);
  expect([status, stderr]).toEqual([1, expect.stringContaining('is no folder')]);
  expect(readdirSync(folder('else'))).toEqual([]);
});

test.each(['', '.lock'])('a FIFO in place of the state%s is refused and stays', async (end) => {
  const { here, bucket, run, folder } = bound();
  writeFileSync(path.join(here, 'a'), 'content');
  const state = folder('state-of-test');
  makeFifo(state + end);
  const { status, stderr } = await run(here, `${bucket}:`, '--state', state);
  expect([status === 0, stderr.length > 0]).toEqual([false, true]);
  expect(lstatSync(state + end).isFIFO()).toBe(true);
});

/** The world of the test, with its methods bound. */
function bound() {
  const w = world();
  const { client, there, here, bucket } = w;
  return { client, there, here, bucket, run: w.run.bind(w), folder: w.folder.bind(w) };
}
