/** Which failures are repeated, how often, and after which waits. */
import { StowageError } from '../../../client';
import { type RetryOptions, retry } from '../../../client/retry';

const BUSY = new StowageError('unavailable', 'busy');

/** Fails with each of the errors, then succeeds. */
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

test('a temporary failure is repeated, after waits that double', async () => {
  const { outcome, waits } = await run([BUSY, BUSY, BUSY]);
  expect(outcome).toBe('done');
  expect(waits).toEqual([500, 1000, 2000]);
});

test('a wait is at most half a minute, and at least as long as the service asks for', async () => {
  const asked = new StowageError('rate_limited', 'slow', { retryAfter: 90 });
  const { waits } = await run([...Array.from({ length: 9 }, () => BUSY), asked]);
  expect(waits.at(-2)).toBe(30_000);
  expect(waits.at(-1)).toBe(90_000);
});

test.each([new StowageError('forbidden', 'no'), new TypeError('a fault of the program')])(
  'a failure that repeating cannot change is thrown at once: %s',
  async (error) => {
    expect(await run([error])).toEqual({ outcome: error, waits: [] });
  },
);

test('the last attempt throws its failure, without a wait after it', async () => {
  const { outcome, waits } = await run([BUSY, BUSY, BUSY], { maxAttempts: 3 });
  expect(outcome).toBe(BUSY);
  expect(waits).toHaveLength(2);
});

test('nothing is repeated after an abort', async () => {
  const controller = new AbortController();
  const sleep = async () => controller.abort(new Error('enough'));
  const { outcome } = await run([BUSY, BUSY], { signal: controller.signal, sleep });
  expect(outcome).toMatchObject({ message: 'enough' });
});
