import {
  eventHeaders,
  headerBytes,
  readFields,
  responseHeaderName,
} from '../../../src/services/rest-api/request/headers';

const headersOf = (raw: string[], own: [string, string][] = []) => {
  const { headers, multiValueHeaders } = eventHeaders(readFields(raw), new Map(own));
  return [{ ...headers }, { ...multiValueHeaders }];
};

describe('request headers', () => {
  test('keep the case that the client sends, unless AWS capitalises them', () => {
    expect(headersOf(['tEsT-HEADeR', 'a', 'authorization', 'b', 'uSER-agent', 'c'])[0]).toEqual({
      'tEsT-HEADeR': 'a',
      Authorization: 'b',
      'User-Agent': 'c',
    });
  });

  test('have the last of repeated values in one map and all in the other', () => {
    expect(headersOf(['X-A', '1', 'x-a', '2'])).toEqual([{ 'X-A': '2' }, { 'X-A': ['1', '2'] }]);
  });

  test('combine all cookies into one header', () => {
    expect(headersOf(['cookie', 'a=1', 'Cookie', 'b=2'])).toEqual([
      { cookie: 'a=1; b=2' },
      { cookie: ['a=1; b=2'] },
    ]);
  });

  test.each([
    'Connection',
    'CONTENT-LENGTH',
    'Content-MD5',
    'Expect',
    'Max-Forwards',
    'Proxy-Authenticate',
    'Server',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'WWW-Authenticate',
  ])('do not include %s', (name) => {
    expect(headersOf([name, 'x', 'kept', 'y'])[0]).toEqual({ kept: 'y' });
  });

  test('do not include a SigV4 signature', () => {
    expect(headersOf(['Authorization', 'AWS4-HMAC-SHA256 Credential=…'])[0]).toEqual({});
  });

  test('have the values of the gateway where it sets a header itself', () => {
    expect(headersOf(['hOST', 'evil'], [['host', 'api']])).toEqual([
      { Host: 'api' },
      { Host: ['api'] },
    ]);
  });

  test('may include the name __proto__', () => {
    const { headers } = eventHeaders(readFields(['__proto__', 'x']), new Map());
    expect(JSON.stringify(headers)).toBe('{"__proto__":"x"}');
  });

  test('are measured with their names, separators and line ends', () => {
    expect(headerBytes(['Host', 'x', 'A', 'bc'])).toBe('Host: x\r\nA: bc\r\n'.length);
  });
});

describe('response headers', () => {
  test.each([
    'Authorization',
    'Connection',
    'Content-MD5',
    'Date',
    'Max-Forwards',
    'Server',
    'User-Agent',
    'WWW-Authenticate',
  ])('rename %s to x-amzn-Remapped-*', (name) => {
    expect(responseHeaderName(name)).toBe(`x-amzn-Remapped-${name}`);
    expect(responseHeaderName(name.toLowerCase())).toBe(`x-amzn-Remapped-${name.toLowerCase()}`);
  });

  test.each([
    'Expect',
    'host',
    'Proxy-Authenticate',
    'TE',
    'Trailer',
    'transfer-encoding',
    'Upgrade',
    'Via',
    'Keep-Alive',
    'X-Amzn-RequestId',
  ])('do not include %s', (name) => {
    expect(responseHeaderName(name)).toBeUndefined();
  });

  test.each([
    'ETag',
    'Last-Modified',
    'Location',
    'Set-Cookie',
    'content-disposition',
    'Content-Encoding',
  ])('include %s unchanged', (name) => {
    expect(responseHeaderName(name)).toBe(name);
  });
});
