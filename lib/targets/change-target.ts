import { Duration, Token } from 'aws-cdk-lib';
import type * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { BUCKET_PATTERN } from '../../core/limits';
import { grantKey } from '../storage/encryption';

/** Which changes a target is notified of. */
export interface ChangeTargetOptions {
  /**
   * Buckets whose changes the target is notified of: names, or prefixes of names followed by `*`.
   *
   * @default - all, `*`
   */
  readonly buckets?: string[];

  /**
   * Where to begin in buckets that exist when the target is added: with the changes from then on,
   * or with the oldest entry of the change log. In a bucket that is created later, the target is
   * notified from the first change.
   *
   * @default 'now'
   */
  readonly startFrom?: 'now' | 'oldest';
}

/** The address at which the notifying function reaches a target. */
export interface BoundTarget {
  readonly kind: 'function' | 'queue' | 'bus';
  readonly address: string;
  /** Seconds that a function may take; absent when the construct does not know it. */
  readonly timeout?: number;
}

/** A function that takes longer would be notified of the same changes again while it runs. */
const MAX_TIMEOUT = Duration.minutes(3);

/**
 * A receiver of changes: `storage.onChange('Index', ChangeTarget.lambda(fn))`. docs/construct.md
 * describes what is sent.
 */
export class ChangeTarget {
  /**
   * A Lambda function, which is invoked with up to a hundred changes of a bucket at a time, and
   * with the next changes after it has succeeded. Its timeout may be three minutes at most.
   */
  public static lambda(fn: lambda.IFunction): ChangeTarget {
    const timeout = timeoutOf(fn);
    return new ChangeTarget((grantee) => {
      allow(grantee, 'lambda:InvokeFunction', fn.functionArn);
      return { kind: 'function', address: fn.functionArn, timeout };
    });
  }

  /**
   * An SQS queue, standard or FIFO. Each change is a message; in a FIFO queue each bucket is a
   * message group.
   */
  public static queue(queue: sqs.IQueue): ChangeTarget {
    return new ChangeTarget((grantee) => {
      allow(grantee, 'sqs:SendMessage', queue.queueArn);
      grantKey(grantee, queue.encryptionMasterKey, 'sqs', 'Decrypt', 'GenerateDataKey');
      return { kind: 'queue', address: queue.queueUrl };
    });
  }

  /** An EventBridge bus. Each change is an event of the source `stowage`. */
  public static eventBus(bus: events.IEventBus): ChangeTarget {
    return new ChangeTarget((grantee) => {
      allow(grantee, 'events:PutEvents', bus.eventBusArn);
      return { kind: 'bus', address: bus.eventBusArn };
    });
  }

  private constructor(
    /** @internal Allows the grantee to send changes, and nothing else. */
    readonly bind: (grantee: iam.IGrantable) => BoundTarget,
  ) {}
}

function allow(grantee: iam.IGrantable, action: string, resource: string): void {
  iam.Grant.addToPrincipal({ grantee, actions: [action], resourceArns: [resource] });
}

function timeoutOf(fn: lambda.IFunction): number | undefined {
  if (!(fn instanceof lambda.Function)) return undefined;
  const timeout = fn.timeout ?? Duration.seconds(3);
  if (timeout.isUnresolved()) return undefined;
  if (timeout.toSeconds() > MAX_TIMEOUT.toSeconds()) {
    throw new Error(
      `${fn.node.path} has a timeout of ${timeout.toSeconds()} s: a function that is notified of changes may have at most ${MAX_TIMEOUT.toSeconds()} s; let it start longer work asynchronously`,
    );
  }
  return timeout.toSeconds();
}

const ID = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;

/** Throws an Error that names what is wrong, and what to write instead. */
export function validateTarget(id: string, { buckets, startFrom }: ChangeTargetOptions): void {
  if (!ID.test(id)) {
    throw new Error(
      `onChange: the id must be 1 to 63 letters, digits and hyphens beginning with a letter, got '${id}'`,
    );
  }
  const wrong = buckets?.find(
    (pattern) => !Token.isUnresolved(pattern) && !BUCKET_PATTERN.test(pattern),
  );
  if (wrong !== undefined || buckets?.length === 0) {
    throw new Error(
      `onChange ${id}: buckets must be names of buckets, or prefixes followed by *, got ${JSON.stringify(buckets)}: leave it out for all`,
    );
  }
  if (startFrom !== undefined && startFrom !== 'now' && startFrom !== 'oldest') {
    throw new Error(`onChange ${id}: startFrom must be 'now' or 'oldest', got '${startFrom}'`);
  }
}
