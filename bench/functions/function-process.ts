/**
 * A process that runs the handler of one bundle as Lambda's runtime would, and measures it. The
 * path of the bundle is in BUNDLE.
 */
import { randomBytes } from 'node:crypto';
import { PerformanceObserver } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import { BASE_PATH } from '../../service/routes/routes';
import { serve } from '../remote';
import { median } from '../statistics';
import type { HandlerOperation } from './operations';

const STREAMS = Symbol('streams');

type Handler = ((event: unknown, stream?: ResponseSink) => Promise<unknown>) & {
  [STREAMS]?: true;
};

/** The stream of a streaming handler: counts what it is sent. */
class ResponseSink extends Writable {
  status = 0;
  bytes = 0;

  override _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
    this.bytes += chunk.length;
    callback();
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => Object.assign(handler, { [STREAMS]: true }),
    HttpResponseStream: {
      from: (sink: ResponseSink, { statusCode }: { readonly statusCode: number }) =>
        Object.assign(sink, { status: statusCode }),
    },
  },
});

/** Microseconds of the processor, user and system, of all threads of this process. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const began = processorTime();
const { handler } = require(process.env.BUNDLE ?? '') as { readonly handler: Handler };
const load = (processorTime() - began) / 1000;

interface Invocation {
  readonly operation: HandlerOperation;
  /** Of the authorizer. */
  readonly context: Readonly<Record<string, unknown>>;
}

const bodies = new Map<number, string>();
const run = randomBytes(4).toString('hex');
let invocations = 0;

function bodyOf({ body }: HandlerOperation): string | null {
  if (body === undefined) return null;
  if (typeof body !== 'number') return Buffer.from(JSON.stringify(body)).toString('base64');
  const known = bodies.get(body) ?? randomBytes(body).toString('base64');
  bodies.set(body, known);
  return known;
}

/** The headers that a client and the edge send. */
const HEADERS = {
  Accept: '*/*',
  'Accept-Encoding': 'gzip, deflate, br',
  Authorization: `Bearer ${process.env.STOWAGE_KEY}`,
  'Content-Type': 'application/octet-stream',
  Host: 'storage.example.com',
  'User-Agent': 'stowage-bench',
  Via: '2.0 0123456789abcdef.cloudfront.net (CloudFront)',
  'X-Amz-Cf-Id': 'F2Ow8yFqGZ1FQF8Yxv5dF1pE6mJc8xQ2V0b8g3l4T2oYzPzHh1s9Aw==',
  'X-Amzn-Trace-Id': 'Root=1-65a1b2c3-0123456789abcdef01234567',
  'X-Forwarded-For': '203.0.113.7, 203.0.113.8',
  'X-Forwarded-Port': '443',
  'X-Forwarded-Proto': 'https',
};

const eachAsList = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

function eventOf({ operation, context }: Invocation, number: number): unknown {
  const { method, path, query } = operation;
  return {
    resource: '/{proxy+}',
    path: BASE_PATH + path.replace('{n}', `${run}-${number}`),
    httpMethod: method,
    headers: HEADERS,
    multiValueHeaders: eachAsList(HEADERS),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query ? eachAsList(query) : null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { requestId: `bench-${number}`, httpMethod: method, authorizer: context },
    body: bodyOf(operation),
    isBase64Encoded: operation.body !== undefined,
  };
}

/** Resolves with the handler's result. */
function authorize(): Promise<unknown> {
  const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/objects';
  return handler({ type: 'TOKEN', authorizationToken: HEADERS.Authorization, methodArn });
}

/** Throws when the handler answers with another status than that of the operation. */
async function invoke(invocation: Invocation, number: number): Promise<void> {
  const { name, handler: from, status } = invocation.operation;
  if (from === 'authorizer') {
    await authorize();
    return;
  }
  const sink = new ResponseSink();
  await handler(eventOf(invocation, number), sink);
  if (sink.status !== status || (name.startsWith('GET 4') && sink.bytes !== 4_194_304)) {
    throw new Error(`${name} returned ${sink.status} and ${sink.bytes} bytes`);
  }
}

/** Returns the numbers of the next invocations. */
async function prepare(invocation: Invocation, count: number): Promise<readonly number[]> {
  const numbers = Array.from({ length: count }, () => ++invocations);
  if (!invocation.operation.createsFirst) return numbers;
  const put = { ...invocation.operation, method: 'PUT', body: 16, status: 201 } as const;
  for (const number of numbers) await invoke({ ...invocation, operation: put }, number);
  return numbers;
}

interface Round extends Invocation {
  readonly count: number;
}

/** When garbage collections began. */
const collections: number[] = [];
new PerformanceObserver((list) => {
  collections.push(...list.getEntries().map(({ startTime }) => startTime));
}).observe({ entryTypes: ['gc'] });

/** The observer is notified of a collection some turns of the event loop later. */
const OBSERVED_TURNS = 5;

/** Invocations that are measured as one. Those with large buffers are measured one by one. */
const TOGETHER = 5;
const LARGE_COUNT = 20;

const methods = {
  /** The context that the authorizer gives to the other functions. */
  authorize: async (): Promise<Readonly<Record<string, unknown>>> => {
    const { context } = (await authorize()) as { readonly context: Record<string, unknown> };
    return context;
  },

  /** Milliseconds of processor time, of loading the bundle and of the first invocation. */
  cold: async (
    invocation: Invocation,
  ): Promise<{ readonly load: number; readonly first: number }> => {
    const before = processorTime();
    await invoke(invocation, 0);
    return { load, first: (processorTime() - before) / 1000 };
  },

  /** Milliseconds of processor time of an invocation, of one after another. */
  processorTime: async ({ count, ...invocation }: Round): Promise<number> => {
    const numbers = await prepare(invocation, count);
    const before = processorTime();
    for (const number of numbers) await invoke(invocation, number);
    return (processorTime() - before) / 1000 / count;
  },

  /** Bytes of heap and buffers that an invocation allocates. Needs `global.gc`. */
  allocated: async ({ count, ...invocation }: Round): Promise<number> => {
    const samples: number[] = [];
    const together = count > LARGE_COUNT ? TOGETHER : 1;
    for (let left = count; left > 0; left -= together) {
      const numbers = await prepare(invocation, together);
      global.gc?.();
      const began = performance.now();
      const before = process.memoryUsage();
      for (const number of numbers) await invoke(invocation, number);
      const after = process.memoryUsage();
      for (let turn = 0; turn < OBSERVED_TURNS; turn++) await new Promise(setImmediate);
      if (collections.some((time) => time > began)) continue;
      const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      samples.push(bytes / together);
    }
    return median(samples);
  },
};

export type FunctionProcess = typeof methods;

serve(methods);
