/** Which failures are repeated, how often, and after which waits. */
import { StowageError } from '../../../client';
import { type RetryOptions, retry } from '../../../client/retry';

const BUSY = new StowageError('unavailable', 'busy');

/** Fails with each of the errors, then succeeds. Returns the outcome and the waits. */
async function run(errors: readonly Error[], options: Partial<RetryOptions> = {}) {
  const left = [...errors];
  const waits: number[] = [];
  const work = async () => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  const { signal } = new AbortController();
  const outcome = await retry(work, { signal, random: () => 1, sleep, ...options }).catch(
    (error: unknown) => error,
  );
  return { outcome, waits };
}

test('a temporary failure is repeated until it passes, after longer and longer waits', async () => {
  const { outcome, waits } = await run(Array(12).fill(BUSY));
  expect(outcome).toBe('done');
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(waits[index - 1] ?? 100);
    expect(wait).toBeLessThanOrEqual(30_000);
  }
  expect(waits.at(-1)).toBeGreaterThan(10_000);
});

test('a wait is random below its bound, and as long as the service asks for', async () => {
  const [shorter = 0] = (await run([BUSY], { random: () => 0.1 })).waits;
  const [longer = 0] = (await run([BUSY])).waits;
  expect(shorter).toBeLessThan(longer);
  const asked = new StowageError('rate_limited', 'slow', { retryAfter: 90 });
  const { waits } = await run([asked], { random: () => 0 });
  expect(waits[0]).toBeGreaterThanOrEqual(90_000);
});

test.each([new StowageError('forbidden', 'no'), new TypeError('a fault of the program')])(
  'a permanent failure is thrown at once: %s',
  async (error) => {
    expect(await run([error])).toEqual({ outcome: error, waits: [] });
  },
);

test('the last attempt throws its failure, without a wait after it', async () => {
  const { outcome, waits } = await run([BUSY, BUSY, BUSY], { maxAttempts: 3 });
  expect([outcome, waits.length]).toEqual([BUSY, 2]);
});

test('nothing is repeated after an abort', async () => {
  const controller = new AbortController();
  const sleep = async () => controller.abort(new Error('enough'));
  const { outcome } = await run([BUSY, BUSY], { signal: controller.signal, sleep });
  expect(outcome).toMatchObject({ message: 'enough' });
});
