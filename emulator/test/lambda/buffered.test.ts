import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { canSplit, isLarger } from '../../src/services/lambda/payload';
import { UserError } from '../../src/user-error';
import { cleanUp, functionArn, functionStack, until, useFolder, useLambda } from './service';

afterEach(cleanUp);

const FN = functionArn('Fn');
const handler = { Handler: 'buffered.handler' };

function useFunction(properties: Record<string, unknown> = {}, options = {}) {
  const lambda = useLambda(functionStack({ Fn: { ...handler, ...properties } }), options);
  const call = async (event: unknown) => {
    const { payload, functionError } = await lambda.invoke(FN, JSON.stringify(event));
    return { answer: JSON.parse(payload), functionError };
  };
  return { lambda, call };
}

test('answers what the handler resolves to', async () => {
  const { call } = useFunction();
  const event = { do: 'echo', text: 'ä\u0000€', list: [1, null] };
  expect(await call(event)).toEqual({ answer: event, functionError: undefined });
  expect(await call({ do: 'nothing' })).toEqual({ answer: null, functionError: undefined });
});

test.each([
  ['buffered.synchronous', { got: {} }],
  ['buffered.nested.handler', 'nested'],
])('runs the handler %s', async (name, expected) => {
  const { call } = useFunction({ Handler: name });
  expect((await call({})).answer).toEqual(expected);
});

test('joins the bytes of a large body to the event, as base64', async () => {
  const { lambda } = useFunction({ MemorySize: 512 });
  const bytes = Buffer.allocUnsafeSlow(200_000).fill('a\0\u00ff');
  const body = bytes.toString('base64');
  const text = JSON.stringify({ do: 'echo', before: 'ä', body: null, after: 1 });
  expect(canSplit(bytes)).toBe(true);
  if (!canSplit(bytes)) return;

  const { payload } = await lambda.invoke(FN, { text, body: bytes });

  expect(JSON.parse(payload)).toEqual({ do: 'echo', before: 'ä', body, after: 1 });
  expect(bytes).toHaveLength(0);
});

test.each([
  ['few bytes', Buffer.allocUnsafeSlow(1000)],
  ['bytes beside others', Buffer.alloc(200_000).subarray(1)],
])('does not give away %s', (_what, bytes) => {
  expect(canSplit(bytes)).toBe(false);
});

test('counts a body in bytes as the base64 that AWS would be sent', () => {
  const body = Buffer.alloc(100_000);
  const text = '{"body":null}';
  const asSent = JSON.stringify({ body: body.toString('base64') }).length;
  expect(canSplit(body) && isLarger({ text, body }, asSent)).toBe(false);
  expect(canSplit(body) && isLarger({ text, body }, asSent - 1)).toBe(true);
});

test('keeps an environment for the next invocation, and module state with it', async () => {
  const { call } = useFunction();
  expect((await call({ do: 'count' })).answer).toBe(1);
  expect((await call({ do: 'count' })).answer).toBe(2);
});

test('gives the function its own variables and those of Lambda, nothing of this process', async () => {
  process.env.LEAK = 'of the developer';
  const { call } = useFunction({ Environment: { Variables: { TABLE: 'photos', COUNT: 3 } } });

  const { answer } = await call({ do: 'env' });

  delete process.env.LEAK;
  expect(answer).toMatchObject({
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:2',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: 'Fn',
    AWS_REGION: 'us-east-1',
    COUNT: '3',
    LAMBDA_TASK_ROOT: join(__dirname, 'functions'),
    TABLE: 'photos',
    _HANDLER: 'buffered.handler',
  });
  expect(answer.AWS_ACCESS_KEY_ID).toMatch(/^ASIA/);
  expect(answer).not.toHaveProperty('LEAK');
  expect(Object.keys(answer).filter((name) => /npm|NODE/.test(name))).toEqual([]);
});

test('gives the handler a context', async () => {
  const { call } = useFunction({ Timeout: 7, MemorySize: 256 });
  const { answer } = await call({ do: 'context' });
  expect(answer).toMatchObject({
    functionName: 'Fn',
    invokedFunctionArn: FN,
    memoryLimitInMB: '256',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(answer.remaining).toBeGreaterThan(5000);
  expect(answer.remaining).toBeLessThanOrEqual(7000);
});

test.each<[string, Record<string, unknown>]>([
  ['throw', { errorType: 'RangeError', errorMessage: 'out of range', trace: expect.any(Array) }],
  ['throwText', { errorType: 'string', errorMessage: 'just text', trace: [] }],
])(
  'answers the error of a function that does: %s; the environment lives on',
  async (what, error) => {
    const { call } = useFunction();
    await call({ do: 'count' });
    expect(await call({ do: what })).toEqual({ answer: error, functionError: 'Unhandled' });
    expect((await call({ do: 'count' })).answer).toBe(2);
  },
);

test.each<[Record<string, unknown>, string, string]>([
  [{ do: 'exit', code: 3 }, 'Runtime.ExitError', 'Runtime exited with error: exit status 3'],
  [{ do: 'exit', code: 0 }, 'Runtime.ExitError', 'Runtime exited without providing a reason'],
  [{ do: 'uncaught' }, 'TypeError', 'later'],
  [{ do: 'unhandled' }, 'Error', 'nobody caught it'],
  [{ do: 'allocate' }, 'Runtime.ExitError', 'signal: killed'],
])(
  'a function that crashes by %j fails, and gets a fresh environment',
  async (event, type, message) => {
    const { call } = useFunction({ Timeout: 30, MemorySize: 128 });
    await call({ do: 'count' });

    const { answer, functionError } = await call(event);

    expect(functionError).toBe('Unhandled');
    expect(answer.errorType).toBe(type);
    expect(answer.errorMessage).toContain(message);
    expect((await call({ do: 'count' })).answer).toBe(1);
  },
  30_000,
);

test.each(['never', 'spin'])('a function that does %s is ended at its timeout', async (what) => {
  const { call } = useFunction({ Timeout: 1 });
  await call({ do: 'count' });

  const { answer, functionError } = await call({ do: what });

  expect(functionError).toBe('Unhandled');
  expect(answer.errorType).toBe('Sandbox.Timedout');
  expect(answer.errorMessage).toMatch(
    /^RequestId: [0-9a-f-]{36} Error: Task timed out after 1.00 seconds$/,
  );
  expect((await call({ do: 'count' })).answer).toBe(1);
});

test.each([
  ['broken.handler', 'SyntaxError', 'cannot be loaded'],
  ['missing.handler', 'Runtime.ImportModuleError', "Cannot find module 'missing'"],
  ['buffered.missing', 'Runtime.HandlerNotFound', 'buffered.missing is undefined or not exported'],
  ['buffered.callback', 'Runtime.CallbackHandlerDeprecated', 'callback'],
])(
  'each invocation of a function that cannot be loaded (%s) learns why',
  async (name, type, message) => {
    const { call } = useFunction({ Handler: name });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { answer, functionError } = await call({});
      expect(functionError).toBe('Unhandled');
      expect(answer.errorType).toBe(type);
      expect(answer.errorMessage).toContain(message);
    }
  },
);

test('runs one invocation at a time in an environment, more side by side, up to the limit', async () => {
  const { call } = useFunction({}, { maxEnvironments: 2 });
  const begin = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => call({ do: 'slow', milliseconds: 100 })));
  expect(performance.now() - begin).toBeGreaterThanOrEqual(290);

  const counts = await Promise.all(Array.from({ length: 10 }, () => call({ do: 'count' })));
  // Two environments, each counting for itself.
  expect(counts.filter(({ answer }) => answer === 1).length).toBeLessThanOrEqual(2);
  expect(counts).toHaveLength(10);
});

test('starts more environments than processors only when none gets free', async () => {
  const prompt = availableParallelism();
  const { call } = useFunction({}, { maxEnvironments: prompt + 1 });
  const slow = Array.from({ length: prompt }, () => call({ do: 'slow', milliseconds: 2000 }));
  const begin = performance.now();

  expect((await call({ do: 'count' })).answer).toBe(1);

  expect(performance.now() - begin).toBeLessThan(1900);
  await Promise.all(slow);
});

test('throttles at the reserved concurrency', async () => {
  const { call } = useFunction({ ReservedConcurrentExecutions: 1 });
  const slow = call({ do: 'slow', milliseconds: 200 });
  await expect(call({ do: 'echo' })).rejects.toMatchObject({ code: 'TooManyRequestsException' });
  await slow;
  expect((await call({ do: 'echo' })).functionError).toBeUndefined();
});

test('ends an environment that has had nothing to do', async () => {
  const { call } = useFunction({}, { idleTimeout: 30 });
  expect((await call({ do: 'count' })).answer).toBe(1);
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return (await call({ do: 'count' })).answer === 1;
  });
});

test('refuses what is larger than Lambda takes, and fails what is larger than it answers', async () => {
  const { call } = useFunction({ MemorySize: 512 });
  await expect(call({ do: 'echo', text: 'x'.repeat(6_291_456) })).rejects.toMatchObject({
    code: 'RequestTooLargeException',
  });
  const fits = await call({ do: 'large', length: 6_291_554 });
  expect(fits.functionError).toBeUndefined();
  const tooLarge = await call({ do: 'large', length: 6_291_555 });
  expect(tooLarge.functionError).toBe('Unhandled');
  expect(tooLarge.answer.errorType).toBe('Function.ResponseSizeTooLarge');
});

test('refuses an unknown function, and a service without permission', async () => {
  const permission = (properties: Record<string, unknown>) => ({
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: 'lambda:InvokeFunction', ...properties },
  });
  const stack = functionStack(
    { Fn: handler, Other: handler },
    {
      P: permission({
        FunctionName: { Ref: 'Fn' },
        Principal: 's3.amazonaws.com',
        SourceArn: 'arn:aws:s3:::photos*',
      }),
    },
  );
  const lambda = useLambda(stack);
  const s3 = (bucket: string) =>
    ({ service: 's3.amazonaws.com', arn: `arn:aws:s3:::${bucket}` }) as const;
  const payload = JSON.stringify({ do: 'echo' });

  await expect(lambda.invoke(functionArn('Nobody'), payload)).rejects.toMatchObject({
    code: 'ResourceNotFoundException',
  });
  expect((await lambda.invoke(FN, payload, s3('photos-1'))).payload).toBe(payload);
  const refused = { code: 'AccessDeniedException' };
  await expect(lambda.invoke(FN, payload, s3('other'))).rejects.toMatchObject(refused);
  await expect(lambda.invoke(functionArn('Other'), payload, s3('photos'))).rejects.toMatchObject(
    refused,
  );
  await expect(
    lambda.invokeAsync(FN, payload, {
      service: 'events.amazonaws.com',
      arn: 'arn:aws:s3:::photos',
    }),
  ).rejects.toMatchObject(refused);
});

test('writes what a function prints, and how it failed, into its log', async () => {
  const logDir = useFolder();
  const { call, lambda } = useFunction({}, { logDir });
  await call({ do: 'print' });
  await call({ do: 'throw' });
  const log = () => readFileSync(join(logDir, 'Fn.log'), 'utf8');
  await until(() => log().includes('RangeError') && log().includes('hello'));
  expect(log()).toMatch(/^\S+Z\t[0-9a-f-]{36}\tINFO\thello log \{ a: 1 \}$/m);
  await lambda.stop();
});

test('a stop fails what is under way and may be repeated', async () => {
  const { call, lambda } = useFunction({}, { maxEnvironments: 1 });
  await call({ do: 'count' });
  const pending = [call({ do: 'never' }), call({ do: 'echo' })];
  await Promise.all([lambda.stop(), lambda.stop()]);
  for (const { functionError } of await Promise.all(pending))
    expect(functionError).toBe('Unhandled');
  await expect(call({ do: 'echo' })).rejects.toMatchObject({ code: 'TooManyRequestsException' });
});

test.each<[string, Record<string, unknown>, string]>([
  ['another runtime', { Runtime: 'python3.13' }, 'Fn.Runtime'],
  [
    'a reserved variable',
    { Environment: { Variables: { AWS_REGION: 'x' } } },
    'Fn.Environment.Variables.AWS_REGION',
  ],
  ['a role that is not there', { Role: 'arn:aws:iam::000000000000:role/x' }, 'Fn.Role'],
  ['no handler', { Handler: undefined }, 'Fn.Handler'],
])('a function with %s is refused at start', (_, properties, message) => {
  const start = () => useFunction(properties);
  expect(start).toThrow(UserError);
  expect(start).toThrow(message);
});
