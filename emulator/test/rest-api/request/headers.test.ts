import {
  eventHeaders,
  headerBytes,
  readFields,
  responseHeaderName,
} from '../../../src/services/rest-api/request/headers';

const delivered = (raw: string[], own: [string, string][] = []) => {
  const { headers, multiValueHeaders } = eventHeaders(readFields(raw), new Map(own));
  return [{ ...headers }, { ...multiValueHeaders }];
};

describe('request headers', () => {
  test('keep the casing of the client, but for those that AWS capitalises', () => {
    expect(delivered(['tEsT-HEADeR', 'a', 'authorization', 'b', 'uSER-agent', 'c'])[0]).toEqual({
      'tEsT-HEADeR': 'a',
      Authorization: 'b',
      'User-Agent': 'c',
    });
  });

  test('keep the last of repeated values in one map and all in the other', () => {
    expect(delivered(['X-A', '1', 'x-a', '2'])).toEqual([{ 'X-A': '2' }, { 'X-A': ['1', '2'] }]);
  });

  test('fold cookies into one', () => {
    expect(delivered(['cookie', 'a=1', 'Cookie', 'b=2'])).toEqual([
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
  ])('%s is never delivered', (name) => {
    expect(delivered([name, 'x', 'kept', 'y'])[0]).toEqual({ kept: 'y' });
  });

  test('a SigV4 signature is not delivered', () => {
    expect(delivered(['Authorization', 'AWS4-HMAC-SHA256 Credential=…'])[0]).toEqual({});
  });

  test('the gateway overwrites its own', () => {
    expect(delivered(['hOST', 'evil'], [['host', 'api']])).toEqual([
      { Host: 'api' },
      { Host: ['api'] },
    ]);
  });

  test('__proto__ is a name like any other', () => {
    const { headers } = eventHeaders(readFields(['__proto__', 'x']), new Map());
    expect(JSON.stringify(headers)).toBe('{"__proto__":"x"}');
  });

  test('are measured with names, separators and line ends', () => {
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
  ])('%s is remapped', (name) => {
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
  ])('%s is dropped', (name) => {
    expect(responseHeaderName(name)).toBeUndefined();
  });

  test.each([
    'ETag',
    'Last-Modified',
    'Location',
    'Set-Cookie',
    'content-disposition',
    'Content-Encoding',
  ])('%s passes', (name) => {
    expect(responseHeaderName(name)).toBe(name);
  });
});
