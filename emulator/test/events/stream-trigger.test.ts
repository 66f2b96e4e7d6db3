import { countDone } from '../../src/services/events/batch-result';
import { parseFilters } from '../../src/services/events/filters';
import {
  type GivenUp,
  type StreamMapping,
  StreamTrigger,
} from '../../src/services/events/stream-trigger';
import { type InvokeResult, LambdaServiceError } from '../../src/services/lambda/invoker';
import { UserError } from '../../src/user-error';
import { until } from '../lambda/service';
import { MemoryStream, record, STREAM } from './memory-stream';

const FAILURE: InvokeResult = { payload: '{"errorType":"Error"}', functionError: 'Unhandled' };
const failing = (...sequences: unknown[]): InvokeResult => ({
  payload: JSON.stringify({
    batchItemFailures: sequences.map((itemIdentifier) => ({ itemIdentifier })),
  }),
});

const triggers: StreamTrigger[] = [];
afterEach(async () => {
  await Promise.all(triggers.splice(0).map((trigger) => trigger.stop()));
});

/** `answer` decides what each invocation answers; what each was given is in `batches`. */
function useTrigger(
  answer: (sequences: number[], call: number) => InvokeResult | Promise<InvokeResult> = () => ({
    payload: 'null',
  }),
  options: Partial<StreamMapping> = {},
  stream = new MemoryStream(),
  onGivenUp?: (givenUp: GivenUp) => void,
) {
  const batches: number[][] = [];
  const reports: string[] = [];
  const trigger = new StreamTrigger({
    mapping: {
      consumer: 'Mapping',
      streamArn: STREAM,
      startingPosition: 'TRIM_HORIZON',
      batchSize: 100,
      batchingWindow: 0,
      maxRetries: -1,
      maxRecordAge: -1,
      bisects: false,
      reportsItemFailures: true,
      filter: () => true,
      ...options,
    },
    source: stream,
    invoke: async (payload) => {
      const records = JSON.parse(payload).Records as { dynamodb: { SequenceNumber: string } }[];
      const sequences = records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
      batches.push(sequences);
      return answer(sequences, batches.length);
    },
    report: (message) => reports.push(message),
    onGivenUp,
    pollInterval: 1,
    retryDelay: 1,
  });
  triggers.push(trigger);
  const done = (sequence: number) =>
    until(() => stream.checkpoints.get('Mapping') === String(sequence));
  return { trigger, stream, batches, reports, done };
}

test('delivers the records in order, in batches, and goes on with new ones', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, { batchSize: 2 });
  stream.records.push(record(8), record(9), record(10));
  trigger.start();
  await done(10);
  stream.records.push(record(11));
  await done(11);
  expect(batches).toEqual([[8, 9], [10], [11]]);
});

test('goes on after the checkpoint of an earlier run', async () => {
  const { trigger, stream, batches, done } = useTrigger();
  stream.records.push(record(9), record(10), record(11));
  stream.checkpoints.set('Mapping', '9');
  trigger.start();
  await done(11);
  expect(batches).toEqual([[10, 11]]);
});

test('starts at the end of the stream when it is told LATEST', async () => {
  const { trigger, stream, batches, done } = useTrigger(undefined, { startingPosition: 'LATEST' });
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  stream.records.push(record(2));
  await done(2);
  expect(batches).toEqual([[2]]);
});

test('a batch that fails blocks the stream until it succeeds', async () => {
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

test('the lowest reported failure is where it goes on; what is before is not repeated', async () => {
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

test('gives a batch up after its retries, says so, and goes on', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(
    (sequences) => (sequences.includes(1) ? FAILURE : { payload: 'null' }),
    { batchSize: 1, maxRetries: 2 },
  );
  stream.records.push(record(1), record(2));
  trigger.start();
  await done(2);
  expect(batches).toEqual([[1], [1], [1], [2]]);
  expect(reports).toEqual(['Mapping: RetryAttemptsExhausted: gave up 1 records, 1 to 1']);
});

test('halves a failing batch down to the record at fault; halving is no retry', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(
    (sequences) => (sequences.includes(3) ? FAILURE : { payload: 'null' }),
    { maxRetries: 1, bisects: true },
  );
  stream.records.push(record(1), record(2), record(3), record(4));
  trigger.start();
  await done(4);
  expect(batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
  expect(reports).toEqual(['Mapping: RetryAttemptsExhausted: gave up 1 records, 3 to 3']);
});

test('gives up records that are too old, and delivers the others', async () => {
  const { trigger, stream, batches, reports, done } = useTrigger(undefined, {
    maxRecordAge: 60_000,
  });
  stream.records.push(record(1, 120), record(2, 90), record(3));
  trigger.start();
  await done(3);
  expect(batches).toEqual([[3]]);
  expect(reports).toEqual(['Mapping: RecordAgeExceeded: gave up 2 records, 1 to 2']);
});

test('tells what was given up, how often it was tried and what came of it last', async () => {
  const told: GivenUp[] = [];
  const { trigger, stream, done } = useTrigger(
    (sequences) => (sequences.includes(2) ? FAILURE : { payload: 'null' }),
    { maxRetries: 1, bisects: true, maxRecordAge: 60_000 },
    undefined,
    (givenUp) => told.push(givenUp),
  );
  stream.records.push(record(1, 120), record(2), record(3));
  trigger.start();
  await done(3);
  const sequences = told.map(({ records, ...rest }) => ({
    ...rest,
    records: records.map(({ dynamodb }) => dynamodb.SequenceNumber),
  }));
  const streamArn = STREAM;
  expect(sequences).toEqual([
    { streamArn, condition: 'RecordAgeExceeded', invocations: 0, records: ['1'] },
    {
      streamArn,
      condition: 'RetryAttemptsExhausted',
      invocations: 3,
      lastResult: FAILURE,
      records: ['2'],
    },
  ]);
});

test('what nobody could be told of is not given up', async () => {
  let told = 0;
  const { trigger, stream, batches, done } = useTrigger(
    () => FAILURE,
    { maxRetries: 0 },
    undefined,
    () => {
      told++;
      if (told === 1) throw new Error('the disk is full');
    },
  );
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  expect(batches).toEqual([[1], [1]]);
  expect(told).toBe(2);
});

test('what is filtered out is never given up', async () => {
  const { trigger, stream, reports, done } = useTrigger(undefined, {
    maxRecordAge: 60_000,
    filter: () => false,
  });
  stream.records.push(record(1, 120), record(2));
  trigger.start();
  await done(2);
  expect(reports).toEqual([]);
});

test('does not invoke for records that are filtered out, but gets past them', async () => {
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

test('waits for the window to fill a batch', async () => {
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

test('splits a batch that one invocation cannot take', async () => {
  const stream = new MemoryStream();
  const { trigger, batches, done } = useTrigger(undefined, {}, stream);
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

test('being throttled is no retry', async () => {
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

test('a stop during an invocation leaves the failed batch for the next run', async () => {
  let fail: (result: InvokeResult) => void = () => undefined;
  const { trigger, stream, batches, reports } = useTrigger(
    () =>
      new Promise<InvokeResult>((resolve) => {
        fail = resolve;
      }),
    { maxRetries: 0 },
  );
  stream.records.push(record(1));
  trigger.start();
  await until(() => batches.length === 1);
  const stopped = trigger.stop();
  fail(FAILURE);
  await stopped;
  expect(stream.checkpoints.size).toBe(0);
  expect(reports).toEqual([]);

  const next = useTrigger(undefined, {}, stream);
  next.trigger.start();
  await next.done(1);
  expect(next.batches).toEqual([[1]]);
});

test('a source that fails is asked again', async () => {
  const { trigger, stream, batches, done } = useTrigger();
  stream.failReads = 1;
  stream.records.push(record(1));
  trigger.start();
  await done(1);
  expect(batches).toEqual([[1]]);
});

describe('what of a batch is done', () => {
  const records = [record(8), record(9), record(10)];
  test.each<[string, InvokeResult, number]>([
    ['null', { payload: 'null' }, 3],
    ['an empty object', { payload: '{}' }, 3],
    ['null as list', { payload: '{"batchItemFailures":null}' }, 3],
    ['no failures', failing(), 3],
    ['the first', failing('8'), 0],
    ['the last', failing('10'), 2],
    ['several, the lowest counts as a number', failing('10', '9'), 1],
    ['an unknown record', failing('77'), 0],
    ['an empty identifier', failing('9', ''), 0],
    ['null as identifier', failing(null), 0],
    ['a misspelt identifier', { payload: '{"batchItemFailures":[{"id":"9"}]}' }, 0],
    ['failures that are no list', { payload: '{"batchItemFailures":"9"}' }, 0],
    ['a text', { payload: '"fine"' }, 0],
    ['an error', FAILURE, 0],
  ])('when the function answers %s', (_, result, expected) => {
    expect(countDone(records, result, true)).toBe(expected);
  });

  test('is all of it when the mapping does not ask for failures', () => {
    expect(countDone(records, failing('9'), false)).toBe(3);
    expect(countDone(records, FAILURE, false)).toBe(0);
  });
});

describe('filters', () => {
  const passes = (pattern: unknown, candidate: unknown) =>
    parseFilters({ Filters: [{ Pattern: JSON.stringify(pattern) }] }, 'M')(candidate);
  const insert = { eventName: 'INSERT', dynamodb: { NewImage: { type: { S: 'put' } } } };

  test.each<[unknown, boolean]>([
    [{ eventName: ['INSERT'] }, true],
    [{ eventName: ['REMOVE', 'MODIFY'] }, false],
    [{ dynamodb: { NewImage: { type: { S: ['put'] } } } }, true],
    [{ dynamodb: { NewImage: { type: { S: [{ prefix: 'pu' }] } } } }, true],
    [{ dynamodb: { NewImage: { type: { S: [{ 'anything-but': ['put'] }] } } } }, false],
    [{ dynamodb: { NewImage: { other: { S: [{ exists: false }] } } } }, true],
    [{ eventName: ['INSERT'], dynamodb: { NewImage: { type: { S: ['void'] } } } }, false],
  ])('%j passes an insert of a put: %s', (pattern, expected) => {
    expect(passes(pattern, insert)).toBe(expected);
  });

  test('any of several patterns is enough, and none lets all pass', () => {
    const filters = [
      { Pattern: '{"eventName":["REMOVE"]}' },
      { Pattern: '{"eventName":["INSERT"]}' },
    ];
    expect(parseFilters({ Filters: filters }, 'M')(insert)).toBe(true);
    expect(parseFilters(undefined, 'M')(insert)).toBe(true);
  });

  test.each([{ a: [{ numeric: ['>', 1] }] }, { a: 'x' }, { a: [{ prefix: 1 }] }, { a: [1] }])(
    'refuses %j',
    (pattern) => {
      expect(() => passes(pattern, insert)).toThrow(UserError);
    },
  );
});
