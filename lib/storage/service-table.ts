import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { grantKey } from './encryption';
import { protection, type StorageOptions } from './options';

/**
 * A table on demand, recoverable to any point in time, with the protection and the key of the
 * service. The CDK's own property `encryption` requires a stack with a known region.
 */
export class ServiceTable extends dynamodb.TableV2 {
  /** The deployer's key that encrypts the table. */
  public readonly key: kms.IKey | undefined;

  constructor(scope: Construct, id: string, props: dynamodb.TablePropsV2, options: StorageOptions) {
    const { maxReadRequestUnits, maxWriteRequestUnits } = options;
    super(scope, id, {
      billing: dynamodb.Billing.onDemand({ maxReadRequestUnits, maxWriteRequestUnits }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...protection(options),
      ...props,
    });
    const key = options.encryptionKey;
    this.key = key;
    if (key === undefined) return;
    const table = this.node.defaultChild;
    if (!(table instanceof dynamodb.CfnGlobalTable)) {
      throw new Error('the table has no CfnGlobalTable child');
    }
    table.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
    table.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
}

/** The ARN of the table's stream. Throws an Error for a table without one. */
export function requireStream(table: ServiceTable): string {
  const arn = table.tableStreamArn;
  if (arn === undefined) throw new Error(`${table.node.path} has no stream: set dynamoStream`);
  return arn;
}

/** The actions on a key that the CDK's own grants allow. */
export const KEY_READ = ['Decrypt', 'DescribeKey'];
const KEY_WRITE = [...KEY_READ, 'Encrypt', 'ReEncryptFrom', 'ReEncryptTo', 'GenerateDataKey'];
const READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan'];

/** Allows reading the table's stream. */
export function grantReadStream(grantee: iam.IGrantable, table: ServiceTable): iam.Grant {
  grantKey(grantee, table.key, 'dynamodb', ...KEY_READ);
  return iam.Grant.addToPrincipal({
    grantee,
    actions: [
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    ],
    resourceArns: [requireStream(table)],
  });
}

/**
 * Allows the actions on the table. TableV2.grant would add `/index/*`. A transaction needs only the
 * actions of its writes.
 */
export function grant(
  grantee: iam.IGrantable,
  table: ServiceTable,
  ...actions: string[]
): iam.Grant {
  return grantItems(grantee, table, undefined, ...actions);
}

/** Patterns of partition keys. */
type LeadingKeys =
  | { readonly StringLike: string | readonly string[] }
  | { readonly StringNotLike: string };

/**
 * Allows the actions on items whose partition key matches: for calls that name a key, which is all
 * except a scan, outside of transactions.
 */
export function grantItems(
  grantee: iam.IGrantable,
  table: ServiceTable,
  keys: LeadingKeys | undefined,
  ...actions: string[]
): iam.Grant {
  const onlyReads = actions.every((action) => READS.includes(action));
  grantKey(grantee, table.key, 'dynamodb', ...(onlyReads ? KEY_READ : KEY_WRITE));
  const conditions = Object.entries(keys ?? {}).map(([operator, pattern]) => [
    `ForAllValues:${operator}`,
    { 'dynamodb:LeadingKeys': [pattern].flat() },
  ]);
  return iam.Grant.addToPrincipal({
    grantee,
    actions: actions.map((action) => `dynamodb:${action}`),
    resourceArns: [table.tableArn],
    ...(keys && { conditions: Object.fromEntries(conditions) }),
  });
}
