import timers from 'node:timers/promises';
import { jitteredBackoff, systemClock, systemIds } from '../../../lambdas/runtime/system';

afterEach(() => {
  jest.restoreAllMocks();
});

/** The waits that the system was asked for, which take no time. */
function recordWaits() {
  const wait = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  return () => wait.mock.calls.map(([milliseconds]) => milliseconds);
}

test('the clock of the system tells the time, and waits', async () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
  const waits = recordWaits();
  await systemClock.sleep(1_234);
  expect(waits()).toEqual([1_234]);
});

/** https://github.com/ulid/spec: its example is of this time. */
test('a ULID begins with its time, and ends at random', () => {
  jest.spyOn(Date, 'now').mockReturnValue(1_469_922_850_259);
  const ids = Array.from({ length: 2_000 }, () => systemIds.ulid());
  for (const id of ids) expect(id).toMatch(/^01ARZ3NDEK[0-9A-HJKMNP-TV-Z]{16}$/);
  expect(new Set(ids).size).toBe(ids.length);
  const letters = ids.flatMap((id) => id.slice(10).split(''));
  expect(new Set(letters).size).toBe(32);
});

test('ULIDs sort by time', () => {
  const at = (time: number) => {
    jest.spyOn(Date, 'now').mockReturnValue(time);
    return systemIds.ulid();
  };
  const times = [0, 1, 31, 32, 1_023, 1_024, 2 ** 31, 1_764_000_000_000, 2 ** 48 - 1];
  const ids = times.map(at);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.map((id) => id.slice(0, 10))).toEqual([
    ...['0000000000', '0000000001', '000000000Z', '0000000010', '00000000ZZ', '0000000100'],
    ...['0002000000', at(1_764_000_000_000).slice(0, 10), '7ZZZZZZZZZ'],
  ]);
});

test('the id of a bucket is of 12 letters and digits', () => {
  const ids = Array.from({ length: 100 }, () => systemIds.bucketId());
  for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{12}$/);
  expect(new Set(ids).size).toBe(100);
});

test('jitteredBackoff waits at random, up to 20, 40, … 400 ms', async () => {
  const waits = recordWaits();
  for (const share of [1, 0.5, 0]) {
    jest.spyOn(Math, 'random').mockReturnValue(share);
    for (const attempt of [0, 1, 2, 4, 5, 20]) await jitteredBackoff(attempt);
  }
  const most = [20, 40, 80, 320, 400, 400];
  expect(waits()).toEqual([...most, ...most.map((wait) => wait / 2), ...most.map(() => 0)]);
});
