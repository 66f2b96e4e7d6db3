import { GatewayError } from '../../../src/services/rest-api/gateway-responses/gateway-responses';
import { bufferedResponse, streamedHead } from '../../../src/services/rest-api/response/response';

const responseTo = (envelope: unknown, types: string[] = [], accept?: string) =>
  bufferedResponse(
    typeof envelope === 'string' ? envelope : JSON.stringify(envelope),
    types,
    accept,
  );

function statusOf(act: () => unknown): number {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error.status;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('buffered response', () => {
  test.each<[unknown, number]>([
    [{ statusCode: 204 }, 204],
    [{ statusCode: '201' }, 201],
    [{ body: '' }, 200],
    [{ headers: null }, 200],
    [{ multiValueHeaders: null, statusCode: 599 }, 599],
    [{ body: null, statusCode: 404 }, 404],
  ])('is created from %j with status %d', (envelope, status) => {
    expect(responseTo(envelope).status).toBe(status);
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['an unknown key', { statusCode: 200, cookies: [] }],
    ['a bare string', '"hello"'],
    ['an array', []],
    ['null', 'null'],
    ['a number', '200'],
    ['text that is not JSON', 'hello'],
    ['a streamed response', `{"statusCode":200}${'\0'.repeat(8)}body`],
    ['an empty payload', ''],
    ['a word as status', { statusCode: 'ok' }],
    ['a fractional status', { statusCode: 200.5 }],
    ['a null status', { statusCode: null }],
    ['a status that switches protocols', { statusCode: 101 }],
    ['a status of four digits', { statusCode: 2000 }],
    ['an object as body', { body: {} }],
    ['a number as body', { body: 1 }],
    ['a string as isBase64Encoded', { body: 'x', isBase64Encoded: 'true' }],
    ['headers as array', { headers: ['x'] }],
    ['an object as header value', { headers: { a: {} } }],
    ['null as header value', { headers: { a: null } }],
    ['an array in headers', { headers: { a: ['b'] } }],
    ['a string in multiValueHeaders', { multiValueHeaders: { a: 'b' } }],
    ['an object in multiValueHeaders', { multiValueHeaders: { a: [{}] } }],
    ['a line break in a value', { headers: { a: 'b\r\nSet-Cookie: evil' } }],
    ['a line break in a name', { headers: { 'a\r\nb': 'c' } }],
    ['a NUL in a value', { headers: { a: 'b\u0000' } }],
    ['a value beyond latin1', { headers: { a: '😀' } }],
    ['an empty name', { headers: { '': 'c' } }],
    ['two content lengths', { multiValueHeaders: { 'content-length': ['1', '2'] } }],
    ['a content length of words', { headers: { 'Content-Length': 'five' } }],
    ['__proto__', '{"statusCode":200,"__proto__":{}}'],
  ])('is malformed, which is 502, when the function returns %s', (_, envelope) => {
    expect(statusOf(() => responseTo(envelope))).toBe(502);
  });

  test('has numbers and booleans in headers as text', () => {
    const { headers } = responseTo({ headers: { a: true, b: 12, c: '' } });
    expect(headers).toEqual(['a', 'true', 'b', '12', 'c', '', 'Content-Type', 'application/json']);
  });

  test('merges both header maps, with the names and values of multiValueHeaders first', () => {
    const { headers } = responseTo({
      headers: { 'x-a': 'single', 'content-type': 'text/plain' },
      multiValueHeaders: { 'X-A': ['one', 'two'], 'Set-Cookie': ['a=1', 'b=2'] },
    });
    expect(headers).toEqual([
      ...['X-A', 'one', 'X-A', 'two', 'X-A', 'single'],
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
      ...['content-type', 'text/plain'],
    ]);
  });

  test('renames and drops headers, and returns Content-Length as a number', () => {
    const { headers, contentLength } = responseTo({
      headers: {
        'WWW-Authenticate': 'Bearer',
        Via: 'x',
        'content-length': 7,
        'Content-Type': 'a/b',
      },
    });
    expect(headers).toEqual(['x-amzn-Remapped-WWW-Authenticate', 'Bearer', 'Content-Type', 'a/b']);
    expect(contentLength).toBe(7);
  });
});

describe('body of a buffered response', () => {
  const png = { body: 'iVBORw0=', isBase64Encoded: true };

  test.each<[string, string[], string | undefined, 'bytes' | 'text']>([
    ['the listed type', ['image/png'], 'image/png', 'bytes'],
    ['the listed type first', ['image/png'], 'image/png,image/*', 'bytes'],
    ['the listed type with parameters', ['image/png'], 'Image/PNG; q=0.9, */*', 'bytes'],
    ['a wildcard of the client', ['image/png'], 'image/*', 'text'],
    ['any type', ['image/png'], '*/*', 'text'],
    ['no Accept', ['image/png'], undefined, 'text'],
    ['the listed type second', ['image/png'], 'image/webp,image/png', 'text'],
    ['a type of a listed family', ['application/*'], 'application/zip', 'bytes'],
    ['another family', ['application/*'], 'applications/zip', 'text'],
    ['anything with the catch-all', ['*/*'], 'text/html', 'bytes'],
    ['nothing with the catch-all', ['*/*'], undefined, 'bytes'],
    ['no list at all', [], 'image/png', 'text'],
  ])('depends on the binary types and the Accept header: %s', (_, types, accept, expected) => {
    const { body } = responseTo(png, types, accept);
    expect(body).toEqual(
      expected === 'bytes' ? Buffer.from('89504e470d', 'hex') : Buffer.from('iVBORw0='),
    );
  });

  test('has text in UTF-8', () => {
    expect(responseTo({ body: 'é😀' }, ['*/*']).body).toEqual(Buffer.from('é😀'));
  });

  test.each(['%%%%', 'abc', 'ab=c', 'a b='])(
    'fails with 500 when it is %j, which is not base64',
    (body) => {
      expect(statusOf(() => responseTo({ body, isBase64Encoded: true }, ['*/*']))).toBe(500);
    },
  );
});

describe('metadata of a streamed response', () => {
  test('may have cookies, which follow other Set-Cookie values', () => {
    const head = streamedHead(
      '{"statusCode":206,"headers":{"ETag":"x","content-length":"5"},"multiValueHeaders":{"Set-Cookie":["a=1"]},"cookies":["b=2"]}',
    );
    expect(head).toEqual({
      status: 206,
      contentLength: 5,
      headers: [
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'ETag',
        'x',
        'Content-Type',
        'application/json',
      ],
    });
  });

  test('has status 200 when it is empty', () => {
    expect(streamedHead('{}').status).toBe(200);
  });

  test.each([
    '',
    '[]',
    'x',
    '{"body":"x"}',
    '{"isBase64Encoded":true}',
    '{"cookies":"a"}',
    '{"statusCode":"x"}',
    '{"headers":{"a":"\\n"}}',
  ])('fails with 500 when it is %j', (metadata) => {
    expect(statusOf(() => streamedHead(metadata))).toBe(500);
  });
});
