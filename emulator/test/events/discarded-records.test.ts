import { shardId } from '../../src/services/events/stream-source';
import type { DiscardedRecords } from '../../src/services/events/stream-trigger';
import { record, STREAM } from './memory-stream';
import { FAILURE, useTrigger } from './stream-triggers';

test('discards a batch after its retries, reports it and continues with the next one', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(
    (sequences) => (sequences.includes(1) ? FAILURE : { payload: 'null' }),
    { batchSize: 1, maxRetries: 2 },
  );
  stream.records.push(record(1), record(2));
  trigger.start();
  await done(2);
  expect(batches).toEqual([[1], [1], [1], [2]]);
  expect(reports).toEqual(['Mapping: RetryAttemptsExhausted: discarded 1 records, 1 to 1']);
});

test('discards records that are too old, and invokes the function with the others', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(undefined, {
    maxRecordAge: 60_000,
  });
  stream.records.push(record(1, 120), record(2, 90), record(3));
  trigger.start();
  await done(3);
  expect(batches).toEqual([[3]]);
  expect(reports).toEqual(['Mapping: RecordAgeExceeded: discarded 2 records, 1 to 2']);
});

test('passes discarded records to onDiscard with their invocations and the last result', async () => {
  const discarded: DiscardedRecords[] = [];
  const { trigger, stream, done } = useTrigger(
    (sequences) => (sequences.includes(2) ? FAILURE : { payload: 'null' }),
    { maxRetries: 1, bisects: true, maxRecordAge: 60_000 },
    { onDiscard: (records) => discarded.push(records) },
  );
  stream.records.push(record(1, 120), record(2), record(3));
  trigger.start();
  await done(3);
  const sequences = discarded.map(({ records, ...rest }) => ({
    ...rest,
    records: records.map(({ dynamodb }) => dynamodb.SequenceNumber),
  }));
  const shard = { streamArn: STREAM, shardId: shardId(1) };
  expect(sequences).toEqual([
    { shard, condition: 'RecordAgeExceeded', invocations: 0, records: ['1'] },
    {
      shard,
      condition: 'RetryAttemptsExhausted',
      invocations: 3,
      lastResult: FAILURE,
      records: ['2'],
    },
  ]);
});

test('retries the records when onDiscard throws', async () => {
  let calls = 0;
  const { trigger, stream, batches, done } = useTrigger(
    () => FAILURE,
    { maxRetries: 0 },
    {
      onDiscard: () => {
        calls++;
        if (calls === 1) throw new Error('the disk is full');
      },
    },
  );
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  expect(batches).toEqual([[1], [1]]);
  expect(calls).toBe(2);
});

test('does not report discarded records that the filter rejects', async () => {
  const { trigger, stream, reports, done } = useTrigger(undefined, {
    maxRecordAge: 60_000,
    filter: () => false,
  });
  stream.records.push(record(1, 120), record(2));
  trigger.start();
  await done(2);
  expect(reports).toEqual([]);
});
