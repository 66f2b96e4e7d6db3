import { deferred } from '../../src/runtime/deferred';
import type { QueueSource } from '../../src/services/events/queue-source';
import { type QueueMapping, QueueTrigger } from '../../src/services/events/queue-trigger';
import { type InvokeResult, LambdaServiceError } from '../../src/services/lambda/invoker';
import { DEAD, define, useService, WORK } from '../sqs/service';
import { afterTest } from '../support/clean-up';
import { until } from '../support/until';
import { FAILURE, failing } from './stream-triggers';

const DONE: InvokeResult = { payload: 'null' };

interface Event {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes: { readonly ApproximateReceiveCount: string };
  }[];
}

/** Received messages become visible again after a second. */
const QUICK = define('quick', {
  visibilityTimeout: 1000,
  redrive: { deadLetterArn: DEAD.arn, maxReceiveCount: 2 },
});

/**
 * Creates a trigger of a queue, which is stopped after the test. `respond` returns the result of an
 * invocation, `batches` contains the bodies of the messages of each invocation.
 */
async function useTrigger(
  respond: (event: Event, call: number) => InvokeResult | Promise<InvokeResult> = () => DONE,
  {
    queue = QUICK,
    throttleTimeout = 0,
    ...mapping
  }: Partial<QueueMapping> & { queue?: typeof WORK; throttleTimeout?: number } = {},
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
    throttleTimeout,
    invoke: async (payload) => {
      const event: Event = JSON.parse(payload);
      events.push(payload);
      batches.push(event.Records.map(({ body }) => body));
      return respond(event, batches.length);
    },
    isLoop: () => false,
    report: (message) => reports.push(message),
  });
  afterTest(() => trigger.stop());
  const send = (...bodies: string[]) => {
    for (const body of bodies) source.send(queue.arn, body, 'sender');
  };
  return { trigger, source, batches, events, reports, send };
}

/** Waits for a message in the queue and deletes it. */
async function next(source: QueueSource, queueArn: string): Promise<string | undefined> {
  const [message] = await source.receive(queueArn, { limit: 1, wait: 10_000 });
  if (message) source.delete(queueArn, [message.handle]);
  return message?.body;
}

const left = async (source: QueueSource, queueArn: string) =>
  (await source.receive(queueArn, { limit: 10, wait: 0, hideFor: 0 })).map(({ body }) => body);

test('passes messages in the form of Lambda and deletes them after success', async () => {
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

test('an invocation has at most BatchSize messages', async () => {
  const { trigger, batches, send } = await useTrigger(undefined, { batchSize: 2 });
  send('1', '2', '3');
  trigger.start();
  await until(() => batches.length === 2);
  expect(batches).toEqual([['1', '2'], ['3']]);
});

test('waits for the batching window to fill a batch from several receives', async () => {
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

test('splits a batch that is too large for one invocation', async () => {
  const { trigger, batches, send } = await useTrigger(undefined, { queue: WORK });
  for (let n = 0; n < 8; n++) send('x'.repeat(1_000_000));
  trigger.start();
  await until(() => batches.flat().length === 8);
  expect(batches.map(({ length }) => length)).toEqual([6, 2]);
});

test('retries only the messages that the function reports as failed', async () => {
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

test('moves a message that fails too often to the dead-letter queue', async () => {
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

test('runs at most MaximumConcurrency invocations at a time', async () => {
  const ends: (() => void)[] = [];
  const { trigger, batches, send } = await useTrigger(
    () => new Promise((resolve) => ends.push(() => resolve(DONE))),
    { batchSize: 1, maxConcurrency: 2, queue: WORK },
  );
  send('1', '2', '3');
  trigger.start();
  await until(() => batches.length === 2);
  // A third invocation would have started at the same time as the second.
  expect(batches).toEqual([['1'], ['2']]);
  ends.shift()?.();
  await until(() => batches.length === 3);
  for (const end of ends) end();
});

test('retries a throttled invocation until the throttle timeout, then makes its messages visible', async () => {
  const throttled = new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
  const respond = (_: Event, call: number) => {
    if (call === 1) throw throttled;
    return DONE;
  };
  const long = await useTrigger(respond, { queue: WORK, throttleTimeout: 5000 });
  long.send('a');
  long.trigger.start();
  await until(() => long.batches.length === 2);
  expect(long.reports).toEqual([]);

  const short = await useTrigger(respond);
  short.send('a');
  short.trigger.start();
  await until(() => short.batches.length === 2);
  expect(short.reports).toEqual(['Mapping: not invoked: Rate Exceeded.']);
});

test('makes messages visible at once when their invocation fails during the stop', async () => {
  const result = deferred<InvokeResult>();
  const { trigger, source, batches, send } = await useTrigger(() => result.value, { queue: WORK });
  send('a');
  trigger.start();
  await until(() => batches.length === 1);
  const stopped = trigger.stop();
  result.resolve(FAILURE);
  await stopped;
  expect(await left(source, WORK.arn)).toEqual(['a']);
});
