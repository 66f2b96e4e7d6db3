import { failedItems } from '../../src/services/events/batch-result';
import type { QueueSource } from '../../src/services/events/queue-source';
import { type QueueMapping, QueueTrigger } from '../../src/services/events/queue-trigger';
import { type InvokeResult, LambdaServiceError } from '../../src/services/lambda/invoker';
import { until } from '../lambda/service';
import { cleanUp, DEAD, define, useService, WORK } from '../sqs/service';

const FAILURE: InvokeResult = { payload: '{"errorType":"Error"}', functionError: 'Unhandled' };
const DONE: InvokeResult = { payload: 'null' };
const failing = (...identifiers: unknown[]): InvokeResult => ({
  payload: JSON.stringify({
    batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
  }),
});

interface Event {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes: { readonly ApproximateReceiveCount: string };
  }[];
}

/** What is received comes again after a second. */
const QUICK = define('quick', {
  visibilityTimeout: 1000,
  redrive: { deadLetterArn: DEAD.arn, maxReceiveCount: 2 },
});

/**
 * A trigger of a real queue; `answer` decides what each invocation answers, `batches` has what each
 * was given.
 */
async function useTrigger(
  answer: (event: Event, call: number) => InvokeResult | Promise<InvokeResult> = () => DONE,
  {
    queue = QUICK,
    patience = 0,
    ...mapping
  }: Partial<QueueMapping> & { queue?: typeof WORK; patience?: number } = {},
) {
  const { source } = await useService({ queues: [queue, WORK, DEAD] });
  const batches: string[][] = [];
  const events: string[] = [];
  const reports: string[] = [];
  const trigger = new QueueTrigger({
    mapping: {
      consumer: 'Mapping',
      queueArn: queue.arn,
      region: 'us-east-1',
      batchSize: 10,
      batchingWindow: 0,
      maxConcurrency: 5,
      reportsItemFailures: true,
      ...mapping,
    },
    source,
    throttlePatience: patience,
    invoke: async (payload) => {
      const event: Event = JSON.parse(payload);
      events.push(payload);
      batches.push(event.Records.map(({ body }) => body));
      return answer(event, batches.length);
    },
    report: (message) => reports.push(message),
  });
  cleanUp(() => trigger.stop());
  const send = (...bodies: string[]) => {
    for (const body of bodies) source.send(queue.arn, body, 'sender');
  };
  return { trigger, source, batches, events, reports, send };
}

/** Waits for a message in the queue and takes it. */
async function next(source: QueueSource, queueArn: string): Promise<string | undefined> {
  const [message] = await source.receive(queueArn, { limit: 1, wait: 10_000 });
  if (message) source.delete(queueArn, [message.handle]);
  return message?.body;
}

const left = async (source: QueueSource, queueArn: string) =>
  (await source.receive(queueArn, { limit: 10, wait: 0, hideFor: 0 })).map(({ body }) => body);

test('hands messages over as Lambda does, and deletes what is done', async () => {
  const { trigger, source, batches, events, send } = await useTrigger();
  send('{"a":"ä"}');
  trigger.start();
  await until(() => batches.length === 1);
  await trigger.stop();
  expect(JSON.parse(events[0] ?? '')).toEqual({
    Records: [
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        body: '{"a":"ä"}',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          SenderId: 'sender',
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        },
        messageAttributes: {},
        md5OfBody: '9b270208369bdf2596b2c5abc12bbe19',
        eventSource: 'aws:sqs',
        eventSourceARN: QUICK.arn,
        awsRegion: 'us-east-1',
      },
    ],
  });
  expect(await left(source, QUICK.arn)).toEqual([]);
});

test('takes as many messages at a time as the batch size says', async () => {
  const { trigger, batches, send } = await useTrigger(undefined, { batchSize: 2 });
  send('1', '2', '3');
  trigger.start();
  await until(() => batches.length === 2);
  expect(batches).toEqual([['1', '2'], ['3']]);
});

test('waits for the window to fill a batch, beyond what one receive gives', async () => {
  const { trigger, batches, send } = await useTrigger(undefined, {
    batchSize: 15,
    batchingWindow: 10_000,
    queue: WORK,
  });
  send('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11');
  trigger.start();
  send('12', '13', '14');
  await until(() => batches.length === 1);
  expect(batches[0]).toHaveLength(15);
});

test('splits a batch that one invocation cannot take', async () => {
  const { trigger, batches, send } = await useTrigger();
  for (let n = 0; n < 8; n++) send('x'.repeat(1_000_000));
  trigger.start();
  await until(() => batches.flat().length === 8);
  expect(batches.map(({ length }) => length)).toEqual([6, 2]);
});

test('only the messages that the function names come again', async () => {
  const { trigger, source, batches, send } = await useTrigger((event, call) =>
    call === 1 ? failing(event.Records[1]?.messageId) : DONE,
  );
  send('a', 'b', 'c');
  trigger.start();
  await until(() => batches.length === 2);
  await trigger.stop();
  expect(batches).toEqual([['a', 'b', 'c'], ['b']]);
  expect(await left(source, QUICK.arn)).toEqual([]);
});

test('what fails too often goes to the dead letters', async () => {
  const { trigger, source, events, batches, send } = await useTrigger(({ Records }) =>
    Records[0]?.body === 'poison' ? FAILURE : DONE,
  );
  send('poison');
  trigger.start();
  expect(await next(source, DEAD.arn)).toBe('poison');
  const counts = events.map((text) => {
    const { Records }: Event = JSON.parse(text);
    return Records[0]?.attributes.ApproximateReceiveCount;
  });
  expect(counts).toEqual(['1', '2']);
  send('fine');
  await until(() => batches.length === 3);
});

test('works on as many batches at a time as it may, no more', async () => {
  const ends: (() => void)[] = [];
  const { trigger, batches, send } = await useTrigger(
    () => new Promise((resolve) => ends.push(() => resolve(DONE))),
    { batchSize: 1, maxConcurrency: 2, queue: WORK },
  );
  send('1', '2', '3');
  trigger.start();
  await until(() => batches.length === 2);
  // A third one would have come with the second.
  expect(batches).toEqual([['1'], ['2']]);
  ends.shift()?.();
  await until(() => batches.length === 3);
  for (const end of ends) end();
});

test('being throttled is tried again as long as there is time, then the messages come again', async () => {
  const throttled = new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
  const answer = (_: Event, call: number) => {
    if (call === 1) throw throttled;
    return DONE;
  };
  const patient = await useTrigger(answer, { queue: WORK, patience: 5000 });
  patient.send('a');
  patient.trigger.start();
  await until(() => patient.batches.length === 2);
  expect(patient.reports).toEqual([]);

  const hasty = await useTrigger(answer);
  hasty.send('a');
  hasty.trigger.start();
  await until(() => hasty.batches.length === 2);
  expect(hasty.reports).toEqual(['Mapping: not invoked: Rate Exceeded.']);
});

test('a stop during an invocation gives what was not done back at once', async () => {
  let fail: (result: InvokeResult) => void = () => undefined;
  const { trigger, source, batches, send } = await useTrigger(
    () =>
      new Promise<InvokeResult>((resolve) => {
        fail = resolve;
      }),
    { queue: WORK },
  );
  send('a');
  trigger.start();
  await until(() => batches.length === 1);
  const stopped = trigger.stop();
  fail(FAILURE);
  await stopped;
  expect(await left(source, WORK.arn)).toEqual(['a']);
});

describe('what of a batch has failed', () => {
  const all = ['a', 'b'];
  test.each<[string, InvokeResult, readonly string[]]>([
    ['null', DONE, []],
    ['an empty object', { payload: '{}' }, []],
    ['no failures', failing(), []],
    ['one', failing('b'), ['b']],
    ['one twice', failing('b', 'b'), ['b']],
    ['an unknown message', failing('c'), all],
    ['an empty identifier', failing('a', ''), all],
    ['a text', { payload: '"fine"' }, all],
    ['an error', FAILURE, all],
  ])('when the function answers %s', (_, result, expected) => {
    expect([...failedItems(all, result, true)]).toEqual(expected);
  });
});
