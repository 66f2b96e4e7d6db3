import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { protection, type StorageOptions } from './options';

/** Options of the logs. */
export interface LogOptions extends StorageOptions {
  /**
   * The retention of logs.
   *
   * @default logs.RetentionDays.ONE_MONTH
   */
  readonly logRetention?: logs.RetentionDays;
}

/**
 * Creates a log group with the service's retention, removal policy and encryption. An AWS service
 * that chooses the name of its log group needs `logGroupName`; other names are generated.
 */
export function createLogGroup(
  scope: Construct,
  id: string,
  options: LogOptions & { readonly logGroupName?: string },
): logs.LogGroup {
  return new logs.LogGroup(scope, id, {
    logGroupName: options.logGroupName,
    retention: options.logRetention ?? logs.RetentionDays.ONE_MONTH,
    removalPolicy: protection(options).removalPolicy,
    encryptionKey: options.encryptionKey,
  });
}
