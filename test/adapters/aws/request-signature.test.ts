import fc from 'fast-check';
import { createRequestSigner, type RequestToSign } from '../../../adapters/aws/request-signature';
import { createSigner } from '../../../adapters/aws/signer';

const credentials = () => ({
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
});

/**
 * "Example: GET Object" of
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
test('the signer signs the example of the S3 documentation', () => {
  const options = { service: 's3', region: 'us-east-1', uriEscapePath: false, credentials };
  const headers = { host: 'examplebucket.s3.amazonaws.com', range: 'bytes=0-9' };
  const request = { method: 'GET', path: '/test.txt', query: {}, headers };

  const signed = createRequestSigner(options)(request, new Date('2013-05-24T00:00:00Z'));

  expect(signed.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const value = fc
  .string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '\t', '"', 'é', ',', '='), maxLength: 12 })
  .filter((one) => one.trim() === one);
const name = fc.constantFrom(
  ...['content-type', 'range', 'if-none-match', 'cache-control', 'expect', 'user-agent'],
  ...['x-amz-target', 'x-amz-meta-a', 'x-amzn-trace-id', 'x-amz-content-sha256', 'content-length'],
);
const request: fc.Arbitrary<RequestToSign> = fc.record(
  {
    method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD'),
    path: fc
      .array(
        text.filter((one) => !['', '.', '..'].includes(one)),
        { maxLength: 4 },
      )
      .map((segments) => `/${segments.map(encodeURIComponent).join('/')}`),
    // The signer of the SDK signs no parameter of this name, which no request of ours has.
    query: fc.dictionary(
      text.filter((one) => one !== '__proto__'),
      text,
      { maxKeys: 4 },
    ),
    headers: fc
      .dictionary(name, value, { maxKeys: 6 })
      .map((headers) => ({ ...headers, host: 'dynamodb.eu-west-1.amazonaws.com' })),
    body: fc.oneof(text, fc.uint8Array({ maxLength: 40 })),
  },
  { requiredKeys: ['method', 'path', 'query', 'headers'] },
);

test('the signer signs any request as the signer of the SDK does', async () => {
  await fc.assert(
    fc.asyncProperty(
      request,
      fc.constantFrom('s3', 'dynamodb', 'execute-api'),
      fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      fc.option(fc.constant('token/+='), { nil: undefined }),
      async (one, service, at, sessionToken) => {
        const options = {
          service,
          region: 'eu-west-1',
          uriEscapePath: service !== 's3',
          credentials: () => ({ ...credentials(), ...(sessionToken && { sessionToken }) }),
        };
        const reference = { protocol: 'https:', hostname: one.headers.host ?? '', ...one };
        const query = { ...one.query };
        const headers = { ...one.headers };
        const expected = await createSigner(options).sign(
          { ...reference, query, headers },
          { signingDate: at },
        );
        expect(createRequestSigner(options)(one, at)).toEqual(expected.headers);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('the signer follows credentials that change, and the day', async () => {
  let secretAccessKey = 'first';
  const options = {
    service: 'dynamodb',
    region: 'eu-west-1',
    credentials: () => ({ accessKeyId: 'a', secretAccessKey }),
  };
  const sign = createRequestSigner(options);
  const one = { method: 'POST', path: '/a%20b', query: {}, headers: { host: 'h' }, body: '{}' };
  for (const [secret, time] of [
    ['first', '2026-01-01T23:59:59.999Z'],
    ['first', '2026-01-02T00:00:00.000Z'],
    ['second', '2026-01-02T00:00:00.000Z'],
    ['first', '2026-01-01T23:59:59.999Z'],
  ] as const) {
    secretAccessKey = secret;
    const at = new Date(time);
    const reference = { ...one, protocol: 'https:', hostname: 'h' };
    const { headers } = await createSigner(options).sign(reference, { signingDate: at });
    expect(sign(one, at).authorization).toBe(headers.authorization);
  }
});

test('the signer signs the values of headers without outer and repeated white space', () => {
  const options = { service: 's3', region: 'eu-west-1', credentials };
  const sign = createRequestSigner(options);
  const at = new Date('2026-01-01T00:00:00Z');
  const signedWith = (given: string) => {
    const headers = { host: 'h', 'x-amz-meta-a': given };
    const signed = sign({ method: 'GET', path: '/', query: {}, headers }, at);
    expect(signed['x-amz-meta-a']).toBe(given);
    return signed.authorization;
  };
  const expected = signedWith('a b c');
  for (const given of [' a b c', 'a b c ', '  a  b   c  ', 'a\tb\r\nc', '\ta b c\t']) {
    expect(signedWith(given)).toBe(expected);
  }
  expect(signedWith(' \t ')).toBe(signedWith(''));
  expect(signedWith('ab c')).not.toBe(expected);
});

test('the signer signs now, with the credentials of the environment, when it has no others', () => {
  const original = { ...process.env };
  Object.assign(process.env, {
    ...{ AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' },
  });
  try {
    const sign = createRequestSigner({ service: 's3', region: 'eu-west-1' });
    const before = Date.now();
    const signed = sign({ method: 'GET', path: '/', query: {}, headers: { host: 'h' } });
    const time = String(signed['x-amz-date']);
    const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
    const [year = 0, month = 0, ...rest] = parts.map(Number);
    const at = Date.UTC(year, month - 1, ...rest);
    expect(at).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(signed.authorization).toContain(`Credential=own/${time.slice(0, 8)}/eu-west-1/s3/`);
    expect(signed['x-amz-security-token']).toBe('token');
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, original);
  }
});
