/** The payload of an invocation, value by value, and of its response. */
import { Readable } from 'node:stream';
import { createInternal } from '../../../lambdas/internal/app';
import { aliasIn, parseGrants } from '../../../lambdas/internal/grants';
import { internalResponse, parseRequest } from '../../../lambdas/internal/payload';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { invoke } from '../../support/invocations';
import { EVERYTHING } from '../../support/requests';
import { openWorld } from './world';

const GET = { method: 'GET', path: '/x' };
const parse = (more: object = {}) => parseRequest({ ...GET, ...more }, 'request-1');
const refusedAt = (field: string, rule: unknown = expect.any(String)) =>
  expect.objectContaining({ code: 'invalid_request', details: { field, rule } });

const EVENT = {
  ...{ httpMethod: 'GET', path: '/x', headers: {}, multiValueHeaders: {} },
  ...{ multiValueQueryStringParameters: {}, body: null, isBase64Encoded: false },
  requestContext: { requestId: 'request-1' },
};

test.each([{}, { query: null, headers: null, body: null }, { isBase64: true }])(
  'a payload with no more than %j is a request without a query, headers and a body',
  (more) => {
    expect(parse(more)).toEqual(EVENT);
  },
);

test('a payload is a request with all that it has', () => {
  const query = { prefix: 'a b', limit: '' };
  const headers = { 'Content-Type': ' a/b\t', Range: '' };
  expect(parse({ query, headers, body: 'caf\u00e9' })).toEqual({
    ...EVENT,
    multiValueQueryStringParameters: { prefix: ['a b'], limit: [''] },
    headers: { 'content-type': 'a/b', range: '' },
    body: 'caf\u00e9',
  });
  const bytes = parse({ body: 'YQ==', isBase64: true });
  expect(bytes).toEqual({ ...EVENT, body: 'YQ==', isBase64Encoded: true });
});

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${n}`, '']));

test.each([
  { method: 'A'.repeat(16) },
  { path: `/${'a'.repeat(2047)}` },
  { path: '/%C3%A4"$>@~' },
  { headers: many(200) },
  { headers: { a: 'b'.repeat(10_239) } },
  { query: { a: 'b'.repeat(10_239) } },
  { headers: { [`${'x'.repeat(255)}~`]: '\t ~' } },
  { body: 'ab+/', isBase64: true },
  { body: 'a*b' },
])('a payload with its largest values is a request', (more) => {
  expect(parse(more)).toMatchObject({ requestContext: { requestId: 'request-1' } });
});

test.each<[object, string]>([
  [{ method: 'A'.repeat(17) }, 'method'],
  [{ method: 'xGET' }, 'method'],
  [{ method: 'GET ' }, 'method'],
  [{ method: '' }, 'method'],
  [{ path: `/${'a'.repeat(2048)}` }, 'path'],
  [{ path: 'x/' }, 'path'],
  [{ path: '/ ' }, 'path'],
  [{ headers: many(201) }, 'headers'],
  [{ headers: { a: 'b'.repeat(10_240) } }, 'headers'],
  [{ headers: { a: 'b'.repeat(5_000), c: 'd'.repeat(5_300) } }, 'headers'],
  [{ query: { a: 'b'.repeat(10_240) } }, 'query'],
  [{ headers: { 'a b': 'c' } }, 'headers.a b'],
  [{ headers: { '': 'c' } }, 'headers.'],
  [{ headers: { ['x'.repeat(257)]: 'c' } }, `headers.${'x'.repeat(257)}`],
  [{ headers: { a: 'b\u007f' } }, 'headers.a'],
  [{ headers: { a: '\u00e9b' } }, 'headers.a'],
  [{ headers: { a: '1', A: '2' } }, 'headers.A'],
  [{ query: { '\ud800': 'x' } }, 'query.\ud800'],
  [{ body: '*aaa', isBase64: true }, 'body'],
  [{ body: 'aaa*', isBase64: true }, 'body'],
  [{ body: 'a===', isBase64: true }, 'body'],
  [{ isBase64: null }, 'isBase64'],
])('the payload %j is refused', (more, field) => {
  expect(() => parse(more)).toThrow(refusedAt(field));
});

test.each(['method', 'path'])('a payload without %s is refused because it is required', (field) => {
  expect(() => parse({ [field]: undefined })).toThrow(refusedAt(field, 'is required'));
});

describe('the payload of a response', () => {
  const payload = (body?: string | Uint8Array | Readable) =>
    internalResponse({ status: 201, headers: { a: 'b' }, body });
  const head = { status: 201, headers: { a: 'b' } };
  const MiB = 1024 * 1024;

  test('has a text as it is, bytes as base64, and no body when there is none', async () => {
    expect(await payload()).toEqual({ ...head, isBase64: false });
    expect(await payload('')).toEqual({ ...head, body: '', isBase64: false });
    expect(await payload('caf\u00e9')).toEqual({ ...head, body: 'caf\u00e9', isBase64: false });
    const bytes = { ...head, body: 'AP8=', isBase64: true };
    expect(await payload(Buffer.from([0, 255]))).toEqual(bytes);
    expect(await payload(Readable.from([Buffer.from([0]), Buffer.from([255])]))).toEqual(bytes);
  });

  test.each<[string, string, boolean]>([
    ['a text', 'x'.repeat(MiB), false],
    ['quotes, which take two bytes each', '"'.repeat(MiB), true],
    ['fewer quotes', '"'.repeat(MiB - 1), false],
    [
      'as many quotes as take the bytes of base64',
      `${'"'.repeat(MiB - 2)}${'x'.repeat(2 * MiB + 2)}`,
      false,
    ],
    ['a quote more', `${'"'.repeat(MiB - 1)}${'x'.repeat(2 * MiB + 1)}`, true],
  ])('of a megabyte has %s in the shorter way', async (_what, text, isBase64) => {
    const response = await payload(text);
    expect(response.isBase64).toBe(isBase64);
    const body = Buffer.from(response.body ?? '', isBase64 ? 'base64' : 'utf8');
    expect(body.equals(Buffer.from(text))).toBe(true);
  });
});

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:internal';

test.each([
  [ARN, undefined],
  [`${ARN}:read`, 'read'],
  [`${ARN}:read:x`, undefined],
])('the alias in %s is %s', (arn, alias) => {
  expect(aliasIn(arn)).toBe(alias);
});

test('the grants of a stack are permissions by alias', () => {
  const permissions = [{ buckets: ['*'], actions: ['read'] }];
  expect([...parseGrants(JSON.stringify({ a: permissions, b: permissions }))]).toEqual([
    ['a', permissions],
    ['b', permissions],
  ]);
  for (const value of ['[]', 'null', '1', '"x"']) {
    expect(() => parseGrants(value)).toThrow('GRANTS');
  }
});

test('an invocation is measured with its principal, and logged with its time', async () => {
  const reports: unknown[] = [];
  class ReportingMeter extends FakeMeter {
    override report(about?: object): boolean {
      reports.push(about);
      return true;
    }
  }
  const { deps } = openWorld();
  const clock = { now: () => deps.clock.now(), sleep: async () => undefined };
  const buckets = Object.assign(Object.create(deps.buckets), {
    list: async () => {
      deps.clock.advance(7);
      return { items: [], more: false };
    },
  });
  const meter = new ReportingMeter();
  const internal = createInternal(
    { ...deps, buckets, clock, meter },
    new Map([['all', EVERYTHING]]),
  );
  expect((await invoke(internal, 'all', { path: '/buckets' })).status).toBe(200);
  expect(reports).toEqual([{ requestId: 'request-1', principal: 'all', status: 200 }]);
  expect(meter.counted).toMatchObject([{ metric: 'Latency', of: 'listBuckets' }]);
  expect(deps.log.lines.at(-1)?.fields).toMatchObject({ milliseconds: 7, principal: 'all' });
});
