import { systemIds } from '../../adapters/system';

afterEach(() => {
  jest.restoreAllMocks();
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
