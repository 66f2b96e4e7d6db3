import { Duration, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { grantKey } from './encryption';
import type { StorageOptions } from './options';

export interface QueuesProps extends StorageOptions {
  /** Timeout of the function that consumes deferred tasks. */
  readonly consumerTimeout: Duration;
}

/** Attempts at a deferred task before it becomes a dead letter. */
const RECEIVES = 5;

/**
 * Work that is deferred, and work that failed. The tables hold all data: a message only says what
 * to check. So both queues may be purged, and are deleted with the stack.
 */
export class Queues extends Construct {
  /** Work that has to wait a moment; the queue FollowUps. */
  public readonly deferredTasks: sqs.Queue;
  /** Dead letters of deferred tasks, and records of stream batches that Lambda dropped. */
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
        'This is the dead-letter queue itself, which an alarm watches. No function consumes it.',
    });
    this.deferredTasks = new sqs.Queue(this, 'FollowUps', {
      ...common,
      // After a day a message is useless: the janitor and client pings have caught up.
      retentionPeriod: Duration.days(1),
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
      visibilityTimeout: Duration.seconds(6 * props.consumerTimeout.toSeconds()),
      deadLetterQueue: { queue: this.undelivered, maxReceiveCount: RECEIVES },
    });
  }

  /** @internal Allows sending deferred tasks. */
  public grantDefer(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.deferredTasks, 'SendMessage');
  }

  /** @internal Allows Lambda, in the function's role, to consume deferred tasks. */
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
   * @internal Allows Lambda, in the function's role, to report which records of a stream it
   * dropped.
   */
  public grantReportFailures(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.undelivered, 'SendMessage');
  }

  /**
   * @internal Where an event source mapping reports batches that it dropped. Binding it grants
   * nothing: see grantReportFailures.
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
