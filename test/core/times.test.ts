import { earlier, later, parseTime, requireFuture, timeIn } from '../../core/times';
import { BAD_TIMES } from '../support/bad-times';

const NOON = '2027-01-31T12:00:00.000Z';

test.each([
  ['2027-01-31T12:00:00Z', NOON],
  ['2027-01-31T12:00Z', NOON],
  ['2027-01-31T13:30:00.0001+01:30', NOON],
  ['2026-12-20T10:59:59.9Z', '2026-12-20T10:59:59.900Z'],
  ['2026-02-28T01:02:03.123456789+00:00', '2026-02-28T01:02:03.123Z'],
  ['2028-02-29T23:00:00-02:00', '2028-03-01T01:00:00.000Z'],
  ['2026-06-15T12:00:00+23:00', '2026-06-14T13:00:00.000Z'],
  ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('the time %s is %s', (value, time) => {
  expect(parseTime(value, 'expires_at')).toBe(time);
});

test.each([undefined, null, Date.parse(NOON), new Date(NOON), [NOON], ...BAD_TIMES])(
  'the time %j is refused with what to write',
  (value) => {
    expect(timeIn(value)).toBeUndefined();
    expect(() => parseTime(value, 'expires_at')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: { field: 'expires_at', rule: expect.stringContaining('2027-01-31T12:00:00Z') },
      }),
    );
  },
);

test('a time that must lie in the future does', () => {
  const now = Date.parse(NOON);
  for (const none of [undefined, null]) requireFuture(none, now, 'expires_at');
  requireFuture(NOON, now - 1, 'expires_at');
  for (const late of [now, now + 1]) {
    expect(() => requireFuture(NOON, late, 'expires_at')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: expect.objectContaining({ field: 'expires_at' }),
      }),
    );
  }
});

test('times beyond 9999 are later than all others', () => {
  const beyond = '+010000-01-01T04:59:59.000Z';
  expect([earlier(beyond, NOON), earlier(NOON, beyond)]).toEqual([NOON, NOON]);
  expect([later(beyond, NOON), later(NOON, beyond)]).toEqual([beyond, beyond]);
});
