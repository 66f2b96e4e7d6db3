import { DueList } from '../../src/services/sqs/due-list';
import { randomNumbers } from '../../src/values/random-numbers';

test.each([1, 2, 3])(
  'returns the earliest value, of equal times the one added first (seed %d)',
  (seed) => {
    const random = randomNumbers(seed);
    const list = new DueList<number>();
    const model: { time: number; value: number }[] = [];
    for (let value = 0; value < 3000; value++) {
      if (random() < 0.6) {
        const time = Math.floor(random() * 50);
        list.add(time, value);
        model.push({ time, value });
      } else {
        const first = model.reduce<(typeof model)[0] | undefined>(
          (best, entry) => (best === undefined || entry.time < best.time ? entry : best),
          undefined,
        );
        expect(list.first()?.time).toBe(first?.time);
        expect(list.takeFirst()).toBe(first?.value);
        if (first) model.splice(model.indexOf(first), 1);
      }
    }
  },
);

test('returns undefined for an empty list', () => {
  const list = new DueList<string>();
  expect(list.first()).toBeUndefined();
  expect(list.takeFirst()).toBeUndefined();
  list.add(1, 'a');
  expect(list.takeFirst()).toBe('a');
  expect(list.takeFirst()).toBeUndefined();
});
