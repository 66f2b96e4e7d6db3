import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attribute } from '../support/template';
import { until } from '../support/until';
import { allow, functionWithRole, smallTemplate } from './cdk-out';
import { take, useRuntime } from './service';

jest.setTimeout(60_000);

const LAST = 20;

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

/** A function that sends itself 20 tasks, one after the other. */
function template(properties: Readonly<Record<string, unknown>>) {
  const { Resources, Outputs } = smallTemplate();
  const role = [
    allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], attribute('Jobs')),
    allow('sqs:SendMessage', [attribute('Jobs'), attribute('Seen')]),
    allow('dynamodb:PutItem', attribute('Table')),
    allow('dynamodb:*', attribute('Table', 'StreamArn')),
    allow('lambda:InvokeFunction', '*'),
  ];
  const looping = functionWithRole('Looping', role, {
    LAST: String(LAST),
    QUEUE: { Ref: 'Jobs' },
    SEEN: { Ref: 'Seen' },
    TABLE: { Ref: 'Table' },
  }) as Record<string, Resource>;
  Object.assign(looping.Looping?.Properties ?? {}, properties);
  const mapping = (source: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: source, FunctionName: { Ref: 'Looping' }, ...more },
  });
  const queue = (Properties: Readonly<Record<string, unknown>>) => ({
    Type: 'AWS::SQS::Queue',
    Properties,
  });
  const RedrivePolicy = { deadLetterTargetArn: attribute('Lost'), maxReceiveCount: 100 };
  return {
    Resources: {
      ...Resources,
      ...looping,
      Jobs: queue({ VisibilityTimeout: 30, RedrivePolicy }),
      Seen: queue({}),
      Lost: queue({}),
      JobsToLooping: mapping(attribute('Jobs')),
      TableToLooping: mapping(attribute('Table', 'StreamArn'), {
        StartingPosition: 'TRIM_HORIZON',
      }),
    },
    Outputs: {
      ...Outputs,
      ...Object.fromEntries(['Seen', 'Lost'].map((name) => [name, { Value: { Ref: name } }])),
    },
  };
}

async function useLoop(properties: Readonly<Record<string, unknown>> = {}) {
  const { runtime, dataDir } = await useRuntime(template(properties));
  const { arn = '', physicalId } = runtime.stack.resources.get('Looping') ?? {};
  const begin = (via: string) => runtime.lambda.invoke(arn, JSON.stringify({ via, n: 1 }));
  const logFile = join(dataDir, 'logs', `${physicalId}.log`);
  const log = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
  return { runtime, begin, log };
}

const STOPPED =
  /was invoked 16 times in one chain of requests, so Lambda stops the next invocation/;

test('Lambda stops a loop through a queue after 16 invocations, and the message is in the dead-letter queue', async () => {
  const { runtime, begin, log } = await useLoop();
  await begin('queue');
  // The developer's invocation is the first: it has sent n = 2.
  expect(await take(runtime, 'Lost')).toEqual([{ via: 'queue', n: 17 }]);
  await until(() => STOPPED.test(log()));
});

test('Lambda stops a loop of asynchronous invocations after 16 of them', async () => {
  const { begin, log } = await useLoop();
  await begin('invoke');
  await until(() => log().includes('event discarded: {"via":"invoke","n":17}'));
  await until(() => STOPPED.test(log()));
});

test('Lambda does not stop a function with RecursiveLoop Allow', async () => {
  const { runtime, begin, log } = await useLoop({ RecursiveLoop: 'Allow' });
  await begin('queue');
  expect(await take(runtime, 'Seen')).toEqual([{ via: 'queue', n: LAST }]);
  expect(log()).not.toMatch(STOPPED);
});

test('a stream of a table begins a new chain, as in AWS', async () => {
  const { runtime, begin } = await useLoop();
  await begin('stream');
  expect(await take(runtime, 'Seen')).toEqual([{ via: 'stream', n: LAST }]);
});
