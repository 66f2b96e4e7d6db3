import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

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
}

const { STRING, NUMBER } = dynamodb.AttributeType;

/** Attribute of Uploads and Subscriptions with the epoch second after which DynamoDB may drop the row. */
const TTL_ATTRIBUTE = 'ttl';

/**
 * One table per noun, so that each can be granted by itself. Keys are described in docs/design.md, "Tables".
 * There are no secondary indexes: every read is by key, by range of a sort key, or the janitor's scan of Uploads.
 */
export class Tables extends Construct {
  /** Bucket records, their statistics, the directory, graves and the service's state. */
  public readonly buckets: dynamodb.TableV2;
  /** The current record of each key. */
  public readonly objects: dynamodb.TableV2;
  /** The change log; its stream wakes fanout. */
  public readonly changes: dynamodb.TableV2;
  /** Presigned uploads and idempotency rows. */
  public readonly uploads: dynamodb.TableV2;
  public readonly apiKeys: dynamodb.TableV2;
  public readonly subscriptions: dynamodb.TableV2;

  constructor(scope: Construct, id: string, props: TablesProps = {}) {
    super(scope, id);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const common = {
      billing: dynamodb.Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy,
      deletionProtection: props.deletionProtection ?? removalPolicy === RemovalPolicy.RETAIN,
    };

    this.buckets = new dynamodb.TableV2(this, 'Buckets', {
      ...common,
      partitionKey: { name: 'name', type: STRING },
      sortKey: { name: 'entry', type: STRING },
    });
    this.objects = new dynamodb.TableV2(this, 'Objects', {
      ...common,
      partitionKey: { name: 'bucket_id', type: STRING },
      sortKey: { name: 'key', type: STRING },
    });
    // No TTL: an entry that vanished by itself would look like a writer in flight (protocol, Trim).
    this.changes = new dynamodb.TableV2(this, 'Changes', {
      ...common,
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'cursor', type: NUMBER },
      dynamoStream: dynamodb.StreamViewType.NEW_IMAGE,
    });
    this.uploads = new dynamodb.TableV2(this, 'Uploads', {
      ...common,
      partitionKey: { name: 'id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.apiKeys = new dynamodb.TableV2(this, 'ApiKeys', {
      ...common,
      partitionKey: { name: 'id', type: STRING },
    });
    this.subscriptions = new dynamodb.TableV2(this, 'Subscriptions', {
      ...common,
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'connection_id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
  }

  /** Allows looking up one API key at a time; never listing them. */
  public grantAuthorize(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.apiKeys, 'GetItem');
  }

  /** Allows reading current records and old versions of objects, one by one. */
  public grantReadObjects(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.buckets, 'GetItem')
      .combine(grant(grantee, this.objects, 'GetItem'))
      .combine(grant(grantee, this.changes, 'GetItem'));
  }

  /** Allows listing the objects of a bucket. */
  public grantListObjects(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.objects, 'Query');
  }

  /** Allows committing changes of objects: a number, then log entry and record in one transaction. */
  public grantCommit(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.buckets, 'GetItem', 'UpdateItem')
      .combine(grant(grantee, this.objects, 'GetItem', 'PutItem'))
      .combine(grant(grantee, this.changes, 'PutItem'));
  }

  /** Allows creating, listing and deleting buckets, which takes fencing their log, and keeping the service's state. */
  public grantManageBuckets(grantee: iam.IGrantable): iam.Grant {
    const { buckets } = this;
    return grant(grantee, buckets, 'GetItem', 'BatchGetItem', 'Query')
      .combine(grant(grantee, buckets, 'PutItem', 'UpdateItem', 'DeleteItem'))
      .combine(grant(grantee, this.objects, 'Query'))
      .combine(grant(grantee, this.changes, 'Query', 'PutItem'));
  }

  /** Allows delivering, fencing and trimming the log, and forgetting tombstones. */
  public grantMaintainLog(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.buckets, 'GetItem', 'UpdateItem')
      .combine(grant(grantee, this.objects, 'DeleteItem'))
      .combine(grant(grantee, this.changes, 'Query', 'PutItem', 'BatchWriteItem'));
  }

  /** Allows comparing records and the log with the blobs. */
  public grantReconcile(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.objects, 'GetItem', 'BatchGetItem', 'Query').combine(
      grant(grantee, this.changes, 'GetItem', 'Query'),
    );
  }

  /** Allows minting presigned uploads, and remembering answers under idempotency keys. */
  public grantMintUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'PutItem');
  }

  /** Allows marking presigned uploads as committed or refused. */
  public grantSettleUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'UpdateItem');
  }

  /** Allows finding presigned uploads whose S3 event never came. */
  public grantFindUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'Scan');
  }

  /** Allows Lambda, in the function's role, to poll the Changes stream. */
  public grantReadChangesStream(grantee: iam.IGrantable): iam.Grant {
    return iam.Grant.addToPrincipal({
      grantee,
      actions: [
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      resourceArns: [this.changesStreamArn],
    });
  }

  public get changesStreamArn(): string {
    const arn = this.changes.tableStreamArn;
    if (arn === undefined) throw new Error('the Changes table has no stream: set dynamoStream');
    return arn;
  }
}

/**
 * The table's own ARN alone: TableV2.grant adds `/index/*`, and there is no index. A transaction needs the actions of
 * the writes in it, and no other.
 */
function grant(grantee: iam.IGrantable, table: dynamodb.TableV2, ...actions: string[]): iam.Grant {
  return iam.Grant.addToPrincipal({
    grantee,
    actions: actions.map((action) => `dynamodb:${action}`),
    resourceArns: [table.tableArn],
  });
}
