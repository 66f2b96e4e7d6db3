/** What the log of a function holds, in each log format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../support/clean-up';
import { until } from '../support/until';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

function useFunction(properties: Record<string, unknown> = {}, options = {}) {
  const stack = functionStack({ Fn: { Handler: 'buffered.handler', ...properties } });
  const lambda = useLambda(stack, options);
  const call = async (event: unknown) => {
    const { payload } = await lambda.invoke(functionArn('Fn'), JSON.stringify(event));
    return { result: JSON.parse(payload) };
  };
  return { lambda, call };
}

test('writes the output and the errors of a function to its log', async () => {
  const logDir = useFolder();
  const { call, lambda } = useFunction({}, { logDir });
  await call({ do: 'print' });
  await call({ do: 'throw' });
  const log = () => readFileSync(join(logDir, 'Fn.log'), 'utf8');
  await until(() => log().includes('RangeError') && log().includes('hello'));
  expect(log()).toMatch(/^\S+Z\t[0-9a-f-]{36}\tINFO\thello log \{ a: 1 \}$/m);
  await lambda.stop();
});

test('the output and the errors of a function are JSON when its log format is', async () => {
  const logDir = useFolder();
  const LoggingConfig = {
    LogFormat: 'JSON',
    SystemLogLevel: 'WARN',
    ApplicationLogLevel: 'FATAL',
  };
  const { call, lambda } = useFunction({ LoggingConfig }, { logDir });
  await call({ do: 'print' });
  await call({ do: 'throw' });
  const log = () => readFileSync(join(logDir, 'Fn.log'), 'utf8');
  await until(() => log().includes('RangeError') && log().includes('hello'));
  const [timestamp, requestId] = [
    expect.stringMatching(/Z$/),
    expect.stringMatching(/^[\w-]{36}$/),
  ];
  const lines = log().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { timestamp, level: 'INFO', requestId, message: 'hello log { a: 1 }' },
    { timestamp, level: 'ERROR', requestId, message: expect.stringContaining('RangeError') },
  ]);
  await lambda.stop();
});

test('an error and a circular object are JSON in a log of that format', async () => {
  const logDir = useFolder();
  const { call, lambda } = useFunction({ LoggingConfig: { LogFormat: 'JSON' } }, { logDir });
  await call({ do: 'printObjects' });
  const log = () => readFileSync(join(logDir, 'Fn.log'), 'utf8');
  await until(() => log().includes('Circular'));
  const lines = log().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'ERROR',
      message: {
        ...{ errorType: 'RangeError', errorMessage: 'too far' },
        stackTrace: expect.arrayContaining(['RangeError: too far']),
      },
    },
    { level: 'INFO', message: expect.stringContaining('[Circular *1]') },
  ]);
  await lambda.stop();
});

test.each([
  [{ LogFormat: 'Plain' }, 'Fn.LoggingConfig.LogFormat must be Text or JSON, not Plain'],
  [{ SystemLogLevel: 'WARN' }, 'Fn.LoggingConfig: log levels need the LogFormat JSON'],
])('a function with the log settings %j is refused', (LoggingConfig, message) => {
  expect(() => useFunction({ LoggingConfig })).toThrow(message);
});

test('the log has every line that a function printed before its timeout', async () => {
  const logDir = useFolder();
  const { call } = useFunction({ Timeout: 1 }, { logDir });
  expect((await call({ do: 'printAndHang' })).result.errorType).toBe('Sandbox.Timedout');
  expect(readFileSync(join(logDir, 'Fn.log'), 'utf8').match(/line \d+/g)).toHaveLength(100);
});
