import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FunctionError } from '../../src/services/lambda/invoker';
import { until } from '../support/until';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

const FN = functionArn('Fn');
const PRELUDE = `{"statusCode":201,"headers":{"x-a":"b"}}${'\0'.repeat(8)}`;

function useFunction(properties: Record<string, unknown> = {}) {
  const stack = functionStack({ Fn: { Handler: 'streamed.handler', ...properties } });
  const lambda = useLambda(stack, { maxEnvironments: 1 });
  const stream = (event: unknown) => lambda.invokeStream(FN, JSON.stringify(event));
  const read = async (event: unknown) => {
    const { contentType, body } = await stream(event);
    return { contentType, text: (await buffer(body)).toString() };
  };
  return { lambda, stream, read };
}

/** Returns how many bytes are buffered for a reader that does not read, once no more arrive. */
async function fullLength(body: Readable): Promise<number> {
  let seen = -1;
  let unchanged = 0;
  await until(() => {
    unchanged = seen === body.readableLength ? unchanged + 1 : 0;
    seen = body.readableLength;
    return unchanged === 20;
  });
  return seen;
}

const HTTP = 'application/vnd.awslambda.http-integration-response';

test.each<[string, string, string]>([
  ['small', HTTP, `${PRELUDE}hello world`],
  ['plain', 'text/plain', 'no prelude'],
  ['json', 'application/octet-stream', '{"a":1}'],
  // As in AWS, the first write() sends the prelude, end() does not.
  ['endOnly', HTTP, 'body'],
  ['endEmpty', HTTP, ''],
])('returns what a function writes: %s', async (what, contentType, text) => {
  const { read } = useFunction();
  expect(await read({ do: what })).toEqual({ contentType, text });
  // The environment is free again.
  expect((await read({ do: 'plain' })).text).toBe('no prelude');
});

test('a large response arrives complete', async () => {
  const { stream } = useFunction();
  const { body } = await stream({ do: 'big', bytes: 8 * 1024 * 1024 });
  const received = await buffer(body);
  expect(received.length).toBe(8 * 1024 * 1024);
  expect(received.every((byte) => byte === 'z'.charCodeAt(0))).toBe(true);
});

test.each([1000, 64 * 1024, 100_000])(
  'a reader that does not read pauses the function (chunks of %d bytes)',
  async (chunkBytes) => {
    const { stream, read } = useFunction({ Timeout: 20 });
    const bytes = 200 * 100_000;
    const { body } = await stream({ do: 'big', bytes, piece: chunkBytes });
    await once(body, 'readable');

    expect(await fullLength(body)).toBeLessThanOrEqual(512 * 1024);

    const sent = Math.ceil(bytes / chunkBytes) * chunkBytes;
    expect((await buffer(body)).length).toBe(sent);
    expect((await read({ do: 'sent' })).text).toBe(String(sent));
  },
);

test('an empty write does not resume the function when nothing is read', async () => {
  const { stream } = useFunction({ Timeout: 20 });
  const { body } = await stream({ do: 'bigAndEmpty', bytes: 20_000_000 });
  await once(body, 'readable');
  expect(await fullLength(body)).toBeLessThanOrEqual(512 * 1024);
  expect((await buffer(body)).length).toBe(20_000_000);
});

test('a reader that disconnects does not stop the function', async () => {
  const { stream, read } = useFunction({ Timeout: 20 });
  const bytes = 5 * 1024 * 1024;
  const { body } = await stream({ do: 'big', bytes });
  body.destroy();
  expect((await read({ do: 'sent' })).text).toBe(String(bytes));
});

test('the response ends before the function, for which the next invocation waits', async () => {
  const { stream, read } = useFunction();
  await read({ do: 'plain' });
  const begin = performance.now();
  const { body } = await stream({ do: 'endThenWait', milliseconds: 300 });
  expect((await buffer(body)).toString()).toBe('early');
  expect(performance.now() - begin).toBeLessThan(250);
  await read({ do: 'plain' });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(290);
});

test('an invocation rejects when the function fails before the first byte', async () => {
  const { stream } = useFunction();
  const failure = await stream({ do: 'throwBefore' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FunctionError);
  expect(JSON.parse((failure as FunctionError).payload)).toMatchObject({
    errorMessage: 'before the first byte',
  });
});

test.each([
  ['throwAfter', 'after the first byte'],
  ['lateType', 'Cannot set content-type, too late.'],
  ['destroy', 'Runtime.UnhandledPromiseRejection'],
  ['never', 'Task timed out after 1.00 seconds'],
])(
  'the body ends with an error when the function fails after the first byte (%s)',
  async (what, message) => {
    const { stream, read } = useFunction({ Timeout: 1 });
    const outcome = await stream({ do: what })
      .then(({ body }) => buffer(body))
      .catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(FunctionError);
    expect((outcome as FunctionError).payload).toContain(message);
    expect((await read({ do: 'plain' })).text).toBe('no prelude');
  },
);

test('Invoke of a streaming function returns everything that it wrote', async () => {
  const { lambda } = useFunction();
  const { payload, functionError } = await lambda.invoke(FN, JSON.stringify({ do: 'small' }));
  expect({ payload, functionError }).toEqual({
    payload: `${PRELUDE}hello world`,
    functionError: undefined,
  });
  const tooLarge = await lambda.invoke(FN, JSON.stringify({ do: 'big', bytes: 7 * 1024 * 1024 }));
  expect(tooLarge.functionError).toBe('Unhandled');
});

test('InvokeWithResponseStream of a buffered function returns its JSON', async () => {
  const lambda = useLambda(functionStack({ Fn: { Handler: 'buffered.handler' } }));
  const { contentType, body } = await lambda.invokeStream(FN, '{"do":"echo"}');
  expect(contentType).toBe('application/json');
  expect((await buffer(body)).toString()).toBe('{"do":"echo"}');
});
