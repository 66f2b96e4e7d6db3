/** `stowage sync --watch`. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '../../support/until';
import { contentsOf, useSyncWorlds } from '../support/sync-world';

jest.setTimeout(240_000);

const world = useSyncWorlds();

test('sync --watch to a folder continues from its cursor after SIGKILL', async () => {
  const w = world();
  const { client, there, bucket } = w;
  await client.put(bucket, 'a', '1');
  const first = w.watch(`${bucket}:`, there);
  await first.printed('in step at cursor 1');
  await client.put(bucket, 'b/c', '2');
  await until('b/c', () => contentsOf(there)['b/c'] === '2');
  await first.end('SIGKILL');
  await client.put(bucket, 'd', '3');
  await client.delete(bucket, 'a');
  writeFileSync(path.join(there, 'b/c'), 'edited');
  writeFileSync(path.join(there, 'foreign'), 'x');
  // The key cannot list: the changes since the cursor must suffice.
  const { token } = await client.temporaryKey([
    { buckets: [bucket], actions: ['sync', 'read', 'sign'] },
  ]);
  const second = w.watch('--key', token, `${bucket}:`, there);
  await until('the folder to be the bucket', () => {
    if (!second.isRunning) throw new Error(second.output);
    const wanted = JSON.stringify({ 'b/c': '2', d: '3' });
    return JSON.stringify(contentsOf(there)) === wanted;
  });
  expect(await second.end('SIGINT')).toBe(0);
});

test('sync --watch to a folder compares everything when the bucket was replaced', async () => {
  const w = world();
  const { client, there, bucket } = w;
  await client.put(bucket, 'a', '1');
  const command = w.watch(`${bucket}:`, there);
  await until('a', () => existsSync(path.join(there, 'a')));
  await command.end('SIGKILL');
  await client.delete(bucket, 'a');
  await client.buckets.delete(bucket);
  await client.buckets.create(bucket);
  await client.put(bucket, 'n', 'new');
  const again = w.watch(`${bucket}:`, there);
  await until('n', () => JSON.stringify(contentsOf(there)) === '{"n":"new"}');
  expect(await again.end('SIGINT')).toBe(0);
});

test('sync --watch to a bucket uploads new folders, deletes, and reverts changes of others', async () => {
  const w = world();
  const { client, here, bucket } = w;
  w.write('a', '1');
  const command = w.watch(here, `${bucket}:copy`, '--interval', '3600');
  await command.printed('in step');
  w.write('b/c/d', '2');
  await until('b/c/d', async () => (await w.keys()).includes('copy/b/c/d'));
  w.write('b/c/e', '3');
  await until('b/c/e', async () => (await w.keys()).includes('copy/b/c/e'));
  rmSync(path.join(here, 'b'), { recursive: true });
  await until('the deletion', async () => (await w.keys()).join() === 'copy/a');
  await client.put(bucket, 'copy/a', 'theirs');
  await client.put(bucket, 'copy/x', 'theirs');
  await until('the object of the file', async () => {
    return (await w.keys()).join() === 'copy/a' && (await w.text('copy/a')) === '1';
  });
  expect(await command.end('SIGINT')).toBe(0);
});

test('sync --watch to a bucket reports new names that are not UTF-8, and keeps their like', async () => {
  const w = world();
  const { client, here, bucket } = w;
  await client.put(bucket, 'new\ufffd', 'theirs');
  const bytes = (name: string) => Buffer.from(path.join(here, name), 'latin1');
  writeFileSync(bytes('new\xff'), '1');
  const command = w.watch(here, `${bucket}:`, '--interval', '3600');
  await command.printed('new\\xff: the name is not UTF-8');
  await command.printed('in step');
  writeFileSync(bytes('new\xff'), '2');
  mkdirSync(bytes('dir'));
  writeFileSync(bytes('dir/\xe9t\xe9'), '3');
  writeFileSync(bytes('dir/last'), '4');
  await command.printed('dir/\\xe9t\\xe9: the name is not UTF-8');
  await until('dir/last', async () => (await w.keys()).join() === 'dir/last,new\ufffd');
  expect(await command.end('SIGINT')).toBe(0);
  expect(await w.text('new\ufffd')).toBe('theirs');
});
