import { Duration, Token } from 'aws-cdk-lib';
import type * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { grantKey } from '../storage/encryption';

/** What a target is told of. */
export interface ChangeTargetOptions {
  /**
   * Buckets whose changes are delivered: names, or beginnings of names that end in `*`.
   *
   * @default - all, `*`
   */
  readonly buckets?: string[];

  /**
   * Where delivery begins in buckets that are there already when the target is added: with what
   * happens from then on, or with the oldest change that is kept. Buckets that are created later
   * are delivered from their first change.
   *
   * @default 'now'
   */
  readonly startFrom?: 'now' | 'oldest';
}

/** How the function that delivers reaches a target. */
export interface BoundTarget {
  readonly kind: 'function' | 'queue' | 'bus';
  readonly address: string;
  /** Seconds that a function may take; absent: nobody knows. */
  readonly timeout?: number;
}

/** A function that takes longer would be told the same again before it is done. */
const LONGEST_TIMEOUT = Duration.minutes(3);

/**
 * Who is told of changes: `storage.onChange('Index', ChangeTarget.lambda(fn))`. docs/construct.md
 * says what is sent.
 */
export class ChangeTarget {
  /**
   * A Lambda function, which is invoked with up to a hundred changes of a bucket at a time, and
   * with the next ones after it has succeeded. Its time limit may be three minutes at most.
   */
  public static lambda(fn: lambda.IFunction): ChangeTarget {
    const timeout = timeoutOf(fn);
    return new ChangeTarget((grantee) => {
      allow(grantee, 'lambda:InvokeFunction', fn.functionArn);
      return { kind: 'function', address: fn.functionArn, timeout };
    });
  }

  /**
   * An SQS queue, standard or FIFO, in which each change is a message; in a FIFO queue each bucket
   * is a group of messages.
   */
  public static queue(queue: sqs.IQueue): ChangeTarget {
    return new ChangeTarget((grantee) => {
      allow(grantee, 'sqs:SendMessage', queue.queueArn);
      grantKey(grantee, queue.encryptionMasterKey, 'sqs', 'Decrypt', 'GenerateDataKey');
      return { kind: 'queue', address: queue.queueUrl };
    });
  }

  /** An EventBridge bus, on which each change is an event of the source `stowage`. */
  public static eventBus(bus: events.IEventBus): ChangeTarget {
    return new ChangeTarget((grantee) => {
      allow(grantee, 'events:PutEvents', bus.eventBusArn);
      return { kind: 'bus', address: bus.eventBusArn };
    });
  }

  private constructor(
    /** @internal Allows the grantee to send, and nothing else. */
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
  if (timeout.toSeconds() > LONGEST_TIMEOUT.toSeconds()) {
    throw new Error(
      `${fn.node.path} has a timeout of ${timeout.toSeconds()} s: a function that is told of changes may have ${LONGEST_TIMEOUT.toSeconds()} s; let it hand on what takes longer`,
    );
  }
  return timeout.toSeconds();
}

const ID = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;
/** As in permissions of API keys: core/access/permissions.ts. */
const PATTERN = /^(?=.{1,63}$)[a-z0-9-]*\*?$/;

/** Throws an Error that names what is wrong, and what to write instead. */
export function validateTarget(id: string, { buckets, startFrom }: ChangeTargetOptions): void {
  if (!ID.test(id)) {
    throw new Error(
      `onChange: the id must be 1 to 63 letters, digits and hyphens beginning with a letter, got '${id}'`,
    );
  }
  const wrong = buckets?.find((pattern) => !Token.isUnresolved(pattern) && !PATTERN.test(pattern));
  if (wrong !== undefined || buckets?.length === 0) {
    throw new Error(
      `onChange ${id}: buckets must be names of buckets, or beginnings that end in *, got ${JSON.stringify(buckets)}: leave it out for all`,
    );
  }
  if (startFrom !== undefined && startFrom !== 'now' && startFrom !== 'oldest') {
    throw new Error(`onChange ${id}: startFrom must be 'now' or 'oldest', got '${startFrom}'`);
  }
}
