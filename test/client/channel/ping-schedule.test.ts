/** When a channel pings, and when a ping without a pong ends its connection. */
import { PingSchedule } from '../../../client/channel/ping-schedule';

const SILENT = { oldest: 0, newest: 0 };
const heard = (at: number) => ({ oldest: at, newest: at });

const times = ({ pingAt, deadAt }: PingSchedule) => [pingAt, deadAt];

/** A schedule of a connection whose first ping was sent and answered. */
function answered(sentAt = 31_000, pongAt = 31_100) {
  const pings = new PingSchedule(1_000);
  pings.sent(sentAt);
  pings.received(pongAt, SILENT);
  return pings;
}

test('a ping without a pong is sent again after 5 s, and is dead 10 s after the first', () => {
  const pings = new PingSchedule(1_000);
  expect(times(pings)).toEqual([31_000, Number.POSITIVE_INFINITY]);
  pings.sent(31_000);
  expect(times(pings)).toEqual([36_000, 41_000]);
  pings.sent(36_000);
  expect(times(pings)).toEqual([41_000, 41_000]);
  expect([pings.isDead(40_999), pings.isDead(41_000)]).toEqual([false, true]);
});

test('an answered ping is followed by the next after 240 s', () => {
  expect(times(answered())).toEqual([271_100, Number.POSITIVE_INFINITY]);
});

test('a ping that was sent before its time leaves the silence at 30 s', () => {
  expect(times(answered(20_000, 20_100))).toEqual([50_100, Number.POSITIVE_INFINITY]);
});

test('a repeated ping does not lengthen the silence', () => {
  const pings = new PingSchedule(0);
  pings.sent(20_000);
  pings.sent(25_000);
  pings.received(25_100, SILENT);
  expect(pings.pingAt).toBe(55_100);
});

test('a message without changes, which answers no ping, moves nothing', () => {
  const pings = answered();
  pings.received(50_000, SILENT);
  expect(times(pings)).toEqual([271_100, Number.POSITIVE_INFINITY]);
});

test('changes bring the next ping to 30 s after them, and that silence back', () => {
  const pings = answered();
  pings.received(100_000, heard(100_000));
  expect(pings.pingAt).toBe(130_000);
  pings.sent(120_000);
  pings.received(120_500, heard(100_000));
  expect(pings.pingAt).toBe(150_500);
});

test('changes of all buckets put the ping off, at most until 300 s after the last one', () => {
  const pings = new PingSchedule(0);
  pings.received(25_000, heard(25_000));
  expect(pings.pingAt).toBe(55_000);
  for (let at = 50_000; at <= 295_000; at += 5_000) pings.received(at, heard(at));
  expect(pings.pingAt).toBe(300_000);
  pings.sent(300_000);
  for (let at = 300_000; at <= 590_000; at += 5_000) pings.received(at, heard(at));
  expect(pings.pingAt).toBe(600_000);
});

test('changes of a busy bucket bring the ping to 30 s after them, not to the quiet one', () => {
  const pings = answered();
  pings.received(100_000, { oldest: 2_000, newest: 100_000 });
  expect(pings.pingAt).toBe(130_000);
});

test('a quiet bucket beside a busy one keeps the ping', () => {
  const pings = new PingSchedule(0);
  pings.received(25_000, { oldest: 2_000, newest: 25_000 });
  expect(pings.pingAt).toBe(32_000);
});

test.each([
  [2_000, true],
  [2_001, false],
])('a timer that is %i ms late says that the connection is dead: %s', (late, isDead) => {
  const pings = new PingSchedule(1_000);
  pings.sent(31_000);
  expect(pings.isDead(41_000 + late)).toBe(isDead);
  expect(pings.deadAt).toBe(isDead ? 41_000 : 51_000 + late);
});
