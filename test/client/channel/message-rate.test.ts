import fc from 'fast-check';
import { MessageRate } from '../../../client/channel/message-rate';

test('a rate permits a burst, and in the long run no more than its number per second', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 5 }), (all, burst) => {
      const rate = new MessageRate(burst, 4);
      const taken: number[] = [];
      let now = 10_000;
      for (const wait of all) {
        now += wait;
        const isReady = rate.readyAt(now) === now;
        expect(rate.take(now)).toBe(isReady);
        if (isReady) taken.push(now);
      }
      for (const [index, from] of taken.entries()) {
        for (const [more, to] of taken.slice(index).entries()) {
          expect(more + 1).toBeLessThanOrEqual(burst + ((to - from) * 4) / 1000 + 0.001);
        }
      }
    }),
  );
});

test('a rate is ready at the time that it names, and not earlier', () => {
  const rate = new MessageRate(1, 15);
  for (let now = 0, count = 0; count < 30; count++) {
    expect(rate.take(now)).toBe(true);
    const readyAt = rate.readyAt(now);
    expect(readyAt).toBeGreaterThan(now);
    expect(rate.take(readyAt - 1)).toBe(false);
    now = readyAt;
  }
});

test('a clock that goes back gives a rate no further tokens', () => {
  const rate = new MessageRate(2, 1);
  expect([rate.take(10_000), rate.take(8_000), rate.take(8_000)]).toEqual([true, true, false]);
});
