/** What the notes of a download claim, while the disk is slow or fails. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FileHandle, localFiles } from '../../../client/transfer/local-files';
import { ReceivedBlocks, savedBlocks } from '../../../client/transfer/received-blocks';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const folder = useTemporaryFolder('blocks');
let count = 0;

/** Notes about a file whose flushes the test ends, one after the other. */
async function opened(concurrency = 1) {
  const flushes: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const datasync = () =>
    new Promise<void>((end, fail) => {
      flushes.push({ end, fail });
    });
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  const handle = { datasync } as unknown as FileHandle;
  const about = { files, handle, path: notes, version: 'v', concurrency };
  const flush = (n: number) => until(`flush ${n}`, () => flushes[n]);
  return {
    blocks: new ReceivedBlocks([], about),
    flush,
    flushes,
    saved: () => savedBlocks(files, notes, 'v'),
    text: () => readFileSync(notes, 'utf8'),
  };
}

test('notes claim a block only when a flush that began after its write has ended', async () => {
  const { blocks, flush, saved } = await opened();
  await blocks.add(0);
  const first = await flush(0);
  await blocks.add(1);
  expect(await saved()).toEqual([]);
  first.end();
  const second = await flush(1);
  expect(await saved()).toEqual([0]);
  second.end();
  await blocks.settled();
  expect(await saved()).toEqual([0, 1]);
});

test('a download waits while more blocks than two a range are not on the disk', async () => {
  const { blocks, flush, flushes } = await opened();
  await blocks.add(0);
  await blocks.add(1);
  let isAdded = false;
  const third = blocks.add(2).then(() => {
    isAdded = true;
  });
  (await flush(0)).end();
  const second = await flush(1);
  await third;
  expect([isAdded, flushes.length]).toEqual([true, 2]);
  let isFull = true;
  const more = blocks.add(3).then(() => {
    isFull = false;
  });
  await new Promise(setImmediate);
  expect(isFull).toBe(true);
  second.end();
  await more;
  (await flush(2)).end();
  await blocks.settled();
});

test('a disk that fails ends the download, and the notes claim nothing more', async () => {
  const { blocks, flush, saved } = await opened();
  await blocks.add(7);
  (await flush(0)).fail(new Error('the disk is full'));
  await expect(blocks.settled()).rejects.toThrow('the disk is full');
  await expect(blocks.add(8)).rejects.toThrow('the disk is full');
  expect(await saved()).toEqual([]);
});

test('notes of another version, or of blocks of another size, are not used', async () => {
  const { blocks, flush, saved, text } = await opened();
  await blocks.add(0);
  (await flush(0)).end();
  await blocks.settled();
  const files = await localFiles();
  const other = path.join(folder, 'other.json');
  expect(await saved()).toEqual([0]);
  await files.writeFile(other, text().replace('4194304', '16777216'));
  expect(await savedBlocks(files, other, 'v')).toEqual([]);
  await files.writeFile(other, text());
  expect(await savedBlocks(files, other, 'w')).toEqual([]);
});

test.each([
  ['others that are no numbers', { others: ['x', 7, 0.5, null] }, [0, 1, 7]],
  ['no others', { others: undefined }, []],
  ['a beginning that is no number', { first: '2' }, []],
  ['no version', { version: undefined }, []],
])('notes with %s are read as far as they are notes', async (_, fields, blocks) => {
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  const saved = { version: 'v', blockBytes: 4 * 1024 ** 2, first: 2, others: [] };
  await files.writeFile(notes, JSON.stringify({ ...saved, ...fields }));
  expect(await savedBlocks(files, notes, 'v')).toEqual(blocks);
});

test.each(['', 'null', '[]', '{"version":'])('%j are no notes', async (text) => {
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  await files.writeFile(notes, text);
  expect(await savedBlocks(files, notes, 'v')).toEqual([]);
});

test('blocks that are added later, and not in their order, are saved as well', async () => {
  const { blocks, flush, saved, text } = await opened();
  await blocks.add(0);
  (await flush(0)).end();
  await blocks.settled();
  await blocks.add(2);
  (await flush(1)).end();
  await blocks.settled();
  expect([await saved(), blocks.has(1), blocks.has(2)]).toEqual([[0, 2], false, true]);
  expect(JSON.parse(text())).toMatchObject({ first: 1, others: [2] });
});

test('four blocks may wait for the disk while two ranges are received', async () => {
  const { blocks, flush } = await opened(2);
  for (const block of [0, 1, 2, 3]) await blocks.add(block);
  let isFull = true;
  const fifth = blocks.add(4).then(() => {
    isFull = false;
  });
  await new Promise(setImmediate);
  expect(isFull).toBe(true);
  (await flush(0)).end();
  await fifth;
  (await flush(1)).end();
  await blocks.settled();
});
