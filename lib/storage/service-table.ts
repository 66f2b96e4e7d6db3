import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { grantKey } from './encryption';

export interface ServiceTableProps extends Omit<dynamodb.TablePropsV2, 'encryption'> {
  /** @default - a key of DynamoDB's own */
  readonly key?: kms.IKey;
}

/**
 * A table with the key that encrypts it. The CDK's own prop would need a stack that knows its
 * region.
 */
export class ServiceTable extends dynamodb.TableV2 {
  /** The key of the deployer that encrypts it. */
  public readonly key: kms.IKey | undefined;

  constructor(scope: Construct, id: string, { key, ...props }: ServiceTableProps) {
    super(scope, id, props);
    this.key = key;
    if (key === undefined) return;
    const table = this.node.defaultChild;
    if (!(table instanceof dynamodb.CfnGlobalTable)) throw new Error('the table has no resource');
    table.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
    table.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
  }
}

/** Throws an Error for a table without a stream: a mistake of the construct. */
export function requireStream(table: ServiceTable): string {
  const arn = table.tableStreamArn;
  if (arn === undefined) throw new Error(`${table.node.path} has no stream: set dynamoStream`);
  return arn;
}

/** What the CDK's own grants give, for a key of one's own. */
const KEY_READ = ['Decrypt', 'DescribeKey'];
const KEY_WRITE = [...KEY_READ, 'Encrypt', 'ReEncryptFrom', 'ReEncryptTo', 'GenerateDataKey'];
const READS = ['GetItem', 'BatchGetItem', 'Query', 'Scan'];

/** Allows polling the table's stream. */
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
 * The table's own ARN alone: TableV2.grant adds `/index/*`, and there is no index. A transaction
 * needs the actions of the writes in it, and no other.
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
 * Those items alone whose partition key fits: for calls that name a key, as all but a scan do,
 * outside of transactions.
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
