/** Messages in requests, of which each may fail in part, as a whole, or come too late. */
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { sendInBatches } from '../../../lambdas/targets/send-in-batches';

const KIB = 1024;

/** Sends the messages; `accepts` says how many of a batch are accepted. */
async function sendAll(
  messages: readonly string[],
  accepts: (batch: readonly string[], sent: number) => number = ({ length }) => length,
  stopAfter = Number.POSITIVE_INFINITY,
) {
  const batches: { readonly size: number; readonly sent: number }[] = [];
  const signal = stopWhen(() => batches.length >= stopAfter);
  const sent = await sendInBatches(messages, signal, async (batch, before) => {
    batches.push({ size: batch.length, sent: before });
    return accepts(batch, before);
  });
  return { sent, batches: batches.map(({ size }) => size), before: batches.map((one) => one.sent) };
}

const messages = (count: number, length = 1) => Array(count).fill('x'.repeat(length));

test.each([
  ['no message', [], []],
  ['ten messages', messages(10), [10]],
  ['eleven messages', messages(11), [10, 1]],
  ['240 KiB', messages(2, 120 * KIB), [2]],
  ['one byte more', [...messages(2, 120 * KIB), 'x'], [2, 1]],
  ['one message above the limit', messages(1, 241 * KIB), [1]],
  ['messages above the limit', messages(2, 241 * KIB), [1, 1]],
  [
    'messages of several bytes a character',
    messages(2, 120 * KIB).fill('é'.repeat(90 * KIB)),
    [1, 1],
  ],
  ['a batch after a full one', [...messages(2, 120 * KIB), ...messages(2, 120 * KIB)], [2, 2]],
])('%s go in requests of %#', async (_name, given, sizes) => {
  const { sent, batches } = await sendAll(given);
  expect(batches).toEqual(sizes);
  expect(sent).toBe(given.length);
});

test('nothing is sent after a request that was accepted in part', async () => {
  const { sent, batches } = await sendAll(messages(25), (_batch, before) => (before ? 9 : 10));
  expect({ sent, batches }).toEqual({ sent: 19, batches: [10, 10] });
});

test('a first request that fails is thrown, a later one ends the sending', async () => {
  const failing = (at: number) => (_batch: readonly string[], before: number) => {
    if (before === at) throw new Error('refused');
    return 10;
  };
  await expect(sendAll(messages(25), failing(0))).rejects.toThrow('refused');
  expect(await sendAll(messages(25), failing(10))).toMatchObject({ sent: 10, batches: [10, 10] });
  const never = sendInBatches(messages(1), NEVER_STOP, () => Promise.reject(new Error('down')));
  await expect(never).rejects.toThrow('down');
});
