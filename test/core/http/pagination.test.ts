import fc from 'fast-check';
import { newTokenSecret, openToken, parseLimit, sealToken } from '../../../core/http/pagination';

const secret = newTokenSecret();
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('openToken opens a token only for the request that it was issued for', () => {
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

test('openToken rejects a changed, truncated or foreign token', () => {
  const token = sealToken(secret, ['x'], { from: 'a' });
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] === 'A' ? 'B' : 'A';
    const changed = token.slice(0, at) + letter + token.slice(at + 1);
    expect(() => openToken(secret, ['x'], changed)).toThrow('page_token');
    expect(() => openToken(secret, ['x'], token.slice(0, at))).toThrow('page_token');
  }
  for (const added of ['!!!', '=', ' ', 'A', '\n', '\u00e4']) {
    expect(() => openToken(secret, ['x'], token + added)).toThrow('page_token');
    expect(() => openToken(secret, ['x'], added + token)).toThrow('page_token');
  }
  expect(() => openToken(newTokenSecret(), ['x'], token)).toThrow('page_token');
});

test('openToken rejects the last letter with other bits that have no meaning', () => {
  for (const content of ['a', 'ab', 'abc']) {
    const token = sealToken(secret, ['x'], content);
    for (const last of LETTERS) {
      const changed = token.slice(0, -1) + last;
      if (changed !== token) expect(() => openToken(secret, ['x'], changed)).toThrow('page_token');
    }
  }
});

test('sealToken hides the content of a token', () => {
  const token = sealToken(secret, [], { from: 'private/name' });
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('private');
});

test.each([
  [undefined, 100],
  ['1', 1],
  ['0012', 12],
  ['1000', 1000],
])('parseLimit parses %s as %i', (given, limit) => {
  expect(parseLimit(given)).toBe(limit);
});

test.each(['', '0', '1001', '-1', '1.5', 'ten', '1e2', '00001', ' 1', 'x1', '1x'])(
  'parseLimit rejects %j',
  (given) => {
    expect(() => parseLimit(given)).toThrow('limit');
  },
);
