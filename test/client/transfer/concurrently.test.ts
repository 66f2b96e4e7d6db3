/** Work on several items at once, until one fails. */
import { concurrently } from '../../../client/transfer/concurrently';

const { signal } = new AbortController();

test('the first failure aborts the other items, and is thrown when they have ended', async () => {
  const ended: unknown[] = [];
  const failed = new Error('no');
  const working = concurrently([1, 2, 3], { concurrency: 2, signal }, async (item, stop) => {
    if (item === 1) throw failed;
    await new Promise((aborted) => stop.addEventListener('abort', aborted));
    await new Promise(setImmediate);
    ended.push([item, stop.reason]);
  });
  await expect(working).rejects.toBe(failed);
  expect(ended).toEqual([[2, failed]]);
});

test('no item begins after the signal is aborted', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const working = concurrently([1, 2], { concurrency: 1, signal: stop.signal }, async (item) => {
    begun.push(item);
    stop.abort(new Error('enough'));
  });
  await expect(working).rejects.toThrow('enough');
  expect(begun).toEqual([1]);
});
