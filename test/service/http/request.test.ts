/** What operations read of a request: headers, parameters, body, and the key that sent it. */
import type { KeyClaim } from '../../../core/access/key-claim';
import { LIMITS } from '../../../core/limits';
import { originsOf } from '../../../service/http/origins';
import { singleQuery } from '../../../service/http/query';
import {
  claimIn,
  contextOf,
  headersOf,
  httpRequestOf,
  jsonBody,
} from '../../../service/http/request';
import { restEvent } from '../../support/requests';

const invalid = (field: string) =>
  expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ field }) });

test('a request has its parts as the client sent them', () => {
  const headers = { 'Content-Type': 'a/b', 'X-Other': 'Y' };
  const query = { limit: '1' };
  const sent = { method: 'PUT', path: '/objects/photos/a%20b', headers, query, body: 'caf\u00e9' };
  const request = httpRequestOf(restEvent(sent));
  expect(request).toMatchObject({
    ...{ method: 'PUT', path: '/api/v2/storage/objects/photos/a%20b', requestId: 'request-1' },
    headerNames: ['content-type', 'x-other'],
  });
  expect(request.header('x-other')).toBe('Y');
  expect([request.query('limit'), request.query('prefix')]).toEqual(['1', undefined]);
  expect(Buffer.from(request.body).toString()).toBe('caf\u00e9');
});

test.each([
  [null, false, ''],
  ['YQ==', true, 'a'],
  ['YQ==', false, 'YQ=='],
  ['\u00e9', false, '\u00e9'],
])('the body %j, in base64: %s, is read as %j', (body, isBase64Encoded, text) => {
  const event = { ...restEvent({ path: '/' }), body, isBase64Encoded };
  expect(Buffer.from(httpRequestOf(event).body).toString()).toBe(text);
});

/** Headers that operations read, and are no lists. */
const SINGLE = [
  ...['Content-Type', 'content-disposition', 'content-encoding', 'content-language'],
  ...['content-md5', 'x-object-content-md5', 'cache-control', 'range', 'idempotency-key'],
  ...['if-range', 'If-Modified-Since', 'x-object-expires-at', 'x-object-meta-a'],
  'x-object-meta-colour',
];

function repeated(name: string, ...values: string[]) {
  const headers = { [name]: values.at(-1) ?? '' };
  return { ...restEvent({ path: '/', headers }), multiValueHeaders: { [name]: values } };
}

test.each(SINGLE)('the header %s is refused when it is repeated or too long', (name) => {
  expect(() => headersOf(repeated(name, 'a', 'b'))).toThrow(invalid(name));
  expect(headersOf(repeated(name, 'a')).get(name.toLowerCase())).toBe('a');
  const long = 'x'.repeat(LIMITS.headerLength);
  expect(headersOf(repeated(name, long)).get(name.toLowerCase())).toBe(long);
  const tooLong = () => headersOf(repeated(name, `${long}x`));
  if (name === 'range') expect([...tooLong()]).toEqual([]);
  else expect(tooLong).toThrow(invalid(name));
});

test.each(['If-Match', 'if-none-match', 'content-digest'])(
  'the lines of the list %s are joined, and bounded together',
  (name) => {
    const lower = name.toLowerCase();
    expect([...headersOf(repeated(name, 'a', 'b'))]).toEqual([[lower, 'a, b']]);
    const single = { ...restEvent({ path: '/', headers: { [name]: 'a' } }), multiValueHeaders: {} };
    expect([...headersOf(single)]).toEqual([[lower, 'a']]);
    const half = 'x'.repeat(LIMITS.headerLength / 2);
    expect(() => headersOf(repeated(name, half, half))).toThrow(invalid(name));
  },
);

test.each([
  ...['user-agent', 'x-content-type', 'content-types', 'my-range', 'ranges', 'x-if-match'],
  ...['content-length', 'x-object-meta', 'idempotency-keys', 'xcontent-md5'],
])('the header %s, which no operation reads, may be repeated and long', (name) => {
  const long = 'x'.repeat(LIMITS.headerLength + 1);
  expect([...headersOf(repeated(name, 'first', long))]).toEqual([[name, long]]);
});

test('an event without headers has none', () => {
  const event = restEvent({ path: '/' });
  const none = { ...event, headers: null, multiValueHeaders: null };
  expect([...headersOf(none as unknown as typeof event)]).toEqual([]);
  const empty = { ...event, headers: { a: undefined } } as typeof event;
  expect([...headersOf(empty)]).toEqual([['a', '']]);
});

describe('a JSON body', () => {
  const parse = (text: string | Uint8Array, most?: number) =>
    jsonBody({ body: Buffer.from(text) }, most);

  test('is an object of at most 64 KiB', () => {
    expect(parse('{"a":[1]}')).toEqual({ a: [1] });
    const most = `{"a":"${'x'.repeat(64 * 1024 - 8)}"}`;
    expect(parse(most)).toHaveProperty('a');
    const tooLarge = expect.objectContaining({
      code: 'payload_too_large',
      message: expect.stringMatching(/ (65536|1) bytes/),
    });
    expect(() => parse(`${most} `)).toThrow(tooLarge);
    expect(parse(`${most} `, 64 * 1024 + 1)).toHaveProperty('a');
    expect(() => parse('{}', 1)).toThrow(tooLarge);
  });

  test.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'is required'],
    ['a list', '[]', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['half an object', '{', expect.stringContaining('must be JSON')],
    ['a byte order mark', '\ufeff{}', expect.stringContaining('must be JSON')],
    [
      'bytes that are no UTF-8',
      Buffer.from('{"a":"\xff"}', 'latin1'),
      expect.stringMatching(/UTF-8/),
    ],
  ])('of %s is refused with its rule', (_what, text, rule) => {
    const details = { field: 'body', rule };
    expect(() => parse(text)).toThrow(expect.objectContaining({ details }));
  });

  test('that is no JSON is refused for the reason of the parser', () => {
    expect(() => parse('{')).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
  });
});

describe('the context of the authorizer', () => {
  const claim: KeyClaim = {
    ...{ keyId: 'k', tier: 'small', generation: 3, readAt: 7 },
    permissions: [{ buckets: ['*'], actions: ['read'] }],
  };
  const more: KeyClaim = {
    ...claim,
    expiresAt: '2026-01-01T00:00:00.000Z',
    restriction: { permissions: claim.permissions, expiresAt: '2026-01-01T00:00:00.000Z' },
  };

  test.each([claim, more])('holds texts only, and the whole claim %j', (whole) => {
    const context = contextOf(whole);
    expect(Object.values(context).every((value) => typeof value === 'string')).toBe(true);
    expect(claimIn(context)).toEqual(whole);
    expect(Object.keys(context).sort()).toEqual(Object.keys(whole).sort());
  });

  test('of an earlier version counts as read at the epoch, in the default tier', () => {
    expect(claimIn({ keyId: 'k', permissions: '[]' })).toEqual({
      ...{ keyId: 'k', permissions: [], tier: 'default', generation: 0, readAt: 0 },
    });
  });

  test.each([{}, { keyId: 'k' }, { permissions: '[]' }, { keyId: 1, permissions: '[]' }])(
    'that is only %j is an error',
    (context) => {
      expect(() => claimIn(context)).toThrow('no context of the authorizer');
    },
  );
});

test('a parameter is its one value, and refused when it is given twice', () => {
  const query = singleQuery({ a: ['1'], b: ['1', '2'], c: [], d: undefined });
  expect([query('a'), query('c'), query('d'), query('e')]).toEqual(['1', ...Array(3)]);
  expect(query('toString')).toBeUndefined();
  expect(() => query('b')).toThrow(invalid('b'));
  expect([singleQuery(null)('a'), singleQuery(undefined)('a')]).toEqual([undefined, undefined]);
});

test('addresses of one origin have it once', () => {
  const addresses = ['https://a.example/x', 'https://a.example/y?z', 'https://b.example:8443'];
  expect(originsOf(addresses)).toEqual(['https://a.example', 'https://b.example:8443']);
  expect(() => originsOf(['a.example'])).toThrow('Invalid URL');
});
