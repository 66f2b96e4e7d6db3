import { createHash } from 'node:crypto';
import { privateCacheControl } from '../../../core/http/cache-control';
import { safeContentDisposition } from '../../../core/http/content-disposition';
import {
  parseContentHeaders,
  parseContentType,
  parseMetadata,
} from '../../../core/http/content-headers';
import {
  parseSha256,
  reprDigest,
  sha256Base64,
  verifyContentDigest,
} from '../../../core/http/digests';

const body = Buffer.from('hello');
const sha256 = sha256Base64(body);
const sha512 = createHash('sha512').update(body).digest('base64');

describe('Cache-Control for the caller of a key', () => {
  test.each([
    [undefined, 'private, no-cache'],
    ['', 'private'],
    ['public', 'private'],
    ['max-age=60', 'private, max-age=60'],
    ['Public , max-age=60,immutable', 'private, max-age=60, immutable'],
    ['public, S-MaxAge = 60', 'private'],
    ['must-revalidate, s-maxage=1', 'private, must-revalidate'],
    ['private, max-age=60', 'private, max-age=60'],
    ['private="Set-Cookie"', 'private, private="Set-Cookie"'],
    ['no-store', 'no-store'],
    ['publicity=1', 'private, publicity=1'],
  ])('is never for shared caches: %j is sent as %j', (stored, sent) => {
    expect(privateCacheControl(stored)).toBe(sent);
  });
});

describe('Content-Digest', () => {
  test.each([
    undefined,
    `sha-256=:${sha256}:`,
    `sha-512=:${sha512}:`,
    `md5=:AAAA:, sha-256=:${sha256}:`,
    `sha-256=:${sha256}:, sha-512=:${sha512}:`,
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
  ])('rejects %s', (value) => {
    expect(() => verifyContentDigest(value, body, sha256)).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  test('formats Repr-Digest in the same form', () => {
    expect(reprDigest(sha256)).toBe('sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:');
  });

  test.each(['', 'abc', sha512, 7, `${sha256} `])('rejects %j as a SHA-256', (value) => {
    expect(() => parseSha256(value, 'checksum_sha256')).toThrow('checksum_sha256');
  });

  test('accepts a SHA-256 in base64', () => {
    expect(parseSha256(sha256, 'checksum_sha256')).toBe(sha256);
  });
});

describe('content headers', () => {
  const lookup = (headers: Record<string, string>) => (name: string) => headers[name];

  test('replaces a missing Content-Type by application/octet-stream', () => {
    expect(parseContentType(undefined)).toBe('application/octet-stream');
    expect(parseContentType('')).toBe('application/octet-stream');
    expect(parseContentType('text/plain; charset=utf-8')).toBe('text/plain; charset=utf-8');
  });

  test.each([
    'text',
    'text/',
    '/plain',
    'text/pl ain',
    'text/plain; x=\u00e9',
    `a/${'b'.repeat(300)}`,
  ])('rejects the Content-Type %j', (value) => {
    expect(() => parseContentType(value)).toThrow('media type');
  });

  test('takes only the headers that are stored with an object', () => {
    const headers = { 'cache-control': 'no-cache', 'content-language': 'de', 'x-other': 'x' };
    expect(parseContentHeaders(lookup(headers))).toEqual({
      'cache-control': 'no-cache',
      'content-language': 'de',
    });
    expect(() => parseContentHeaders(lookup({ 'cache-control': 'a\u00e9' }))).toThrow('ASCII');
    expect(() => parseContentHeaders(lookup({ 'cache-control': 'a'.repeat(1025) }))).toThrow(
      '1024',
    );
  });

  test('parses metadata by its prefix and limits names and values to 2 KiB', () => {
    const parse = (headers: Record<string, string>) =>
      parseMetadata(lookup(headers), Object.keys(headers));
    expect(parse({ 'x-object-meta-a': '1', 'x-object-meta-b': '', other: 'x' })).toEqual({
      a: '1',
      b: '',
    });
    expect(parse({ 'x-object-meta-a': 'x'.repeat(2047) }).a).toHaveLength(2047);
    expect(() => parse({ 'x-object-meta-a': 'x'.repeat(2048) })).toThrow('2048 bytes');
    expect(() => parse({ 'x-object-meta-': 'x' })).toThrow('name');
    expect(() => parse({ 'x-object-meta-a': '\u00e9' })).toThrow('ASCII');
  });
});

describe('Content-Disposition of a signed URL', () => {
  test.each([
    ['attachment', 'attachment'],
    ['INLINE', 'inline'],
    ['attachment; filename="a.txt"', 'attachment; filename="a.txt"'],
    [
      'attachment; filename="Übung (1).pdf"',
      'attachment; filename="_bung (1).pdf"; filename*=UTF-8\'\'%C3%9Cbung%20%281%29.pdf',
    ],
    ['inline; filename="50%.txt"', 'inline; filename="50_.txt"; filename*=UTF-8\'\'50%25.txt'],
  ])('rewrites %s to %s', (given, safe) => {
    expect(safeContentDisposition(given, 'content_disposition')).toBe(safe);
  });

  test.each([
    '',
    'form-data',
    'attachment; filename=a',
    'attachment; filename="a"; x=y',
    'attachment; filename="a\r\nSet-Cookie: x"',
    'attachment; filename="a\\"b"',
    'attachment\r\nX: y',
    7,
  ])('rejects %j', (given) => {
    expect(() => safeContentDisposition(given, 'content_disposition')).toThrow(
      'content_disposition',
    );
  });
});
