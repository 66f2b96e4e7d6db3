import {
  isContentType,
  parseContentHeaders,
  parseContentType,
  parseMetadata,
} from '../../../core/http/content-headers';

const lookup = (headers: Record<string, string>) => (name: string) => headers[name];

const invalidField = (field: string) =>
  expect.objectContaining({
    code: 'invalid_request',
    details: expect.objectContaining({ field }),
  });

describe('Content-Type', () => {
  test('is application/octet-stream when it is missing', () => {
    expect(parseContentType(undefined)).toBe('application/octet-stream');
    expect(parseContentType('')).toBe('application/octet-stream');
  });

  test.each([
    'text/plain; charset=utf-8',
    'text/plain;charset=utf-8',
    'text/plain  ;',
    'image/svg+xml',
    "a!#$%&'*+-.^_`|~0Z/b!#$%&'*+-.^_`|~9z",
    `a/${'b'.repeat(253)}`,
  ])('is accepted as %j', (value) => {
    expect(parseContentType(value)).toBe(value);
  });

  test.each([
    'text',
    'text/',
    '/plain',
    ' text/plain',
    'text/pl ain',
    'te xt/plain',
    'text/plain x',
    'text/plain; x=\u00e9',
    'text/plain; x=\n',
    `a/${'b'.repeat(254)}`,
  ])('is not %j', (value) => {
    expect(isContentType(value)).toBe(false);
    expect(() => parseContentType(value)).toThrow(invalidField('Content-Type'));
    expect(() => parseContentType(value, 'content_type')).toThrow(invalidField('content_type'));
  });
});

describe('the content headers of a request', () => {
  test('are the known ones, without empty values', () => {
    const headers = {
      'cache-control': 'no-cache',
      'content-disposition': '',
      'content-encoding': 'a'.repeat(1024),
      'content-language': 'de',
      'x-other': 'x',
    };
    expect(parseContentHeaders(lookup(headers))).toEqual({
      'cache-control': 'no-cache',
      'content-encoding': 'a'.repeat(1024),
      'content-language': 'de',
    });
  });

  test.each(['a\u00e9', '\u00e9a', 'a\n', 'a'.repeat(1025)])('are refused with %j', (value) => {
    const header = lookup({ 'cache-control': value });
    expect(() => parseContentHeaders(header)).toThrow(invalidField('cache-control'));
  });
});

describe('metadata in headers', () => {
  const parse = (headers: Record<string, string>) =>
    parseMetadata(lookup(headers), Object.keys(headers));

  test('has the names after its prefix', () => {
    expect(parse({ 'x-object-meta-a': '1', 'x-object-meta-b': '', other: 'x' })).toEqual({
      a: '1',
      b: '',
    });
    expect(parse({ 'x-object-meta-__proto__': '1' })).toEqual({ ['__proto__']: '1' });
    expect(parseMetadata(lookup({}), ['x-object-meta-a'])).toEqual({ a: '' });
  });

  test('has at most 2 KiB of names and values', () => {
    expect(parse({ 'x-object-meta-a': 'x'.repeat(2047) }).a).toHaveLength(2047);
    const long = { 'x-object-meta-a': 'x'.repeat(1023), 'x-object-meta-b': 'x'.repeat(1023) };
    expect(parse(long)).toEqual({ a: 'x'.repeat(1023), b: 'x'.repeat(1023) });
    const longer = { ...long, 'x-object-meta-cd': '' };
    expect(() => parse(longer)).toThrow(invalidField('x-object-meta-*'));
    expect(() => parse({ 'x-object-meta-a': 'x'.repeat(2048) })).toThrow('2048 bytes');
  });

  test.each([
    ['x-object-meta-', 'x'],
    ['x-object-meta- a', 'x'],
    ['x-object-meta-a b', 'x'],
    ['x-object-meta-A', 'x'],
    ['x-object-meta-a', '\u00e9'],
    ['x-object-meta-a', 'a\u00e9'],
  ])('is refused as %s: %j', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(invalidField(name));
  });
});
