import { UserError } from '../../src/errors/user-error';
import { queueDefinitions } from '../../src/services/sqs/queue-definition';
import { refuseUnsupported } from '../../src/template/check';
import { queuePolicy, queueStack } from './stack';

test('queueDefinitions returns the queues of a template, with the defaults of AWS', () => {
  const [dead, work] = queueDefinitions(queueStack());
  expect(dead).toEqual({
    name: 'dead',
    arn: 'arn:aws:sqs:us-east-1:000000000000:dead',
    delay: 0,
    visibilityTimeout: 30_000,
    retention: 1_209_600_000,
    receiveWait: 0,
    maxMessageBytes: 1_048_576,
    redrive: undefined,
    policy: undefined,
  });
  expect(work).toMatchObject({
    retention: 345_600_000,
    redrive: { deadLetterArn: dead?.arn, maxReceiveCount: 2 },
    policy: { Statement: [{ Effect: 'Deny', Action: 'sqs:*' }] },
  });
});

test('Ref of a queue is its URL, and a queue without a name has a name from the stack', () => {
  const stack = queueStack({ more: { Plain: { Type: 'AWS::SQS::Queue' } } });
  expect(stack.resources.get('Work')?.physicalId).toBe(
    'https://sqs.us-east-1.amazonaws.com/000000000000/work',
  );
  expect(queueDefinitions(stack)[2]?.name).toMatch(/^test-Plain-[a-z0-9]{12}$/);
});

const FIFO = { QueueName: 'work.fifo', FifoQueue: true };

test('a FIFO queue has its deduplication settings, and its generated name ends in .fifo', () => {
  const Properties = { FifoQueue: true, ContentBasedDeduplication: true };
  const scoped = { FifoQueue: true, DeduplicationScope: 'messageGroup' };
  const stack = queueStack({
    more: {
      Plain: { Type: 'AWS::SQS::Queue', Properties },
      Scoped: { Type: 'AWS::SQS::Queue', Properties: scoped },
    },
  });
  const [, , plain, other] = queueDefinitions(stack);
  expect(plain?.name).toMatch(/^test-Plain-[a-z0-9]{12}\.fifo$/);
  expect(plain?.fifo).toEqual({ contentBased: true, scope: 'queue' });
  expect(other?.fifo).toEqual({ contentBased: false, scope: 'messageGroup' });
  expect(() => refuseUnsupported(stack)).not.toThrow();
});

const redrive = (deadLetterTargetArn: unknown, maxReceiveCount: unknown) => ({
  RedrivePolicy: { deadLetterTargetArn, maxReceiveCount },
});
const elsewhere = 'arn:aws:sqs:us-east-1:000000000000:elsewhere';

test.each<[string, Parameters<typeof queueStack>[0], string]>([
  [
    'a standard queue with the name of a FIFO queue',
    { work: { QueueName: 'work.fifo' } },
    'Work: work.fifo',
  ],
  ['a FIFO queue that is not called one', { work: { FifoQueue: true } }, 'Work: work cannot be'],
  ['dead letters in a queue of another kind', { work: FIFO }, 'Work.RedrivePolicy'],
  [
    'deduplication in a standard queue',
    { work: { ContentBasedDeduplication: true } },
    'for FIFO queues only',
  ],
  ['a delay of an hour', { work: { DelaySeconds: 3600 } }, 'Work.DelaySeconds'],
  ['half a second', { work: { VisibilityTimeout: 0.5 } }, 'Work.VisibilityTimeout'],
  ['a short retention', { work: { MessageRetentionPeriod: 59 } }, 'Work.MessageRetentionPeriod'],
  ['dead letters elsewhere', { work: redrive(elsewhere, 1) }, `no queue ${elsewhere}`],
  ['no receive at all', { work: redrive(elsewhere, 0) }, 'maxReceiveCount'],
  ['half a redrive policy', { work: redrive(elsewhere, undefined) }, 'Work.RedrivePolicy'],
  ['two policies', { more: { Second: queuePolicy('Work') } }, 'has a policy already'],
])('refuses %s', (_, options, message) => {
  expect(() => queueDefinitions(queueStack(options))).toThrow(UserError);
  expect(() => queueDefinitions(queueStack(options))).toThrow(message);
});

test('a property that is not emulated is refused by name', () => {
  const more = { Plain: { Type: 'AWS::SQS::Queue', Properties: { RedriveAllowPolicy: 'x' } } };
  expect(() => refuseUnsupported(queueStack({ more }))).toThrow('Plain.RedriveAllowPolicy');
  expect(() => refuseUnsupported(queueStack())).not.toThrow();
});
