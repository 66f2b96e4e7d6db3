import { createHash } from 'node:crypto';
import { sha256 } from '../../../client/channel/sha256';

// Around the lengths at which one, two and three blocks are full, with and without the length
// field.
const LENGTHS = [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 128, 183, 184, 1_000];

test.each(LENGTHS)('sha256 returns the hash that Node.js computes for %i bytes', (length) => {
  const message = Uint8Array.from({ length }, (_, index) => (index * 151 + length) % 256);
  const expected = createHash('sha256').update(message).digest('hex');
  expect(Buffer.from(sha256(message)).toString('hex')).toBe(expected);
});

test('sha256 returns the hash of the example of FIPS 180', () => {
  const hash = Buffer.from(sha256(new TextEncoder().encode('abc'))).toString('hex');
  expect(hash).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
