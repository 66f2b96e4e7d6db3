import { RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** What a deployer may decide about the logs of the service. */
export interface LogOptions {
  /**
   * How long logs are kept.
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
   * Key that encrypts logs.
   *
   * @default - a key of CloudWatch Logs' own
   */
  readonly encryptionKey?: kms.IKey;
}

/** The one way a log group is made here. */
export function createLogGroup(scope: Construct, id: string, options: LogOptions): logs.LogGroup {
  return new logs.LogGroup(scope, id, {
    retention: options.logRetention ?? logs.RetentionDays.ONE_MONTH,
    removalPolicy: options.removalPolicy ?? RemovalPolicy.RETAIN,
    encryptionKey: options.encryptionKey,
  });
}
