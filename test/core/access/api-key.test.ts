import fc from 'fast-check';
import {
  hashMatches,
  hashSecret,
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

test('randomBase62 returns every character about equally often', () => {
  const counts = new Map<string, number>();
  for (const letter of randomBase62(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Binomial with mean 1,000 and deviation 31: eight deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
});
