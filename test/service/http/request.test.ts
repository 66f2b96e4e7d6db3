/** What operations read of a request: headers, parameters, body, and the key that sent it. */
import { LIMITS } from '../../../core/limits';
import { headersOf, jsonBody } from '../../../service/http/request';

const invalid = (field: string) =>
  expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ field }) });

/** Headers that operations read, and are no lists. */
const SINGLE = [
  ...['Content-Type', 'content-disposition', 'content-encoding', 'content-language'],
  ...['content-md5', 'x-object-content-md5', 'cache-control', 'range', 'idempotency-key'],
  ...['if-range', 'If-Modified-Since', 'x-object-expires-at', 'x-object-meta-a'],
  'x-object-meta-colour',
];

function repeated(name: string, ...values: string[]) {
  return { headers: { [name]: values } };
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
  'several lines of the list header %s are joined, and bounded as one',
  (name) => {
    const lower = name.toLowerCase();
    expect([...headersOf(repeated(name, 'a', 'b'))]).toEqual([[lower, 'a, b']]);
    expect([...headersOf(repeated(name, 'a'))]).toEqual([[lower, 'a']]);
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

test.each(['X-HTTP-Method-Override', 'x-http-method-override'])(
  'the header %s is refused',
  (name) => {
    for (const method of ['DELETE', 'GET', '']) {
      expect(() => headersOf(repeated(name, method))).toThrow(invalid('x-http-method-override'));
    }
  },
);

test('a JSON body has at most 64 KiB', () => {
  const parse = (text: string) => jsonBody({ body: Buffer.from(text) });
  const most = `{"a":"${'x'.repeat(64 * 1024 - 8)}"}`;
  expect(parse(most)).toHaveProperty('a');
  expect(() => parse(`${most} `)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
});
