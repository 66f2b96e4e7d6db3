import fc from 'fast-check';
import { newTokenSecret, openToken, parseLimit, sealToken } from '../../../core/http/pagination';

const secret = newTokenSecret();

test('a token opens for the request that it was made for, and for no other', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.jsonValue(), (a, b, content) => {
      const token = sealToken(secret, a, content);
      expect(openToken(secret, a, token)).toEqual(JSON.parse(JSON.stringify(content)));
      if (JSON.stringify(a) !== JSON.stringify(b)) {
        expect(() => openToken(secret, b, token)).toThrow('page_token');
      }
    }),
  );
});

test('a changed, cut or foreign token is refused', () => {
  const token = sealToken(secret, ['x'], { from: 'a' });
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] === 'A' ? 'B' : 'A';
    const changed = token.slice(0, at) + letter + token.slice(at + 1);
    // The last letter of base64 may have bits that carry nothing.
    if (Buffer.from(changed, 'base64url').equals(Buffer.from(token, 'base64url'))) continue;
    expect(() => openToken(secret, ['x'], changed)).toThrow('page_token');
    expect(() => openToken(secret, ['x'], token.slice(0, at))).toThrow('page_token');
  }
  expect(() => openToken(newTokenSecret(), ['x'], token)).toThrow('page_token');
});

test('a token does not show what it holds', () => {
  const token = sealToken(secret, [], { from: 'private/name' });
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('private');
});

test.each([
  [undefined, 100],
  ['1', 1],
  ['1000', 1000],
])('limit %s is %i', (given, limit) => {
  expect(parseLimit(given)).toBe(limit);
});

test.each(['', '0', '1001', '-1', '1.5', 'ten', '1e2', '00001'])('limit %j is refused', (given) => {
  expect(() => parseLimit(given)).toThrow('limit');
});
