import { join } from 'node:path';
import { UserError } from '../../src/errors/user-error';
import { until } from '../support/until';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

const FN = functionArn('Fn');
const handler = { Handler: 'buffered.handler' };

function useFunction(properties: Record<string, unknown> = {}, options = {}) {
  const lambda = useLambda(functionStack({ Fn: { ...handler, ...properties } }), options);
  const call = async (event: unknown) => {
    const { payload, functionError } = await lambda.invoke(FN, JSON.stringify(event));
    return { result: JSON.parse(payload), functionError };
  };
  return { lambda, call };
}

test('returns the value that the handler resolves to', async () => {
  const { call } = useFunction();
  const event = { do: 'echo', text: 'ä\u0000€', list: [1, null] };
  expect(await call(event)).toEqual({ result: event, functionError: undefined });
  expect(await call({ do: 'nothing' })).toEqual({ result: null, functionError: undefined });
});

test.each([
  ['buffered.synchronous', { got: {} }],
  ['buffered.nested.handler', 'nested'],
])('runs the handler %s', async (name, expected) => {
  const { call } = useFunction({ Handler: name });
  expect((await call({})).result).toEqual(expected);
});

test('reuses an environment, with the state of its modules, for the next invocation', async () => {
  const { call } = useFunction();
  expect((await call({ do: 'count' })).result).toBe(1);
  expect((await call({ do: 'count' })).result).toBe(2);
});

test('a function has its own variables and those of Lambda, but none of this process', async () => {
  process.env.LEAK = 'of the developer';
  const { call } = useFunction({ Environment: { Variables: { TABLE: 'photos', COUNT: 3 } } });

  const { result } = await call({ do: 'env' });

  delete process.env.LEAK;
  expect(result).toMatchObject({
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
  expect(result.AWS_ACCESS_KEY_ID).toMatch(/^ASIA/);
  expect(result).not.toHaveProperty('LEAK');
  expect(Object.keys(result).filter((name) => /npm|NODE/.test(name))).toEqual([]);
});

test('passes a context to the handler', async () => {
  const { call } = useFunction({ Timeout: 7, MemorySize: 256 });
  const { result } = await call({ do: 'context' });
  expect(result).toMatchObject({
    functionName: 'Fn',
    invokedFunctionArn: FN,
    memoryLimitInMB: '256',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(result.remaining).toBeGreaterThan(5000);
  expect(result.remaining).toBeLessThanOrEqual(7000);
});

test.each<[string, Record<string, unknown>]>([
  ['throw', { errorType: 'RangeError', errorMessage: 'out of range', trace: expect.any(Array) }],
  ['throwText', { errorType: 'string', errorMessage: 'just text', trace: [] }],
])(
  'returns the error of a handler that does %s, and reuses its environment',
  async (what, error) => {
    const { call } = useFunction();
    await call({ do: 'count' });
    expect(await call({ do: what })).toEqual({ result: error, functionError: 'Unhandled' });
    expect((await call({ do: 'count' })).result).toBe(2);
  },
);

test.each<[Record<string, unknown>, string, string]>([
  [{ do: 'exit', code: 3 }, 'Runtime.ExitError', 'Runtime exited with error: exit status 3'],
  [{ do: 'exit', code: 0 }, 'Runtime.ExitError', 'Runtime exited without providing a reason'],
  [{ do: 'uncaught' }, 'TypeError', 'later'],
  [{ do: 'unhandled' }, 'Error', 'not caught'],
  [{ do: 'allocate' }, 'Runtime.ExitError', 'signal: killed'],
])(
  'a function that crashes by %j fails and gets a new environment',
  async (event, type, message) => {
    const { call } = useFunction({ Timeout: 30, MemorySize: 128 });
    await call({ do: 'count' });

    const { result, functionError } = await call(event);

    expect(functionError).toBe('Unhandled');
    expect(result.errorType).toBe(type);
    expect(result.errorMessage).toContain(message);
    expect((await call({ do: 'count' })).result).toBe(1);
  },
  30_000,
);

test.each(['never', 'spin'])('a function that does %s ends at its timeout', async (what) => {
  const { call } = useFunction({ Timeout: 1 });
  await call({ do: 'count' });

  const { result, functionError } = await call({ do: what });

  expect(functionError).toBe('Unhandled');
  expect(result.errorType).toBe('Sandbox.Timedout');
  expect(result.errorMessage).toMatch(
    /^RequestId: [0-9a-f-]{36} Error: Task timed out after 1.00 seconds$/,
  );
  expect((await call({ do: 'count' })).result).toBe(1);
});

test.each([
  ['broken.handler', 'SyntaxError', 'cannot be loaded'],
  ['missing.handler', 'Runtime.ImportModuleError', "Cannot find module 'missing'"],
  ['buffered.missing', 'Runtime.HandlerNotFound', 'buffered.missing is undefined or not exported'],
  ['buffered.callback', 'Runtime.CallbackHandlerDeprecated', 'callback'],
])(
  'each invocation of a function that cannot be loaded (%s) returns the reason',
  async (name, type, message) => {
    const { call } = useFunction({ Handler: name });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { result, functionError } = await call({});
      expect(functionError).toBe('Unhandled');
      expect(result.errorType).toBe(type);
      expect(result.errorMessage).toContain(message);
    }
  },
);

test('runs one invocation at a time per environment, up to the limit of environments', async () => {
  const { call } = useFunction({}, { maxEnvironments: 2 });
  const begin = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => call({ do: 'slow', milliseconds: 100 })));
  expect(performance.now() - begin).toBeGreaterThanOrEqual(290);

  const counts = await Promise.all(Array.from({ length: 10 }, () => call({ do: 'count' })));
  // Each of the two environments has a counter of its own.
  expect(counts.filter(({ result }) => result === 1).length).toBeLessThanOrEqual(2);
  expect(counts).toHaveLength(10);
});

test('ends an environment that has been idle', async () => {
  const { call } = useFunction({}, { idleTimeout: 30 });
  expect((await call({ do: 'count' })).result).toBe(1);
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return (await call({ do: 'count' })).result === 1;
  });
});

test('refuses an event, and fails a response, above the limits of Lambda', async () => {
  const { call } = useFunction({ MemorySize: 512 });
  await expect(call({ do: 'echo', text: 'x'.repeat(6_291_456) })).rejects.toMatchObject({
    code: 'RequestTooLargeException',
  });
  const fits = await call({ do: 'large', length: 6_291_554 });
  expect(fits.functionError).toBeUndefined();
  const tooLarge = await call({ do: 'large', length: 6_291_555 });
  expect(tooLarge.functionError).toBe('Unhandled');
  expect(tooLarge.result.errorType).toBe('Function.ResponseSizeTooLarge');
});

test('refuses an unknown function and a service without permission', async () => {
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

  await expect(lambda.invoke(functionArn('Missing'), payload)).rejects.toMatchObject({
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

test('a stop fails the invocations in progress and may be repeated', async () => {
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
  ['a role that does not exist', { Role: 'arn:aws:iam::000000000000:role/x' }, 'Fn.Role'],
  ['no handler', { Handler: undefined }, 'Fn.Handler'],
])('the service refuses a function with %s', (_, properties, message) => {
  const start = () => useFunction(properties);
  expect(start).toThrow(UserError);
  expect(start).toThrow(message);
});
