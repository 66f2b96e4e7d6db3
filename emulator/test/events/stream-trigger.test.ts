import { deferred } from '../../src/runtime/deferred';
import { type InvokeResult, LambdaServiceError } from '../../src/services/lambda/invoker';
import { until } from '../support/until';
import { MemoryStream, record } from './memory-stream';
import { FAILURE, failing, useTrigger } from './stream-triggers';

test('invokes the function with the records in order, in batches, and continues with new records', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, { batchSize: 2 });
  stream.records.push(record(8), record(9), record(10));
  trigger.start();
  await done(10);
  stream.records.push(record(11));
  await done(11);
  expect(batches).toEqual([[8, 9], [10], [11]]);
});

test('with a poll interval of 0 is woken by each record', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, {}, { pollInterval: 0 });
  trigger.start();
  await until(() => stream.isAwaited);
  stream.add(record(1));
  await done(1);
  await until(() => stream.isAwaited);
  stream.add(record(2));
  await done(2);
  expect(batches).toEqual([[1], [2]]);
});

test('continues after the checkpoint of an earlier run', async () => {
  const { trigger, stream, batches, done } = useTrigger();
  stream.records.push(record(9), record(10), record(11));
  stream.checkpoints.set('Mapping', '9');
  trigger.start();
  await done(11);
  expect(batches).toEqual([[10, 11]]);
});

test('starts at the end of the stream when the starting position is LATEST', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, { startingPosition: 'LATEST' });
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  stream.records.push(record(2));
  await done(2);
  expect(batches).toEqual([[2]]);
});

test('retries a batch that fails before it reads the next one', async () => {
  const { trigger, stream, batches, done } = useTrigger(
    (_, call) => (call < 3 ? FAILURE : { payload: 'null' }),
    {
      batchSize: 2,
    },
  );
  stream.records.push(record(1), record(2), record(3));
  trigger.start();
  await done(3);
  expect(batches).toEqual([[1, 2], [1, 2], [1, 2], [3]]);
});

test('retries from the lowest failure that the function reports', async () => {
  const { trigger, stream, batches, done } = useTrigger((_, call) =>
    call === 1 ? failing('10', '9') : { payload: '{"batchItemFailures":[]}' },
  );
  stream.records.push(record(8), record(9), record(10), record(11));
  trigger.start();
  await done(11);
  expect(batches).toEqual([
    [8, 9, 10, 11],
    [9, 10, 11],
  ]);
});

test('halves a failing batch down to the record that fails, without counting it as a retry', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(
    (sequences) => (sequences.includes(3) ? FAILURE : { payload: 'null' }),
    { maxRetries: 1, bisects: true },
  );
  stream.records.push(record(1), record(2), record(3), record(4));
  trigger.start();
  await done(4);
  expect(batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
  expect(reports).toEqual(['Mapping: RetryAttemptsExhausted: discarded 1 records, 3 to 3']);
});

test('checkpoints records that the filter rejects without invoking the function', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, {
    filter: (candidate) => (candidate as { eventID: string }).eventID === 'event-2',
  });
  stream.records.push(record(1), record(2), record(3));
  trigger.start();
  await done(3);
  stream.records.push(record(4));
  await done(4);
  expect(batches).toEqual([[2]]);
});

test('waits for the batching window to fill a batch', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, {
    batchSize: 3,
    batchingWindow: 5000,
  });
  stream.records.push(record(1));
  trigger.start();
  stream.records.push(record(2), record(3));
  await done(3);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('splits a batch that is too large for one invocation', async () => {
  const stream = new MemoryStream();
  const { trigger, batches, done } = useTrigger(undefined, {}, { stream });
  for (const sequence of [1, 2, 3]) {
    const one = record(sequence);
    stream.records.push({
      ...one,
      dynamodb: { ...one.dynamodb, NewImage: { x: { S: 'x'.repeat(3_000_000) } } },
    });
  }
  trigger.start();
  await done(3);
  expect(batches).toEqual([[1, 2], [3]]);
});

test('does not count a throttled invocation as a retry', async () => {
  const throttled = new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
  const { trigger, stream, batches, reports, done } = useTrigger(
    (_, call) => {
      if (call < 5) throw throttled;
      return { payload: 'null' };
    },
    { maxRetries: 1 },
  );
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  expect(batches).toHaveLength(5);
  expect(reports).toEqual([]);
});

test('leaves a batch whose invocation fails during the stop to the next run', async () => {
  const result = deferred<InvokeResult>();
  const { trigger, stream, batches, reports } = useTrigger(() => result.value, { maxRetries: 0 });
  stream.records.push(record(1));
  trigger.start();
  await until(() => batches.length === 1);
  const stopped = trigger.stop();
  result.resolve(FAILURE);
  await stopped;
  expect(stream.checkpoints.size).toBe(0);
  expect(reports).toEqual([]);

  const next = useTrigger(undefined, {}, { stream });
  next.trigger.start();
  await next.done(1);
  expect(next.batches).toEqual([[1]]);
});

test('reads the stream again after a read fails', async () => {
  const { trigger, stream, batches, done } = useTrigger();
  stream.failReads = 1;
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  expect(batches).toEqual([[1]]);
});
