import { logicalId, useStorage } from '../synthesize';

const { stack, storage, template } = useStorage();
const deferredTasks = logicalId(stack, storage.queues.deferredTasks);
const undelivered = logicalId(stack, storage.queues.undelivered);
const propertiesOf = (id: string) => template.toJSON().Resources[id].Properties;

test('a service has two queues, which are encrypted', () => {
  template.resourceCountIs('AWS::SQS::Queue', 2);
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
});

test('queue policies deny requests without TLS, and allow nothing', () => {
  const policies = Object.values(template.findResources('AWS::SQS::QueuePolicy'));
  expect(policies.map(({ Properties }) => Properties)).toEqual(
    [undelivered, deferredTasks].map((id) => ({
      Queues: [{ Ref: id }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'sqs:*',
            Resource: { 'Fn::GetAtt': [id, 'Arn'] },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      },
    })),
  );
});

test('a deferred task that fails five times becomes a dead letter, which SQS stores for two weeks', () => {
  expect(propertiesOf(deferredTasks).RedrivePolicy).toEqual({
    deadLetterTargetArn: { 'Fn::GetAtt': [undelivered, 'Arn'] },
    maxReceiveCount: 5,
  });
  expect(propertiesOf(undelivered)).toMatchObject({ MessageRetentionPeriod: 14 * 86_400 });
  expect(propertiesOf(undelivered)).not.toHaveProperty('RedrivePolicy');
});

test('a deferred task stays invisible for six times the timeout of its consumer', () => {
  const { Timeout } = propertiesOf(logicalId(stack, storage.functions.fanout.function));
  expect(propertiesOf(deferredTasks).VisibilityTimeout).toBe(6 * Timeout);
});
