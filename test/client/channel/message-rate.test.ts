/** When the next message may be sent. */
import { MessageRate } from '../../../client/channel/message-rate';

test('a message rate permits a burst, and then so many per second', () => {
  const rate = new MessageRate(2, 4);
  expect(rate.readyAt(1_000)).toBe(1_000);
  expect([rate.take(1_000), rate.take(1_000), rate.take(1_000)]).toEqual([true, true, false]);
  expect(rate.readyAt(1_000)).toBe(1_250);
  expect(rate.readyAt(1_100)).toBe(1_250);
  expect(rate.take(1_249)).toBe(false);
  expect(rate.readyAt(1_250)).toBe(1_250);
  expect(rate.take(1_250)).toBe(true);
  expect(rate.take(1_250)).toBe(false);
});

test('a message rate saves no more than a burst', () => {
  const rate = new MessageRate(2, 4);
  for (const _ of [1, 2]) rate.take(0);
  expect([rate.take(60_000), rate.take(60_000), rate.take(60_000)]).toEqual([true, true, false]);
});

test('a message rate rounds the time of the next message up to a millisecond', () => {
  const rate = new MessageRate(1, 15);
  rate.take(0);
  expect(rate.readyAt(0)).toBe(67);
});

test('a message rate takes nothing back when the clock stands still or goes back', () => {
  const rate = new MessageRate(3, 1);
  for (const _ of [1, 2]) rate.take(10_000);
  expect(rate.readyAt(8_000)).toBe(8_000);
  expect(rate.take(8_000)).toBe(true);
  expect(rate.take(8_000)).toBe(false);
});
