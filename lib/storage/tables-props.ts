import type { RemovalPolicy } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';

export interface TablesProps {
  /**
   * What happens to the tables when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether DynamoDB refuses to delete the tables until this is switched off.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly deletionProtection?: boolean;

  /**
   * The key that encrypts the tables and their streams.
   *
   * @default - a key of DynamoDB's own
   */
  readonly encryptionKey?: kms.IKey;
}
