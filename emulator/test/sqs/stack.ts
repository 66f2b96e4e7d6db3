import { attribute, resolved, TRUST } from '../support/template';

type Json = Readonly<Record<string, unknown>>;

/** The policy that CDK writes for `enforceSSL`, with further statements. */
export function queuePolicy(queue: string, ...statements: readonly Json[]): Json {
  const insecure = {
    Effect: 'Deny',
    Action: 'sqs:*',
    Principal: { AWS: '*' },
    Resource: attribute(queue),
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      PolicyDocument: { Statement: [insecure, ...statements], Version: '2012-10-17' },
      Queues: [{ Ref: queue }],
    },
  };
}

/**
 * Returns a stack with a queue `Work`, its dead-letter queue `Dead`, and a role `role` that may
 * perform `actions` on `Work`.
 */
export function queueStack({
  actions = [],
  work = {},
  more = {},
}: {
  actions?: readonly string[];
  work?: Json;
  more?: Json;
} = {}) {
  const policy = { Statement: [{ Effect: 'Allow', Action: actions, Resource: attribute('Work') }] };
  return resolved({
    Dead: {
      Type: 'AWS::SQS::Queue',
      Properties: { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 },
    },
    Work: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: 'work',
        RedrivePolicy: { deadLetterTargetArn: attribute('Dead'), maxReceiveCount: 2 },
        SqsManagedSseEnabled: true,
        ...work,
      },
    },
    WorkPolicy: queuePolicy('Work'),
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: 'role',
        AssumeRolePolicyDocument: TRUST,
        Policies: [{ PolicyName: 'p', PolicyDocument: policy }],
      },
    },
    ...more,
  });
}
