/** Work on several items at once, until one fails. */
import { concurrently } from '../../../client/transfer/concurrently';

const { signal } = new AbortController();

test('as many items are worked on at once as is permitted, each once', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const working = concurrently([1, 2, 3], { concurrency: 2, signal }, (item) => {
    begun.push(item);
    return new Promise<void>((end) => void ends.push(end));
  });
  await new Promise(setImmediate);
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(begun).toEqual([1, 2, 3]);
  for (const end of ends) end();
  await working;
});

test('the first failure aborts the others, which have ended before it is thrown', async () => {
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

test('the signal ends the work, and begins nothing more', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const working = concurrently([1, 2], { concurrency: 1, signal: stop.signal }, async (item) => {
    begun.push(item);
    stop.abort(new Error('enough'));
  });
  await expect(working).rejects.toThrow('enough');
  expect(begun).toEqual([1]);
});

test('nothing listens to the signal when the work has ended', async () => {
  const add = jest.spyOn(signal, 'addEventListener');
  const remove = jest.spyOn(signal, 'removeEventListener');
  await concurrently([1], { concurrency: 1, signal }, async () => undefined);
  expect(add).toHaveBeenCalledTimes(1);
  expect(remove.mock.calls[0]?.[1]).toBe(add.mock.calls[0]?.[1]);
  jest.restoreAllMocks();
});
