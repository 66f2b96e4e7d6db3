/** How responses leave a function: on a stream as that of AWS's runtime, and in whole. */
import { Readable, Writable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createHandler, parseResponseMode } from '../../../lambdas/runtime/http-handler';
import { type HttpResponse, jsonResponse, withoutBody } from '../../../service/http/response';
import { FakeLog } from '../../support/fakes/fake-log';
import { FakeMeter } from '../../support/fakes/fake-meter';
import { restEvent } from '../../support/requests';

const event = restEvent({ path: '/buckets' });

/**
 * A stream as of AWS's runtime client: the first write sends the metadata, and an end without a
 * write does not.
 */
class RuntimeStream extends Writable {
  metadata: unknown;
  readonly chunks: Buffer[] = [];
  private prelude: unknown;
  private began = false;

  setContentType(): void {}

  beginWith(prelude: unknown): this {
    this.prelude = prelude;
    return this;
  }

  override write(...parts: unknown[]): boolean {
    if (!this.began) this.metadata = this.prelude;
    this.began = true;
    return (super.write as (...all: unknown[]) => boolean).apply(this, parts);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
}

beforeAll(() => {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: unknown) => handler,
      HttpResponseStream: {
        from: (stream: RuntimeStream, prelude: unknown) => stream.beginWith(prelude),
      },
    },
  });
});

async function carry(response: HttpResponse, mode: 'stream' | 'buffered' = 'stream') {
  const reports: unknown[] = [];
  class ReportingMeter extends FakeMeter {
    override report(about?: object): boolean {
      reports.push(about);
      return true;
    }
  }
  const deps = { log: new FakeLog(), meter: new ReportingMeter() };
  const stream = new RuntimeStream();
  const handler = createHandler(async () => response, mode, deps) as (
    event: APIGatewayProxyEvent,
    stream: RuntimeStream,
  ) => Promise<unknown>;
  const outcome = await handler(event, stream).catch((error: unknown) => error);
  return { ...deps, reports, stream, outcome, text: Buffer.concat(stream.chunks).toString() };
}

const broken = () =>
  Readable.from(
    (async function* () {
      yield Buffer.from('begun');
      throw new Error('S3 hung up');
    })(),
  );

test.each([
  ['a HEAD', 200, undefined],
  ['a 204', 204, undefined],
  ['a 304', 304, undefined],
  ['a 307', 307, undefined],
  ['a 308', 308, undefined],
  ['an empty object', 200, ''],
  ['an empty stream', 200, Readable.from([])],
])(
  '%s sends its status and headers on a stream without a byte of body',
  async (_, status, body) => {
    const { stream, text } = await carry({ status, headers: { ETag: '"e"' }, body });
    expect(stream.metadata).toMatchObject({ statusCode: status, headers: { ETag: '"e"' } });
    expect([text, stream.writableFinished]).toEqual(['', true]);
  },
);

test('a body that fails on a stream rejects, leaves the stream to the runtime, and is reported once', async () => {
  const { stream, outcome, text, log, meter } = await carry({
    status: 200,
    headers: {},
    body: broken(),
  });
  expect(outcome).toMatchObject({ message: 'S3 hung up' });
  expect(text).toBe('begun');
  expect([stream.destroyed, stream.writableEnded]).toEqual([false, false]);
  expect(log.lines.map(({ event: name }) => name)).toEqual(['response_cut']);
  expect(meter.sum('CutResponses')).toBe(1);
});

test('a body that fails before a buffered response returns 503, and is reported once', async () => {
  const { outcome, log, meter, reports } = await carry(
    { status: 200, headers: {}, body: broken() },
    'buffered',
  );
  expect(outcome).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
  const fields = { requestId: 'request-1', error: new Error('S3 hung up') };
  expect(log.lines).toEqual([{ level: 'error', event: 'response_cut', fields }]);
  expect(meter.counted).toEqual([{ metric: 'CutResponses', amount: 1 }]);
  expect(reports).toEqual([{ requestId: 'request-1' }]);
});

test.each<[string, HttpResponse['body'], object]>([
  ['no body', undefined, { body: '' }],
  ['an empty text', '', { body: '' }],
  ['a text', 'caf\u00e9', { body: 'caf\u00e9' }],
  ['bytes', Buffer.from([0, 255]), { body: 'AP8=', isBase64Encoded: true }],
  ['a stream', Readable.from([Buffer.from('ab')]), { body: 'YWI=', isBase64Encoded: true }],
])('a buffered response with %s is a result of a proxy integration', async (_what, body, rest) => {
  const { outcome } = await carry({ status: 201, headers: { ETag: '"e"' }, body }, 'buffered');
  expect(outcome).toEqual({ statusCode: 201, headers: { ETag: '"e"' }, ...rest });
});

test.each<[string, HttpResponse['body'], object, string]>([
  ['no body', undefined, {}, ''],
  ['a text', 'caf\u00e9', { 'Content-Length': '5' }, 'caf\u00e9'],
  ['bytes', Buffer.from('ab'), { 'Content-Length': '2' }, 'ab'],
  ['a stream', Readable.from([Buffer.from('ab')]), {}, 'ab'],
])('a streamed response with %s has its bytes, and its length if known', async (...row) => {
  const [, body, length, sent] = row;
  const { stream, text } = await carry({ status: 201, headers: { ETag: '"e"' }, body });
  expect(stream.metadata).toEqual({ statusCode: 201, headers: { ETag: '"e"', ...length } });
  expect([text, stream.writableFinished]).toEqual([sent, true]);
});

test.each(['stream', 'buffered'])('%s is a response mode', (mode) => {
  expect(parseResponseMode(mode)).toBe(mode);
});

test.each(['', 'streams', 'Buffered'])('%j is no response mode', (mode) => {
  expect(() => parseResponseMode(mode)).toThrow('RESPONSE_MODE');
});

test('a JSON response ends with a newline, is not stored, and cannot run as a page', () => {
  const { status, headers, body } = jsonResponse(201, { a: 1 }, { ETag: '"e"' });
  expect([status, body]).toEqual([201, '{"a":1}\n']);
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    ETag: '"e"',
  });
});

test.each<[string, HttpResponse['body'], object]>([
  ['no body', undefined, {}],
  ['a text', 'caf\u00e9', { 'Content-Length': '5' }],
  ['bytes', Buffer.from('ab'), {}],
  ['a stream', Readable.from(['ab']), {}],
])(
  'a response to HEAD with %s has the headers that it had, without a body',
  (_what, body, more) => {
    const headers = { ETag: '"e"' };
    expect(withoutBody({ status: 200, headers, body })).toEqual({
      ...{ status: 200, headers: { ...headers, ...more } },
    });
    const known = withoutBody({ status: 200, headers: { 'Content-Length': '9' }, body });
    expect(known.headers).toEqual({ 'Content-Length': '9' });
  },
);
