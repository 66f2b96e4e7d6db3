import { RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Options of the logs. */
export interface LogOptions {
  /**
   * The retention of logs.
   *
   * @default logs.RetentionDays.ONE_MONTH
   */
  readonly logRetention?: logs.RetentionDays;

  /**
   * What happens to logs when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * The key that encrypts logs.
   *
   * @default - a key of CloudWatch Logs' own
   */
  readonly encryptionKey?: kms.IKey;
}

/**
 * A log group with the service's retention, removal policy and encryption. `logGroupName`: a name
 * that an AWS service writes to; absent: a generated one.
 */
export function createLogGroup(
  scope: Construct,
  id: string,
  options: LogOptions & { readonly logGroupName?: string },
): logs.LogGroup {
  return new logs.LogGroup(scope, id, {
    logGroupName: options.logGroupName,
    retention: options.logRetention ?? logs.RetentionDays.ONE_MONTH,
    removalPolicy: options.removalPolicy ?? RemovalPolicy.RETAIN,
    encryptionKey: options.encryptionKey,
  });
}
