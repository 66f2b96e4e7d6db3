import { RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';

/** Options of the resources that hold data. */
export interface StorageOptions {
  /**
   * What happens to the content bucket, the tables, the user pool and the logs when the stack is
   * deleted. CloudFormation deletes only an empty bucket.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB and Cognito refuse to delete the tables and the user pool until this is
   * switched off.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly deletionProtection?: boolean;

  /**
   * Your own KMS key, in the stack's region, for blobs, tables, queues and logs. Functions may use
   * it through those services only. The encryption of existing objects does not change.
   *
   * @default - keys of AWS, at no cost
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Read units a second that each table takes at most, for a bound of the bill: DynamoDB throttles
   * what exceeds it, and requests fail with 503. docs/cost.md says what a request takes.
   *
   * @default - no bound but the quota of the account, 40,000
   */
  readonly maxReadRequestUnits?: number;

  /**
   * Write units a second that each table takes at most.
   *
   * @default - no bound but the quota of the account, 40,000
   */
  readonly maxWriteRequestUnits?: number;
}

/** Returns the removal policy and the deletion protection, with their defaults. */
export function protection({
  removalPolicy = RemovalPolicy.RETAIN,
  deletionProtection = removalPolicy === RemovalPolicy.RETAIN,
}: StorageOptions): Required<Pick<StorageOptions, 'removalPolicy' | 'deletionProtection'>> {
  return { removalPolicy, deletionProtection };
}
