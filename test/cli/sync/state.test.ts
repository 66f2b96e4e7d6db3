import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SyncState } from '../../../cli/sync/state';
import type { ObjectDescriptor } from '../../../client';
import { useTemporaryFolder } from '../../support/temporary-folder';

const folder = useTemporaryFolder('sync-state');
let count = 0;
const newFile = () => path.join(folder, `state-${count++}`);
const object = (key: string) => ({ key, size: 1, etag: key }) as ObjectDescriptor;
const known = { sign: 's', content: 'c', at: 5 };

test('a state that was closed can be opened again', async () => {
  const file = newFile();
  const state = await SyncState.open(file, 'a');
  state.remember('x', known);
  state.remember('y', known);
  state.forget('y');
  state.saveList({ bucketId: 'b', cursor: 3 }, [{ key: 'k', object: object('k') }], true);
  state.saveList({ bucketId: 'b', cursor: 4 }, [{ key: 'l', object: object('l') }], false);
  state.saveList({ bucketId: 'b', cursor: 6 }, [{ key: 'k' }], false);
  await state.close();
  const again = await SyncState.open(file, 'a');
  expect([...again.known]).toEqual([['x', known]]);
  expect(again.list).toEqual({ bucketId: 'b', cursor: 6, objects: new Map([['l', object('l')]]) });
  await again.close();
});

test('changes whose cursor line was lost in a crash do not count', async () => {
  const file = newFile();
  const state = await SyncState.open(file, 'a');
  state.saveList({ bucketId: 'b', cursor: 3 }, [{ key: 'k', object: object('k') }], true);
  await state.close();
  const whole = readFileSync(file, 'utf8');
  const added = `${JSON.stringify(['deleted', 'k'])}\n${JSON.stringify(['cursor', 'b', 4])}`;
  for (let length = 0; length < added.length; length++) {
    writeFileSync(file, whole + added.slice(0, length));
    const again = await SyncState.open(file, 'a');
    expect([again.list?.cursor, [...(again.list?.objects.keys() ?? [])]]).toEqual([3, ['k']]);
    await again.close();
  }
  appendFileSync(file, `${added}\n`);
  const complete = await SyncState.open(file, 'a');
  expect([complete.list?.cursor, complete.list?.objects.size]).toEqual([4, 0]);
  await complete.close();
});

test('a new list replaces the objects of the previous list', async () => {
  const file = newFile();
  const state = await SyncState.open(file, 'a');
  state.saveList({ bucketId: 'b', cursor: 9 }, [{ key: 'k', object: object('k') }], true);
  state.saveList({ bucketId: 'c', cursor: 1 }, [{ key: 'n', object: object('n') }], true);
  await state.close();
  const again = await SyncState.open(file, 'a');
  expect(again.list).toEqual({ bucketId: 'c', cursor: 1, objects: new Map([['n', object('n')]]) });
  await again.close();
});

test('the state of another sync is not used', async () => {
  const file = newFile();
  const state = await SyncState.open(file, 'a');
  state.remember('x', known);
  await state.close();
  const other = await SyncState.open(file, 'b');
  expect(other.known.size).toBe(0);
  await other.close();
});

test.each(['', '.new'])('a file of something else stays as it is: %j', async (end) => {
  const file = newFile();
  writeFileSync(`${file}${end}`, 'my notes');
  await expect(SyncState.open(file, 'a')).rejects.toThrow(`${file}${end} is not the state`);
  expect([readFileSync(`${file}${end}`, 'utf8'), existsSync(`${file}.lock`)]).toEqual([
    'my notes',
    false,
  ]);
  writeFileSync(`${file}${end}`, '["sync",1,"a"]\n["file","x');
  await (await SyncState.open(file, 'a')).close();
});

test('a state is refused to a second process until the first has ended', async () => {
  const file = newFile();
  writeFileSync(`${file}.lock`, `stowage ${process.ppid}`);
  await expect(SyncState.open(file, 'a')).rejects.toThrow("another 'stowage sync'");
  writeFileSync(`${file}.lock`, 'stowage 999999999');
  const state = await SyncState.open(file, 'a');
  await state.close();
});

test('the file does not grow with every change', async () => {
  const file = newFile();
  const state = await SyncState.open(file, 'a');
  for (let n = 0; n < 100; n++) {
    for (let m = 0; m < 500; m++) state.remember(`name ${m}`, { ...known, at: n });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await state.close();
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(30_000);
  const again = await SyncState.open(file, 'a');
  expect([again.known.size, again.known.get('name 7')?.at]).toEqual([500, 99]);
  await again.close();
});
