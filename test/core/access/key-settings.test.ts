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

test('an expiry is a time in the future, in UTC', () => {
  expect(parseExpiry('2026-06-15T12:00+14:30', NOW)).toBe('2026-06-14T21:30:00.000Z');
  refused(() => parseExpiry('2027-02-29T00:00:00Z', NOW), 'expires_at');
  for (const given of ['2026-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z']) {
    refused(() => parseExpiry(given, NOW), 'expires_at', 'must lie in the future');
  }
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
