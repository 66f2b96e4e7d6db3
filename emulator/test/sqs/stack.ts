import { resolveStack } from '../../src/template/resolve-stack';

type Json = Readonly<Record<string, unknown>>;

const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });

export const TRUST = {
  Statement: [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
  ],
};

/** The policy that CDK writes for `enforceSSL`, with further statements. */
export function queuePolicy(queue: string, ...statements: readonly Json[]): Json {
  const insecure = {
    Effect: 'Deny',
    Action: 'sqs:*',
    Principal: { AWS: '*' },
    Resource: arnOf(queue),
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
  const policy = { Statement: [{ Effect: 'Allow', Action: actions, Resource: arnOf('Work') }] };
  const template = {
    Resources: {
      Dead: {
        Type: 'AWS::SQS::Queue',
        Properties: { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 },
      },
      Work: {
        Type: 'AWS::SQS::Queue',
        Properties: {
          QueueName: 'work',
          RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 2 },
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
    },
  };
  return resolveStack({ stackName: 'test', template, assetPath: () => '/' });
}
