/** The body of POST /links, and what the name and the secret of a link are. */
import { createHash } from 'node:crypto';
import { LINK_LIMITS } from '../../../core/limits';
import { parseLinkRequest } from '../../../core/links/link-request';
import { linkName, linkNamed, linkOpenedBy, newLink } from '../../../core/links/link-secret';
import { hashPassword, passwordMatches } from '../../../core/links/password';

const PLACE = { bucket: 'photos', key: 'a' };
const parse = (fields: object = {}) => parseLinkRequest({ ...PLACE, ...fields }, () => undefined);

test('a link lasts a week unless the request says otherwise', () => {
  expect(parse()).toStrictEqual({ ...PLACE, expiresIn: 7 * 86_400 });
});

test('parseLinkRequest returns every field of a request', () => {
  const wish = { version: 2, password: 'p', disposition: 'inline', note: 'n' };
  expect(parse({ ...wish, expires_in: 60, max_uses: 3 })).toStrictEqual({
    ...{ ...PLACE, ...wish, expiresIn: 60, maxUses: 3 },
  });
});

const { maxSeconds, usesMax, versionMax, passwordCharacters, noteCharacters } = LINK_LIMITS;

test.each([
  ['expires_in', maxSeconds],
  ['max_uses', usesMax],
  ['version', versionMax],
])('%s is a whole number from 1 to %i', (field, most) => {
  for (const value of [1, most]) expect(Object.values(parse({ [field]: value }))).toContain(value);
  for (const value of [0, most + 1, -1, 1.5, '1', null]) {
    expect(() => parse({ [field]: value })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field }) }),
    );
  }
});

test.each([
  ['password', passwordCharacters],
  ['note', noteCharacters],
])('%s is a text of 1 to %i characters, whatever their bytes', (field, most) => {
  for (const value of ['x', '😀'.repeat(most)]) {
    expect(Object.values(parse({ [field]: value }))).toContain(value);
  }
  for (const value of ['', 'x'.repeat(most + 1), '\ud83d', 1, null, ['x']]) {
    expect(() => parse({ [field]: value })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field }) }),
    );
  }
});

test.each([
  ['disposition', 'form-data'],
  ['uses', 1],
  ['bucket', 'Photos'],
  ['key', ''],
])('%s %j is refused', (field, value) => {
  expect(() => parse({ [field]: value })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ field }) }),
  );
});

test('parseLinkRequest asks for permission before it parses the rest', () => {
  const places: object[] = [];
  const authorize = (place: object) => {
    places.push(place);
    throw new Error('not permitted');
  };
  const body = { ...PLACE, expires_in: 0 };
  expect(() => parseLinkRequest(body, authorize)).toThrow('not permitted');
  expect(places).toEqual([PLACE]);
});

describe('the name and the secret of a link', () => {
  const BUCKET = 'b00000000001';
  const nameFor = (secret: string) => {
    const hash = createHash('sha256')
      .update(BUCKET + secret)
      .digest('base64url')
      .slice(0, 22);
    return BUCKET + hash;
  };

  test('belong together, and no others do', () => {
    const { secret, ...id } = newLink(BUCKET);
    expect(secret).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(linkName(id)).toBe(nameFor(secret));
    expect(linkNamed(linkName(id))).toEqual(id);
    expect(linkOpenedBy(linkName(id), secret)).toEqual(id);
    expect(linkOpenedBy(linkName(id), undefined)).toBeUndefined();
    expect(linkOpenedBy(linkName(newLink(BUCKET)), secret)).toBeUndefined();
    expect(linkOpenedBy('x', secret)).toBeUndefined();
  });

  test.each(['x'.repeat(21), 'x'.repeat(23), `${'x'.repeat(21)}-`, ''])(
    'do not belong together when the secret is %j, although the hash matches',
    (secret) => {
      expect(linkOpenedBy(nameFor(secret), secret)).toBeUndefined();
    },
  );
});

describe('the hash of a password', () => {
  /** scrypt of `café`, N=16384, r=8, p=1, with sixteen zero bytes as salt. */
  const KNOWN = 'AAAAAAAAAAAAAAAAAAAAAA.bT9EqUhRQ79l9w14OxPliLX2xegBOANuKdR0JnM1llQ';

  test('is scrypt with the documented cost', async () => {
    expect(await passwordMatches('caf\u00e9', KNOWN)).toBe(true);
  });

  test('has a salt of 16 bytes of its own, and 32 bytes', async () => {
    const [one, other] = await Promise.all([hashPassword('a'), hashPassword('a')]);
    expect(one).toMatch(/^[\w-]{22}\.[\w-]{43}$/);
    expect(one.slice(0, 22)).not.toBe(other.slice(0, 22));
    expect(await passwordMatches('a', one)).toBe(true);
    expect(await passwordMatches('b', one)).toBe(false);
  });
});

test.each(['a\u0000b', 'a\u001bb', 'a\u202eb', 'a\nb'])('the note %j is refused', (note) => {
  expect(() => parse({ note })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ field: 'note' }) }),
  );
});
