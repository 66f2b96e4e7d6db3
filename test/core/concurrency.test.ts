import { allEnded, forEachConcurrently } from '../../core/concurrency';

describe('forEachConcurrently', () => {
  test('runs at most `limit` calls at once, and each item once and in order', async () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await forEachConcurrently(items, 3, async (item) => {
      begun.push(item);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
    });
    expect(begun).toEqual(items);
    expect(most).toBe(3);
  });

  test('rejects with the error of the work', async () => {
    const work = () => Promise.reject(new Error('no'));
    await expect(forEachConcurrently([1], 8, work)).rejects.toThrow('no');
  });

  test('does nothing without items', async () => {
    await expect(
      forEachConcurrently([], 8, () => Promise.reject(new Error('called'))),
    ).resolves.toBeUndefined();
  });
});

describe('allEnded', () => {
  const later = async <T>(turns: number, end: () => T): Promise<T> => {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    return end();
  };
  const refuse = (message: string) => (): never => {
    throw new Error(message);
  };

  test('returns the values in the order of the calls', async () => {
    expect(await allEnded([later(2, () => 'a'), later(1, () => 'b')])).toEqual(['a', 'b']);
  });

  test('rejects only when the other calls have ended, with the first error in their order', async () => {
    let hasEnded = false;
    const slow = later(5, () => {
      hasEnded = true;
    });
    const calls = [slow, later(3, refuse('first')), later(1, refuse('second'))];
    await expect(allEnded<unknown>(calls)).rejects.toThrow('first');
    expect(hasEnded).toBe(true);
  });
});
