import { Duration, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { grantKey } from './encryption';

export interface QueuesProps {
  /** How long the function that consumes follow-ups may run. */
  readonly consumerTimeout: Duration;

  /**
   * Key that encrypts the messages.
   *
   * @default - a key of SQS's own
   */
  readonly encryptionKey?: kms.IKey;
}

/** How often a follow-up is tried before it becomes a dead letter. */
const RECEIVES = 5;

/**
 * What cannot be done at once, and what could not be done at all. Nothing is kept here that the
 * tables do not hold: a message is a hint where to look, so both queues may be emptied, and go with
 * the stack.
 */
export class Queues extends Construct {
  /** Work that has to wait a moment: `FollowUp` in core/channel/ports.ts. */
  public readonly deferredTasks: sqs.Queue;
  /** Dead letters of the follow-ups, and records of batches that Lambda gave up. */
  public readonly undelivered: sqs.Queue;

  /** @internal */
  constructor(scope: Construct, id: string, props: QueuesProps) {
    super(scope, id);
    const { encryptionKey } = props;
    const common = {
      enforceSSL: true,
      ...(encryptionKey === undefined
        ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
        : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    };
    this.undelivered = new sqs.Queue(this, 'Undelivered', {
      ...common,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.undelivered).acknowledge({
      id: 'Serverless-SQSRedrivePolicy',
      reason:
        'It is the queue of dead letters itself, which an alarm watches; no function consumes it, so nothing in it is ever received too often.',
    });
    this.deferredTasks = new sqs.Queue(this, 'FollowUps', {
      ...common,
      // Whom a hint did not reach within a day, the janitor and the client's own pings have long
      // served.
      retentionPeriod: Duration.days(1),
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * props.consumerTimeout.toSeconds()),
      deadLetterQueue: { queue: this.undelivered, maxReceiveCount: RECEIVES },
    });
  }

  /** @internal Allows queueing follow-ups. */
  public grantDefer(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.deferredTasks, 'SendMessage');
  }

  /** @internal Allows Lambda, in the function's role, to consume follow-ups. */
  public grantConsumeDeferredTasks(grantee: iam.IGrantable): iam.Grant {
    return grant(
      grantee,
      this.deferredTasks,
      'ReceiveMessage',
      'DeleteMessage',
      'GetQueueAttributes',
    );
  }

  /**
   * @internal Allows Lambda, in the function's role, to say which records of a stream it gave up.
   */
  public grantReportFailures(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.undelivered, 'SendMessage');
  }

  /**
   * @internal Where an event source mapping tells what it gave up: with no more rights than
   * grantGiveUp.
   */
  public get onFailure(): lambda.IEventSourceDlq {
    return { bind: () => ({ destination: this.undelivered.queueArn }) };
  }
}

function grant(grantee: iam.IGrantable, queue: sqs.Queue, ...actions: string[]): iam.Grant {
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  const sends = actions.includes('SendMessage');
  const uses = sends ? ['GenerateDataKey', 'Decrypt'] : ['Decrypt'];
  grantKey(grantee, queue.encryptionMasterKey, 'sqs', ...uses);
  return iam.Grant.addToPrincipal({
    grantee,
    actions: actions.map((action) => `sqs:${action}`),
    resourceArns: [queue.queueArn],
  });
}
