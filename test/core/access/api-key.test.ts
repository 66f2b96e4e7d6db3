import fc from 'fast-check';
import {
  checksum,
  hasApiKeyForm,
  hashMatches,
  hashSecret,
  isApiKeyId,
  newApiKey,
  parseApiKey,
  randomBase62,
} from '../../../core/access/api-key';

test('a new key parses to its id and a secret that matches the stored hash', () => {
  const { id, text, secretHash } = newApiKey();
  const parsed = parseApiKey(text);
  expect(parsed?.id).toBe(id);
  expect(hashMatches(hashSecret(parsed?.secret ?? ''), secretHash)).toBe(true);
  expect(text).toMatch(/^osk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  expect(secretHash).not.toContain(parsed?.secret ?? 'x');
});

test('parseApiKey rejects a key with one mistyped character', () => {
  const { text } = newApiKey();
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom('x', '0', 'Z', '_'), (at, letter) => {
      const typo = text.slice(0, at) + letter + text.slice(at + 1);
      expect(parseApiKey(typo) === undefined).toBe(typo !== text);
    }),
  );
});

test.each(['', 'osk_', 'Bearer x', 'osk_a_b_c', `${'x'.repeat(68)}`])(
  'parseApiKey rejects %j',
  (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  },
);

test('hashMatches rejects the hash of another secret and a hash of another length', () => {
  expect(hashMatches(hashSecret('a'), hashSecret('b'))).toBe(false);
  expect(hashMatches(hashSecret('a'), '')).toBe(false);
});

/** CRC-32 of node:zlib in base 62. 123456789 is the check value of the CRC catalogue. */
test.each([
  ['123456789', '3jZRME'],
  ['', '000000'],
  ['osk_', '1vgxwn'],
])('checksum of %j is the CRC-32 in base 62: %s', (text, digits) => {
  expect(checksum(text)).toBe(digits);
});

test.each([
  ['0123456789AB', true],
  ['abcdefghijkz', true],
  ['0123456789A', false],
  ['0123456789ABC', false],
  ['0123456789A-', false],
  ['0123456789AB\n', false],
  ['', false],
])('%j as the id of a key: %j', (id, valid) => {
  expect(isApiKeyId(id)).toBe(valid);
});

test('a string that only contains a key is no key', () => {
  const { text } = newApiKey();
  expect(hasApiKeyForm(text)).toBe(true);
  for (const other of [
    `x${text}`,
    `${text}x`,
    text.slice(1),
    text.slice(0, -1),
    `${text} ${text}`,
  ]) {
    expect(hasApiKeyForm(other)).toBe(false);
    expect(parseApiKey(other)).toBeUndefined();
  }
});

test('randomBase62 returns every character equally often', () => {
  const counts = new Map<string, number>();
  for (const letter of randomBase62(620_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Binomial with mean 10,000 and deviation 99: eight deviations.
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800);
});
