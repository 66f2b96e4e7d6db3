import { EventBridge, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { UserError } from '../../src/errors/user-error';
import { createStackIam } from '../../src/iam/stack-iam';
import { startEventBuses } from '../../src/services/events/event-buses';
import type { QueueSource } from '../../src/services/events/queue-source';
import type { Invoker } from '../../src/services/lambda/invoker';
import { queueDefinitions } from '../../src/services/sqs/queue-definition';
import { startSqs } from '../../src/services/sqs/sqs';
import { refuseUnsupported } from '../../src/template/check';
import { useLambda } from '../lambda/service';
import { functionArn, functionStack } from '../lambda/stack';
import { afterTest, useFolder } from '../support/clean-up';
import { attribute } from '../support/template';

const ROLE = 'arn:aws:iam::000000000000:role/role';
const RULE = 'arn:aws:events:us-east-1:000000000000:rule/rule';

const rule = (properties: Readonly<Record<string, unknown>> = {}) => ({
  Type: 'AWS::Events::Rule',
  Properties: {
    Name: 'rule',
    EventBusName: { Ref: 'Bus' },
    EventPattern: { source: ['shop'], 'detail-type': ['Object Put'] },
    Targets: [
      { Id: 'Fn', Arn: attribute('Fn') },
      { Id: 'Queue', Arn: attribute('Queue') },
    ],
    ...properties,
  },
});

const queuePolicy = (SourceArn: unknown) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: 'Queue' }],
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Action: ['sqs:SendMessage', 'sqs:GetQueueUrl'],
          Principal: { Service: 'events.amazonaws.com' },
          Resource: attribute('Queue'),
          Condition: { ArnEquals: { 'aws:SourceArn': SourceArn } },
        },
      ],
    },
  },
});

function stackOf(others: Readonly<Record<string, unknown>> = {}) {
  return functionStack(
    { Fn: { Handler: 'buffered.handler' } },
    {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'bus' } },
      Queue: { Type: 'AWS::SQS::Queue' },
      QueuePolicy: queuePolicy(attribute('Rule')),
      Rule: rule(),
      Permission: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: { Ref: 'Fn' },
          Principal: 'events.amazonaws.com',
          SourceArn: attribute('Rule'),
        },
      },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: {
          PolicyName: 'put',
          Roles: [{ Ref: 'Role' }],
          PolicyDocument: {
            Statement: [
              { Effect: 'Allow', Action: 'events:PutEvents', Resource: attribute('Bus') },
            ],
          },
        },
      },
      ...others,
    },
  );
}

/**
 * Starts the bus of a stack, and a client with the stack's role. `invoked` and the queue contain
 * the events that the rules send.
 */
async function useBus(others: Readonly<Record<string, unknown>> = {}) {
  const stack = stackOf(others);
  const iam = createStackIam(stack, 'seed');
  const { region, accountId } = stack;
  const definitions = queueDefinitions(stack);
  const dataDir = useFolder();
  const sqs = await startSqs({ queues: definitions, dataDir, iam, region, accountId, port: 0 });
  afterTest(() => sqs.stop());
  const real = useLambda(stack);
  const invoked: unknown[] = [];
  const invoker: Invoker = {
    ...real,
    invokeAsync: async (arn, payload, source) => {
      if (source === undefined || !real.permits(arn, source)) throw new Error('not permitted');
      invoked.push({ arn, event: JSON.parse(payload) });
    },
  };
  const options = { stack, iam, invoker: Promise.resolve(invoker), queues: sqs.source };
  const buses = await startEventBuses(options);
  if (buses === undefined) throw new Error('no bus');
  afterTest(() => buses.stop());
  const { endpoint } = buses;
  const credentials = iam.credentialsForRole(ROLE);
  const client = new EventBridge({ endpoint, region, credentials, maxAttempts: 1 });
  afterTest(() => client.destroy());
  const put = (...Entries: Partial<PutEventsRequestEntry>[]) =>
    client.putEvents({
      Entries: Entries.map((entry) => ({
        Source: 'shop',
        DetailType: 'Object Put',
        Detail: '{"n":1}',
        EventBusName: 'bus',
        ...entry,
      })),
    });
  const queued = async () => {
    const arn = definitions[0]?.arn ?? '';
    const messages = await sqs.source.receive(arn, { limit: 10, wait: 0 });
    return messages.map(({ body }) => JSON.parse(body));
  };
  return { put, invoked, queued };
}

test('an event is sent to the targets of each rule that matches it', async () => {
  const { put, invoked, queued } = await useBus();
  const { Entries, FailedEntryCount } = await put({}, { DetailType: 'Other' }, { Source: 'mine' });
  expect(FailedEntryCount).toBe(0);
  const event = {
    version: '0',
    id: Entries?.[0]?.EventId,
    'detail-type': 'Object Put',
    source: 'shop',
    account: '000000000000',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: [],
    detail: { n: 1 },
  };
  expect(invoked).toEqual([{ arn: functionArn('Fn'), event }]);
  expect(await queued()).toEqual([event]);
});

test('a bus is found by its name or its ARN', async () => {
  const { put, invoked } = await useBus();
  await put({ EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/bus' });
  expect(invoked).toHaveLength(1);
});

test('a rule sends the input of its target instead of the event', async () => {
  const { put, invoked } = await useBus({
    Rule: rule({ Targets: [{ Id: 'Fn', Arn: attribute('Fn'), Input: '{"task":"x"}' }] }),
  });
  await put({});
  expect(invoked).toEqual([{ arn: functionArn('Fn'), event: { task: 'x' } }]);
});

test('a disabled rule sends nothing', async () => {
  const { put, invoked, queued } = await useBus({ Rule: rule({ State: 'DISABLED' }) });
  await put({});
  expect(invoked).toEqual([]);
  expect(await queued()).toEqual([]);
});

test('a queue whose policy denies the rule receives no event, other targets do', async () => {
  const { put, invoked, queued } = await useBus({ QueuePolicy: queuePolicy(`${RULE}-other`) });
  expect((await put({})).FailedEntryCount).toBe(0);
  expect(invoked).toHaveLength(1);
  expect(await queued()).toEqual([]);
});

test('entries fail independently', async () => {
  const { put, invoked } = await useBus();
  const response = await put({ Detail: 'no JSON' }, {}, { Detail: '[]' }, { Source: '' });
  expect(response.FailedEntryCount).toBe(3);
  expect(response.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'MalformedDetail',
    undefined,
    'MalformedDetail',
    'InvalidArgument',
  ]);
  expect(invoked).toHaveLength(1);
});

test('a role may put events on the buses of its policies only', async () => {
  const { put } = await useBus();
  await expect(put({ EventBusName: 'default' })).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('events:PutEvents'),
  });
});

test.each<[string, Partial<PutEventsRequestEntry>[]]>([
  ['more than ten entries', Array.from({ length: 11 }, () => ({}))],
  ['an entry above 256 KiB', [{ Detail: JSON.stringify('x'.repeat(256 * 1024)) }]],
  ['an entry with TraceHeader', [{ TraceHeader: 'x' }]],
])('a bus refuses %s', async (_, entries) => {
  const { put } = await useBus();
  await expect(put(...entries)).rejects.toMatchObject({ name: 'ValidationException' });
});

test('startEventBuses returns undefined for a stack without buses and rules with patterns', async () => {
  const stack = functionStack({});
  const invoker = Promise.reject(new Error('not used'));
  invoker.catch(() => undefined);
  const iam = createStackIam(stack, 'seed');
  expect(await startEventBuses({ stack, iam, invoker })).toBeUndefined();
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['a numeric pattern', { EventPattern: { detail: { n: [{ numeric: ['>', 1] }] } } }, 'numeric'],
  [
    'a topic',
    { Targets: [{ Id: 'T', Arn: 'arn:aws:sns:us-east-1:000000000000:t' }] },
    'Targets[0]',
  ],
  [
    'a queue of another account',
    { Targets: [{ Id: 'T', Arn: 'arn:aws:sqs:us-east-1:1:q' }] },
    'Targets[0]',
  ],
])('startEventBuses refuses %s', async (_, properties, message) => {
  const stack = stackOf({ Rule: rule(properties) });
  const iam = createStackIam(stack, 'seed');
  const queues = { describe: () => undefined } as Partial<QueueSource> as QueueSource;
  const started = startEventBuses({ stack, iam, invoker: new Promise(() => {}), queues });
  await expect(started).rejects.toThrow(UserError);
  await expect(started).rejects.toThrow(message);
});

test('a target with an input transformer is refused, with the name of the property', () => {
  const target = { Id: 'Fn', Arn: attribute('Fn'), InputTransformer: { InputTemplate: 'x' } };
  const stack = stackOf({ Rule: rule({ Targets: [target] }) });
  expect(() => refuseUnsupported(stack)).toThrow('InputTransformer');
  expect(() => refuseUnsupported(stackOf())).not.toThrow();
});
