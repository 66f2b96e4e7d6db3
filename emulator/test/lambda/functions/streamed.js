const { once } = require('node:events');
const { existsSync } = require('node:fs');
const { pipeline } = require('node:stream/promises');
const { Readable } = require('node:stream');
const { HttpResponseStream } = awslambda;
const PRELUDE = { statusCode: 201, headers: { 'x-a': 'b' } };

const doings = {
  small: async (_, stream) => {
    const response = HttpResponseStream.from(stream, PRELUDE);
    response.write('hello ');
    response.write(Buffer.from('world'));
    response.end();
  },
  plain: async (_, stream) => {
    stream.setContentType('text/plain');
    stream.end('no prelude');
  },
  json: async (_, stream) => {
    stream.write({ a: 1 });
    stream.end();
  },
  endOnly: async (_, stream) => HttpResponseStream.from(stream, PRELUDE).end('body'),
  endEmpty: async (_, stream) => HttpResponseStream.from(stream, PRELUDE).end(),
  lateType: async (_, stream) => {
    stream.write('x');
    stream.setContentType('text/plain');
  },
  throwBefore: async () => {
    throw new Error('before the first byte');
  },
  throwAfter: async (_, stream) => {
    stream.write('first');
    throw new Error('after the first byte');
  },
  big: async (event, stream) => {
    const chunk = Buffer.alloc(event.piece ?? 64 * 1024, 'z');
    await pipeline(
      Readable.from(
        (function* () {
          for (let sent = 0; sent < event.bytes; sent += chunk.length) {
            globalThis.sent = sent + chunk.length;
            yield chunk;
          }
        })(),
      ),
      stream,
    );
  },
  // Writes nothing between any two pieces, in a turn of its own.
  bigAndEmpty: async (event, stream) => {
    const chunk = Buffer.alloc(50_000, 'z');
    for (let sent = 0; sent < event.bytes; sent += chunk.length) {
      if (!stream.write(chunk)) await once(stream, 'drain');
      await new Promise(setImmediate);
      stream.write('');
    }
    stream.end();
  },
  // Each piece only once the client has had the one before: the test then makes the file of that
  // name.
  inSteps: async (event, stream) => {
    const response = HttpResponseStream.from(stream, PRELUDE);
    for (const step of ['head', 'one', 'two', 'three']) {
      if (step === 'two') response.write(Buffer.alloc(100_000, '.'));
      response.write(step === 'head' ? '' : step);
      while (!existsSync(`${event.folder}/${step}`)) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }
    response.end();
  },
  sent: async (_, stream) => stream.end(String(globalThis.sent)),
  endThenWait: async (event, stream) => {
    stream.write('early');
    stream.end();
    await new Promise((resolve) => setTimeout(resolve, event.milliseconds));
  },
  destroy: async (_, stream) => {
    stream.write('x');
    stream.destroy();
  },
  never: async (_, stream) => {
    stream.write('begun');
    await new Promise(() => {});
  },
};
/** Runs behind a gateway. The query of the event names the action. */
exports.behindGateway = awslambda.streamifyResponse(async (event, stream) =>
  doings[event.queryStringParameters.do](event.queryStringParameters, stream),
);
exports.handler = awslambda.streamifyResponse(async (event, stream, context) =>
  doings[event.do](event, stream, context),
);
