import { UserError } from '../../src/errors/user-error';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

const THROTTLED = { code: 'TooManyRequestsException' };

/** Two functions. `B` may have a reservation. */
function useFunctions(accountConcurrency: number | undefined, reserved?: number) {
  const handler = { Handler: 'buffered.handler', Timeout: 30 };
  const stack = functionStack({
    A: handler,
    B: { ...handler, ...(reserved !== undefined && { ReservedConcurrentExecutions: reserved }) },
  });
  const lambda = useLambda(stack, {
    maxEnvironments: 1,
    ...(accountConcurrency !== undefined && { accountConcurrency }),
  });
  const call = async (name: 'A' | 'B', event: object) => {
    const { functionError } = await lambda.invoke(functionArn(name), JSON.stringify(event));
    return functionError ?? 'done';
  };
  /** Starts `count` invocations, which end with the test. */
  const occupy = (name: 'A' | 'B', count: number) => {
    for (let n = 0; n < count; n++) void call(name, { do: 'never' });
  };
  return { call, occupy };
}

test('throttles invocations above the reserved concurrency of the function', async () => {
  const { call } = useFunctions(undefined, 1);
  const slow = call('B', { do: 'slow', milliseconds: 200 });
  await expect(call('B', { do: 'echo' })).rejects.toMatchObject(THROTTLED);
  expect(await slow).toBe('done');
  expect(await call('B', { do: 'echo' })).toBe('done');
});

test.each([[10], [undefined]])(
  'throttles every function while one occupies the account, whose concurrency is %p',
  async (limit) => {
    const { call, occupy } = useFunctions(limit);
    occupy('A', (limit ?? 1000) - 1);
    expect(await call('B', { do: 'echo' })).toBe('done');
    occupy('A', 1);
    await expect(call('B', { do: 'echo' })).rejects.toMatchObject(THROTTLED);
    await expect(call('A', { do: 'echo' })).rejects.toMatchObject(THROTTLED);
  },
);

test('keeps the reserved concurrency of a function from the others', async () => {
  const { call, occupy } = useFunctions(110, 2);
  occupy('A', 108);
  await expect(call('A', { do: 'echo' })).rejects.toMatchObject(THROTTLED);
  expect(await call('B', { do: 'echo' })).toBe('done');
});

test.each([
  [10, 1],
  [1000, 901],
])('refuses, in an account with %d, to reserve %d', (limit, reserved) => {
  const start = () => useFunctions(limit, reserved);
  expect(start).toThrow(UserError);
  expect(start).toThrow('below its minimum of 100');
});
