/** How responses leave a function: on a stream as that of AWS's runtime, and in whole. */
import { Readable, Writable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { createHandler } from '../../../../lambdas/shared/http/carrier';
import type { HttpResponse } from '../../../../lambdas/shared/http/response';
import { FakeLog } from '../../../support/fakes/fake-log';
import { FakeMeter } from '../../../support/fakes/fake-meter';
import { restEvent } from '../../../support/requests';

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
  const deps = { log: new FakeLog(), meter: new FakeMeter() };
  const stream = new RuntimeStream();
  const handler = createHandler(async () => response, mode, deps) as (
    event: APIGatewayProxyEvent,
    stream: RuntimeStream,
  ) => Promise<unknown>;
  const outcome = await handler(event, stream).catch((error: unknown) => error);
  return { ...deps, stream, outcome, text: Buffer.concat(stream.chunks).toString() };
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
  const { outcome, log, meter } = await carry(
    { status: 200, headers: {}, body: broken() },
    'buffered',
  );
  expect(outcome).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
  expect(log.lines.map(({ event: name }) => name)).toEqual(['response_cut']);
  expect(meter.sum('CutResponses')).toBe(1);
});
