import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalRuntime } from '../../src/runtime/runtime';
import type { StreamRecord } from '../../src/services/events/stream-source';
import { queuePolicy } from '../sqs/stack';
import { attribute } from '../support/template';
import { allow, functionWithRole, smallTemplate } from './cdk-out';
import { expectRefusal, OWN_ENGINE, take, useRuntime } from './service';

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

const queue = (properties: Record<string, unknown> = {}) => ({
  Type: 'AWS::SQS::Queue',
  Properties: properties,
});

const table = (view: string) => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    Replicas: [{ Region: { Ref: 'AWS::Region' } }],
    StreamSpecification: { StreamViewType: view },
  },
});

const streamMapping = (tableId: string) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    DestinationConfig: { OnFailure: { Destination: attribute('Lost') } },
    EventSourceArn: attribute(tableId, 'StreamArn'),
    FunctionName: { Ref: 'Worker' },
    MaximumRetryAttempts: 1,
    StartingPosition: 'TRIM_HORIZON',
  },
});

/** The small stack, a queue whose messages become items in two tables, and the streams of both. */
function template() {
  const { Resources, Outputs } = smallTemplate();
  const resources: Resources = {
    ...(Resources as Resources),
    Jobs: queue({
      VisibilityTimeout: 30,
      RedrivePolicy: { deadLetterTargetArn: attribute('Lost'), maxReceiveCount: 5 },
    }),
    JobsPolicy: queuePolicy('Jobs') as Resources[string],
    Seen: queue(),
    Lost: queue(),
    Keys: table('KEYS_ONLY'),
    Whole: table('NEW_AND_OLD_IMAGES'),
    ...(functionWithRole('Sender', [allow('sqs:SendMessage', attribute('Jobs'))], {
      JOBS: { Ref: 'Jobs' },
    }) as Resources),
    ...(functionWithRole(
      'Worker',
      [
        allow(
          ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          attribute('Jobs'),
        ),
        allow('sqs:SendMessage', [attribute('Seen'), attribute('Lost')]),
        allow('dynamodb:BatchWriteItem', [attribute('Keys'), attribute('Whole')]),
        allow('dynamodb:*', [attribute('Keys', 'StreamArn'), attribute('Whole', 'StreamArn')]),
      ],
      { SEEN: { Ref: 'Seen' }, TABLES: { 'Fn::Join': [',', [{ Ref: 'Keys' }, { Ref: 'Whole' }]] } },
    ) as Resources),
    JobsToWorker: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        BatchSize: 10,
        EventSourceArn: attribute('Jobs'),
        FunctionName: { Ref: 'Worker' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    KeysToWorker: streamMapping('Keys'),
    WholeToWorker: streamMapping('Whole'),
  };
  const urls = { Jobs: { Ref: 'Jobs' }, Seen: { Ref: 'Seen' }, Lost: { Ref: 'Lost' } };
  const outputs = Object.entries(urls).map(([name, Value]) => [name, { Value }]);
  return { Resources: resources, Outputs: { ...Outputs, ...Object.fromEntries(outputs) } };
}

async function send(runtime: LocalRuntime, body: string, to?: string): Promise<unknown> {
  const arn = runtime.stack.resources.get('Sender')?.arn ?? '';
  return JSON.parse((await runtime.lambda.invoke(arn, JSON.stringify({ body, to }))).payload);
}

const bySource = (records: unknown[]) =>
  (records as StreamRecord[]).sort((a, b) => (a.eventSourceARN < b.eventSourceARN ? -1 : 1));

test('a message passes from queue to function to tables to streams to function to queue', async () => {
  const options = { ...OWN_ENGINE, streams: { retryDelay: 1 } };
  const { runtime, dataDir } = await useRuntime(template(), options);
  const { outputs, endpoints } = runtime;
  expect(outputs.Jobs).toMatch(new RegExp(`^${endpoints.sqs}/000000000000/small-Jobs-`));

  expect(await send(runtime, 'one')).toBe('sent');
  const [keys, whole] = bySource(await take(runtime, 'Seen', 2));

  expect(keys?.dynamodb).toEqual({
    ApproximateCreationDateTime: expect.any(Number),
    Keys: { id: { S: 'one' } },
    SequenceNumber: expect.stringMatching(/^\d+$/),
    SizeBytes: 5,
    StreamViewType: 'KEYS_ONLY',
  });
  expect(whole?.dynamodb).toMatchObject({
    Keys: { id: { S: 'one' } },
    NewImage: { id: { S: 'one' }, more: { S: 'more' } },
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
  expect(await send(runtime, 'x', outputs.Seen)).toBe('AccessDenied');

  // After a restart, each mapping continues in its own stream after its last batch.
  await runtime.stop();
  const { runtime: again } = await useRuntime(template(), { ...options, dataDir });
  await send(again, 'two');
  const seen = bySource(await take(again, 'Seen', 2));
  expect(seen.map(({ dynamodb }) => dynamodb.Keys.id)).toEqual([{ S: 'two' }, { S: 'two' }]);
  expect(seen.map(({ dynamodb }) => dynamodb.StreamViewType)).toEqual([
    'KEYS_ONLY',
    'NEW_AND_OLD_IMAGES',
  ]);
});

test('the destination receives a failed batch in the format of AWS', async () => {
  const { runtime, dataDir } = await useRuntime(template(), { streams: { retryDelay: 1 } });
  await send(runtime, 'poison');
  const messages = await take(runtime, 'Lost', 2);
  const { resources } = runtime.stack;
  const streams = ['Keys', 'Whole'].map((id) => `${resources.get(id)?.arn}/stream/`);
  const log = readFileSync(
    join(dataDir, 'logs', `${resources.get('Worker')?.physicalId}.log`),
    'utf8',
  );
  const ofStream = (prefix: string) =>
    messages.find((message) => JSON.stringify(message).includes(prefix)) as {
      requestContext: { requestId: string };
    };
  for (const prefix of streams) {
    const message = ofStream(prefix);
    expect(message).toEqual({
      requestContext: {
        requestId: expect.any(String),
        functionArn: `${resources.get('Worker')?.arn}:$LATEST`,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 2,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      DDBStreamBatchInfo: {
        shardId: expect.stringMatching(/^shardId-\d{20}-[0-9a-f]{8}$/),
        startSequenceNumber: expect.stringMatching(/^\d{21}$/),
        endSequenceNumber: expect.stringMatching(/^\d{21}$/),
        approximateArrivalOfFirstRecord: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/),
        approximateArrivalOfLastRecord: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/),
        batchSize: 1,
        streamArn: expect.stringContaining(prefix),
      },
    });
    expect(log).toContain(message.requestContext.requestId);
  }
});

test('a batch that fails blocks the records of its shard only', async () => {
  const stack = template();
  const { KeysToWorker } = stack.Resources;
  // As often as it takes.
  if (KeysToWorker) KeysToWorker.Properties.MaximumRetryAttempts = -1;
  const { runtime } = await useRuntime(stack, { streams: { retryDelay: 1 } });
  await send(runtime, 'poison');
  for (let n = 0; n < 12; n++) await send(runtime, `item ${n}`);

  // The stream of the other table passes all of them, with the poison discarded.
  const arrived = (await take(runtime, 'Seen', 15)) as StreamRecord[];
  const { arn } = runtime.stack.resources.get('Keys') ?? {};
  const ofKeys = arrived.filter(({ eventSourceARN }) => eventSourceARN.startsWith(`${arn}/`));
  expect(ofKeys.length).toBeGreaterThanOrEqual(3);
  expect(ofKeys.length).toBeLessThan(12);
});

type Change = (resources: Resources) => void;
const without = (action: string) => (resources: Resources) => {
  const role = resources.WorkerRole?.Properties ?? {};
  role.Policies = JSON.parse(JSON.stringify(role.Policies).replace(`"${action}"`, '"sqs:Other"'));
};
const set =
  (logicalId: string, properties: Record<string, unknown>): Change =>
  (resources) => {
    Object.assign(resources[logicalId]?.Properties ?? {}, properties);
  };
const concurrency = (logicalId: string, MaximumConcurrency: number) =>
  set(logicalId, { ScalingConfig: { MaximumConcurrency } });

test.each<[string, Change, string]>([
  ['a role that may not receive', without('sqs:ReceiveMessage'), 'JobsToWorker: User:'],
  ['a role that may not delete', without('sqs:DeleteMessage'), 'sqs:DeleteMessage'],
  ['a role that may not inspect', without('sqs:GetQueueAttributes'), 'sqs:GetQueueAttributes'],
  [
    'a role that may not send to the destination',
    without('sqs:SendMessage'),
    'KeysToWorker.DestinationConfig.OnFailure.Destination: User:',
  ],
  [
    'a visibility timeout below the timeout of the function',
    set('Jobs', { VisibilityTimeout: 19 }),
    'Queue visibility timeout: 19 seconds is less than Function timeout: 20 seconds',
  ],
  [
    'a destination that is not a queue of the stack',
    set('KeysToWorker', { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:::x' } } }),
    'the template has no queue arn:aws:sns:::x',
  ],
  [
    'a large batch without a window',
    set('JobsToWorker', { BatchSize: 11 }),
    'MaximumBatchingWindow',
  ],
  [
    'a starting position for a queue',
    set('JobsToWorker', { StartingPosition: 'LATEST' }),
    'StartingPosition: not for queues',
  ],
  ['a concurrency of one', concurrency('JobsToWorker', 1), 'ScalingConfig.MaximumConcurrency'],
  ['a concurrency for a stream', concurrency('KeysToWorker', 2), 'ScalingConfig: not for streams'],
  ['a FIFO queue with a standard dead-letter queue', set('Jobs', { FifoQueue: true }), 'Jobs'],
])('refuses a template with %s', async (_, change, message) => {
  const stack = template();
  change(stack.Resources);
  await expectRefusal(stack, message);
});
