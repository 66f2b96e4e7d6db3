import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../support/clean-up';
import { until } from '../support/until';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

const FN = functionArn('Fn');
const retries = (properties: Record<string, unknown>) => ({
  Retries: {
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: { FunctionName: { Ref: 'Fn' }, Qualifier: '$LATEST', ...properties },
  },
});

function useQueue(dataDir = useFolder(), others: Record<string, unknown> = {}) {
  const stack = functionStack({ Fn: { Handler: 'asynchronous.handler' } }, others);
  const lambda = useLambda(stack, { dataDir, asyncRetryDelays: [10, 20] });
  const file = join(dataDir, 'attempts');
  const queued = () => readdirSync(join(dataDir, 'async-events'));
  const attempts = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  const send = (event: Record<string, unknown>) =>
    lambda.invokeAsync(FN, JSON.stringify({ file, ...event }));
  return { lambda, send, attempts, queued };
}

test.each<[number, number]>([
  [0, 1],
  [2, 3],
  [9, 3],
])('an event whose function fails %i times has %i attempts', async (failures, expected) => {
  const { send, attempts, queued } = useQueue();
  await send({ name: 'a', failures });
  await until(() => queued().length === 0);
  expect(attempts()).toHaveLength(expected);
});

test('an event has no retry when MaximumRetryAttempts is 0', async () => {
  const { send, attempts, queued } = useQueue(useFolder(), retries({ MaximumRetryAttempts: 0 }));
  await send({ name: 'a', failures: 9 });
  await until(() => queued().length === 0);
  expect(attempts()).toHaveLength(1);
});

test('a later run processes the events that are queued on disk', async () => {
  const dataDir = useFolder();
  const first = useQueue(dataDir, retries({ MaximumRetryAttempts: 0 }));
  await first.lambda.stop();
  // kill -9 leaves a queued event and an event that was being written.
  const event = {
    functionArn: FN,
    payload: JSON.stringify({ file: join(dataDir, 'attempts'), name: 'left' }),
    maxRetries: 2,
  };
  writeFileSync(join(dataDir, 'async-events', '1-a.json'), JSON.stringify(event));
  writeFileSync(join(dataDir, 'async-events', '2-b.tmp'), '{"functionArn":');

  const second = useQueue(dataDir);

  await until(() => second.queued().length === 0);
  expect(second.attempts()).toEqual(['left']);
});

test('a stop interrupts an event without losing it', async () => {
  const dataDir = useFolder();
  const first = useQueue(dataDir);
  await first.send({ name: 'a', failures: 1 });
  await first.lambda.stop();
  expect(first.queued().length).toBeLessThanOrEqual(1);

  const second = useQueue(dataDir);
  await until(() => second.queued().length === 0);
  expect(second.attempts().length).toBeGreaterThanOrEqual(1);
});

test('each of many events invokes the function', async () => {
  const { send, attempts, queued } = useQueue();
  const names = Array.from({ length: 100 }, (_, index) => `event-${index}`);
  await Promise.all(names.map((name) => send({ name })));
  await until(() => queued().length === 0);
  expect(attempts().sort()).toEqual(names.sort());
});

test('an event above 1 MB is refused', async () => {
  const { send } = useQueue();
  await expect(send({ name: 'x'.repeat(1024 * 1024) })).rejects.toMatchObject({
    code: 'RequestTooLargeException',
  });
});
