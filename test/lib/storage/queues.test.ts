import { logicalId, useStorage } from '../synthesize';

const { stack, storage, template } = useStorage();
const followUps = logicalId(stack, storage.queues.deferredTasks);
const undelivered = logicalId(stack, storage.queues.undelivered);
const propertiesOf = (id: string) => template.toJSON().Resources[id].Properties;

test('both queues are encrypted, and there is no other', () => {
  template.resourceCountIs('AWS::SQS::Queue', 2);
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
});

test('whoever does not use TLS is refused, and nobody is let in by a policy', () => {
  const policies = Object.values(template.findResources('AWS::SQS::QueuePolicy'));
  expect(policies.map(({ Properties }) => Properties)).toEqual(
    [undelivered, followUps].map((id) => ({
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

test('a follow-up that fails five times becomes a dead letter, which is kept for two weeks', () => {
  expect(propertiesOf(followUps).RedrivePolicy).toEqual({
    deadLetterTargetArn: { 'Fn::GetAtt': [undelivered, 'Arn'] },
    maxReceiveCount: 5,
  });
  expect(propertiesOf(undelivered)).toMatchObject({ MessageRetentionPeriod: 14 * 86_400 });
  expect(propertiesOf(undelivered)).not.toHaveProperty('RedrivePolicy');
});

test('a follow-up stays invisible for six times as long as its consumer may run', () => {
  const { Timeout } = propertiesOf(logicalId(stack, storage.functions.fanout.function));
  expect(propertiesOf(followUps).VisibilityTimeout).toBe(6 * Timeout);
});
