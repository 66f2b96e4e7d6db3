/** The notes of a download, while the disk is slow or fails. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FileHandle, localFiles } from '../../../client/transfer/local-files';
import { ReceivedBlocks, savedBlocks } from '../../../client/transfer/received-blocks';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const folder = useTemporaryFolder('blocks');
let count = 0;

/** Notes about a file whose flushes end when the test says so. */
async function opened(concurrency = 1) {
  const flushes: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const datasync = () =>
    new Promise<void>((end, fail) => {
      flushes.push({ end, fail });
    });
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  const handle = { datasync } as unknown as FileHandle;
  const about = { files, handle, path: notes, version: 'v', file: '1:2', concurrency };
  const flush = (n: number) => until(`flush ${n}`, () => flushes[n]);
  return {
    blocks: new ReceivedBlocks([], about),
    flush,
    flushes,
    saved: async () => (await savedBlocks(files, notes))?.blocks ?? [],
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

test('add and settled throw the failure of the disk, and the notes claim no further block', async () => {
  const { blocks, flush, saved } = await opened();
  await blocks.add(7);
  (await flush(0)).fail(new Error('the disk is full'));
  await expect(blocks.settled()).rejects.toThrow('the disk is full');
  await expect(blocks.add(8)).rejects.toThrow('the disk is full');
  expect(await saved()).toEqual([]);
});

test('notes with another block size claim no block', async () => {
  const { blocks, flush, saved, text } = await opened();
  await blocks.add(0);
  (await flush(0)).end();
  await blocks.settled();
  const files = await localFiles();
  const other = path.join(folder, 'other.json');
  expect(await saved()).toEqual([0]);
  await files.writeFile(other, text().replace('4194304', '16777216'));
  expect(await savedBlocks(files, other)).toEqual({ version: 'v', file: '1:2', blocks: [] });
});

test.each([
  ['others that are no numbers', { others: ['x', 7, 0.5, null] }, [0, 1, 7]],
  ['no others', { others: undefined }, undefined],
  ['a beginning that is no number', { first: '2' }, undefined],
  ['no version', { version: undefined }, undefined],
  ['no file', { file: undefined }, undefined],
])('notes with %s claim only valid blocks', async (_, fields, blocks) => {
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  const saved = { version: 'v', file: '1:2', blockBytes: 4 * 1024 ** 2, first: 2, others: [] };
  await files.writeFile(notes, JSON.stringify({ ...saved, ...fields }));
  expect((await savedBlocks(files, notes))?.blocks).toEqual(blocks);
});

test.each(['', 'null', '[]', '{"version":'])('%j is not taken for notes', async (text) => {
  const files = await localFiles();
  const notes = path.join(folder, `notes-${count++}.json`);
  await files.writeFile(notes, text);
  expect(await savedBlocks(files, notes)).toBeUndefined();
});

test('blocks that are added out of order are saved', async () => {
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

test.each([
  [1, 2],
  [2, 4],
])('add waits with %i ranges while more than %i blocks wait for the disk', async (ranges, most) => {
  const { blocks, flush } = await opened(ranges);
  for (let block = 0; block < most; block++) await blocks.add(block);
  let isFull = true;
  const next = blocks.add(most).then(() => {
    isFull = false;
  });
  await new Promise(setImmediate);
  expect(isFull).toBe(true);
  (await flush(0)).end();
  await next;
  (await flush(1)).end();
  await blocks.settled();
});
