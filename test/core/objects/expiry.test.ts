/** When objects expire, and where the index finds them. */
import { parseExpiresAt, requireFuture } from '../../../core/objects/expiry';

const NOON = '2027-01-31T12:00:00.000Z';

test.each([
  ['2027-01-31T12:00:00Z', NOON],
  ['2027-01-31T12:00Z', NOON],
  ['2027-01-31T13:30:00.0001+01:30', NOON],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('the expiry %s is %s', (value, time) => {
  expect(parseExpiresAt(value, 'expires_at')).toBe(time);
});

test.each([
  undefined,
  null,
  '',
  Date.parse(NOON),
  new Date(NOON),
  [NOON],
  '2027-01-31',
  '2027-01-31T12:00:00',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-00:01',
])('the expiry %j is refused', (value) => {
  expect(() => parseExpiresAt(value, 'expires_at')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: expect.objectContaining({ field: 'expires_at' }),
    }),
  );
});

test('an expiry lies in the future', () => {
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
