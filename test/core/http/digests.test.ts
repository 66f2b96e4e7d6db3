import { createHash } from 'node:crypto';
import {
  parseSha256,
  reprDigest,
  sha256Base64,
  verifyContentDigest,
  verifyContentMd5,
} from '../../../core/http/digests';

const body = Buffer.from('hello');
const sha256 = sha256Base64(body);
const sha512 = createHash('sha512').update(body).digest('base64');
const md5 = createHash('md5').update(body).digest('base64');

const membersOf = (count: number) =>
  [...Array(count - 1).fill('md5=:AAAA:'), `sha-256=:${sha256}:`].join(',');

describe('Content-Digest', () => {
  test.each([
    undefined,
    `sha-256=:${sha256}:`,
    `sha-512=:${sha512}:`,
    `md5=:AAAA:, sha-256=:${sha256}:`,
    `sha-256=:${sha256}:, sha-512=:${sha512}:`,
    ` \tsha-256=:${sha256}: \t`,
    `sha-256=:${sha256}:;q=1`,
    `sha-256=:${sha256}: ; q=1`,
    `a=:AA==:,sha-256=:${sha256}:`,
    `*x.y_z-9=::,sha-256=:${sha256}:`,
    membersOf(10),
  ])('accepts %s', (value) => {
    expect(() => verifyContentDigest(value, body, sha256)).not.toThrow();
  });

  test.each([
    `sha-256=:${sha512}:`,
    `sha-256=:${sha256}:, sha-512=:${sha256}:`,
    'md5=:XUFAKrxLKna5cZ2REBfFkg==:',
    'sha-256',
    `sha-256=${sha256}`,
    'sha-256=:***:',
    '',
    `x sha-256=:${sha256}:`,
    `sha-256=:${sha256}:x`,
    `sha-256=:${sha256}:,sha-512`,
    `SHA-256=:${sha256}:`,
    membersOf(11),
  ])('rejects %s', (value) => {
    expect(() => verifyContentDigest(value, body, sha256)).toThrow(
      expect.objectContaining({
        status: 400,
        details: expect.objectContaining({ field: 'Content-Digest' }),
      }),
    );
  });

  test('formats Repr-Digest in the same form', () => {
    expect(reprDigest(sha256)).toBe('sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:');
  });
});

describe('Content-MD5', () => {
  test.each([undefined, md5])('accepts %s', (value) => {
    expect(() => verifyContentMd5(value, body)).not.toThrow();
  });

  test.each([
    ['', 'must be'],
    [md5.slice(1), 'must be'],
    [`x${md5}`, 'must be'],
    [`${md5}x`, 'must be'],
    [`${'*'.repeat(22)}==`, 'must be'],
    [`${'A'.repeat(22)}==`, 'does not match'],
  ])('rejects %j, which %s', (value, rule) => {
    expect(() => verifyContentMd5(value, body)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: { field: 'Content-MD5', rule: expect.stringContaining(rule) },
      }),
    );
  });
});

describe('a SHA-256 in base64', () => {
  test('is accepted', () => {
    expect(parseSha256(sha256, 'checksum_sha256')).toBe(sha256);
  });

  test.each(['', 'abc', sha512, 7, [sha256], `${sha256} `, `x${sha256}`, `${'A'.repeat(42)}B=`])(
    'is not %j',
    (value) => {
      expect(() => parseSha256(value, 'checksum_sha256')).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          details: expect.objectContaining({ field: 'checksum_sha256' }),
        }),
      );
    },
  );
});
