import {
  parseExpiry,
  parseKeyName,
  parseKeyPermissions,
  parseOverlap,
  parseTier,
} from '../../../core/access/key-settings';
import { KEY_LIMITS } from '../../../core/limits';

const NOW = Date.UTC(2026, 0, 1);

function errorOf(parse: () => unknown): unknown {
  try {
    return { returned: parse() };
  } catch (error) {
    return error;
  }
}

function refused(parse: () => unknown, field: string, rule: unknown = expect.anything()): void {
  expect(errorOf(parse)).toMatchObject({ code: 'invalid_request', details: { field, rule } });
}

describe('parseKeyName', () => {
  test.each([
    ['a', 'a'],
    ['  two words\t', 'two words'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['\u{1f600}'.repeat(100), '\u{1f600}'.repeat(100)],
    [` ${'x'.repeat(100)} `, 'x'.repeat(100)],
  ])('returns the name without the spaces around it: %j', (given, name) => {
    expect(parseKeyName(given)).toBe(name);
  });

  test('says of a missing name that it is required, and not of an empty one', () => {
    refused(() => parseKeyName(undefined), 'name', 'is required');
    refused(() => parseKeyName(''), 'name', expect.not.stringContaining('is required'));
  });
});

test('parseKeyPermissions bounds the bytes of the permissions as JSON', () => {
  const of = (bytes: number) => {
    const permission = { buckets: ['*'], prefix: '', actions: ['read'] };
    const full = Array(5).fill({ ...permission, prefix: 'x'.repeat(700) });
    const left = bytes - Buffer.byteLength(JSON.stringify([...full, permission]));
    return [...full, { ...permission, prefix: 'x'.repeat(left) }];
  };
  const most = of(KEY_LIMITS.permissionsBytes);
  expect(parseKeyPermissions(most)).toEqual(most);
  refused(() => parseKeyPermissions(of(KEY_LIMITS.permissionsBytes + 1)), 'permissions');
});

test('parseTier accepts the tiers of the stack only', () => {
  expect(parseTier('small', ['default', 'small'])).toBe('small');
  for (const tier of [undefined, '', 'constructor', 'Small', ['small']]) {
    refused(() => parseTier(tier, ['default', 'small']), 'tier');
  }
});

describe('parseExpiry', () => {
  test.each([
    ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001Z'],
    ['2026-01-31T23:59Z', '2026-01-31T23:59:00.000Z'],
    ['2026-10-09T19:08:07Z', '2026-10-09T19:08:07.000Z'],
    ['2026-12-20T10:59:59.9Z', '2026-12-20T10:59:59.900Z'],
    ['2026-02-28T01:02:03.123456789+00:00', '2026-02-28T01:02:03.123Z'],
    ['2026-06-15T12:00:00+14:30', '2026-06-14T21:30:00.000Z'],
    ['2026-06-15T12:00:00-09:45', '2026-06-15T21:45:00.000Z'],
    ['2026-06-15T12:00:00+23:00', '2026-06-14T13:00:00.000Z'],
  ])('returns %s in UTC with milliseconds', (given, utc) => {
    expect(parseExpiry(given, NOW)).toBe(utc);
  });

  test.each([
    ...[undefined, null, 1_800_000_000_000, ['2027-01-01T00:00:00Z'], '', 'tomorrow'],
    ...['2027-01-01', '2027-01-01T00:00:00', '2027-01-01 00:00:00Z', '2027-01-01T00Z'],
    ...['2027-00-01T00:00:00Z', '2027-13-01T00:00:00Z', '2027-1-01T00:00:00Z'],
    ...['2027-01-00T00:00:00Z', '2027-01-32T00:00:00Z', '2027-01-1T00:00:00Z'],
    ...['2027-01-01T24:00:00Z', '2027-01-01T30:00:00Z', '2027-01-01T0:00:00Z'],
    ...['2027-01-01T00:60:00Z', '2027-01-01T00:0:00Z', '2027-01-01T00:00:60Z'],
    ...['2027-01-01T00:00:00.Z', '2027-01-01T00:00:00.1234567890Z', '2027-01-01T00:00:0Z'],
    ...['2027-01-01T00:00:00+24:00', '2027-01-01T00:00:00+1:00', '2027-01-01T00:00:00+01:60'],
    ...['2027-01-01T00:00:00+0100', 'x2027-01-01T00:00:00Z', '2027-01-01T00:00:00Zx'],
    ...['2027-01-01T00:00:00 01:00', '227-01-01T00:00:00Z', '2027-01-01T00:00:00z'],
    ...[
      '12027-01-01T00:00:00Z',
      '+012027-01-01T00:00:00Z',
      '2027-01-01T00:00:00',
      'Fri, 01 Jan 2027 00:00:00 GMT',
    ],
  ])('refuses %j', (given) => {
    refused(() => parseExpiry(given, NOW), 'expires_at');
  });

  test.each(['2026-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z'])(
    'refuses %s, which is a time but not in the future',
    (given) => {
      refused(() => parseExpiry(given, NOW), 'expires_at', 'must lie in the future');
    },
  );
});

describe('parseOverlap', () => {
  test.each([
    [undefined, 86_400],
    [0, 0],
    [1, 1],
    [2_592_000, 2_592_000],
  ])('of %j is %d seconds', (given, seconds) => {
    expect(parseOverlap(given)).toBe(seconds);
  });

  test.each([-1, 0.5, 2_592_001, '60', null, true])('refuses %j', (given) => {
    refused(() => parseOverlap(given), 'overlap_seconds');
  });
});
