import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { grant, grantItems, grantReadStream, requireStream, ServiceTable } from './service-table';

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
   * Key that encrypts the tables and their streams.
   *
   * @default - a key of DynamoDB's own
   */
  readonly encryptionKey?: kms.IKey;
}

const { STRING, NUMBER } = dynamodb.AttributeType;

/**
 * Attribute of Uploads, ApiKeys, Rates and Subscriptions with the epoch second after which DynamoDB
 * may drop the row.
 */
const TTL_ATTRIBUTE = 'ttl';

/**
 * Partition keys of Buckets that are no bucket's: directory, graves, state. No name of a bucket
 * holds a `#`.
 */
const SERVICE_ITEMS = '#*';

/**
 * One table per noun, so that each can be granted by itself. Keys are described in docs/design.md,
 * "Tables". There are no secondary indexes: every read is by key, by range of a sort key, the
 * janitor's scan of Uploads, or admin's of ApiKeys.
 */
export class Tables extends Construct {
  /** Bucket records, their statistics, the directory, graves and the service's state. */
  public readonly buckets: ServiceTable;
  /** The current record of each key. */
  public readonly objects: ServiceTable;
  /** The change log; its stream wakes fanout. */
  public readonly changes: ServiceTable;
  /** Presigned uploads and idempotency rows. */
  public readonly uploads: ServiceTable;
  /** The API keys; its stream wakes revocation. */
  public readonly apiKeys: ServiceTable;
  /** Who changed which API key. */
  public readonly audit: ServiceTable;
  /** Rate limits of the API keys, and what is counted of their use. */
  public readonly rates: ServiceTable;
  /** Open channels, what they follow, and tickets. */
  public readonly subscriptions: ServiceTable;

  /** @internal */
  constructor(scope: Construct, id: string, props: TablesProps = {}) {
    super(scope, id);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    const common = {
      billing: dynamodb.Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy,
      deletionProtection: props.deletionProtection ?? removalPolicy === RemovalPolicy.RETAIN,
      key: props.encryptionKey,
    };

    this.buckets = new ServiceTable(this, 'Buckets', {
      ...common,
      partitionKey: { name: 'name', type: STRING },
      sortKey: { name: 'entry', type: STRING },
    });
    this.objects = new ServiceTable(this, 'Objects', {
      ...common,
      partitionKey: { name: 'bucket_id', type: STRING },
      sortKey: { name: 'key', type: STRING },
    });
    // No TTL: an entry that vanished by itself would look like a writer in flight (protocol, Trim).
    this.changes = new ServiceTable(this, 'Changes', {
      ...common,
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'cursor', type: NUMBER },
      dynamoStream: dynamodb.StreamViewType.NEW_IMAGE,
    });
    this.uploads = new ServiceTable(this, 'Uploads', {
      ...common,
      partitionKey: { name: 'id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.apiKeys = new ServiceTable(this, 'ApiKeys', {
      ...common,
      partitionKey: { name: 'id', type: STRING },
      // Hashes stay where they are: revocation reads the key that changed.
      dynamoStream: dynamodb.StreamViewType.KEYS_ONLY,
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    // No TTL: who did what stays known.
    this.audit = new ServiceTable(this, 'Audit', {
      ...common,
      partitionKey: { name: 'log', type: STRING },
      sortKey: { name: 'id', type: STRING },
    });
    this.rates = new ServiceTable(this, 'Rates', {
      ...common,
      partitionKey: { name: 'key_id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.subscriptions = new ServiceTable(this, 'Subscriptions', {
      ...common,
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'connection_id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
  }

  /** @internal Allows looking up one API key at a time; never listing them. */
  public grantAuthorize(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.apiKeys, 'GetItem');
  }

  /**
   * @internal Allows counting requests against the limits of API keys, and looking a key up when it
   * was changed.
   */
  public grantLimit(grantee: iam.IGrantable): iam.Grant {
    return this.grantMarkKeyChanged(grantee).combine(this.grantAuthorize(grantee));
  }

  /** @internal Allows marking an API key as changed, so that nothing remembered of it counts. */
  public grantMarkKeyChanged(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.rates, 'UpdateItem');
  }

  /** @internal Allows reading what is counted of the use of API keys. */
  public grantReadUsage(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.rates, 'BatchGetItem');
  }

  /**
   * @internal Allows making, listing and changing API keys, each change with its audit record, and
   * reading those.
   */
  public grantManageKeys(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.apiKeys, 'GetItem', 'Scan', 'PutItem').combine(
      grant(grantee, this.audit, 'PutItem', 'Query'),
    );
  }

  /** @internal Allows reading current records and old versions of objects, one by one. */
  public grantReadObjects(grantee: iam.IGrantable): iam.Grant {
    return this.grantBucketRecords(grantee, 'GetItem')
      .combine(grant(grantee, this.objects, 'GetItem'))
      .combine(grant(grantee, this.changes, 'GetItem'));
  }

  /** @internal Allows listing the objects of a bucket. */
  public grantListObjects(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.objects, 'Query');
  }

  /**
   * @internal Allows committing changes of objects: a number, then log entry and record in one
   * transaction.
   */
  public grantCommit(grantee: iam.IGrantable): iam.Grant {
    return this.grantBucketRecords(grantee, 'GetItem', 'UpdateItem')
      .combine(grant(grantee, this.objects, 'GetItem', 'PutItem'))
      .combine(grant(grantee, this.changes, 'PutItem'));
  }

  /**
   * @internal Allows creating, listing and deleting buckets, which takes fencing their log, and
   * keeping the service's state.
   */
  public grantManageBuckets(grantee: iam.IGrantable): iam.Grant {
    const { buckets } = this;
    return this.grantBucketRecords(grantee, 'GetItem', 'BatchGetItem', 'UpdateItem')
      .combine(grantItems(grantee, buckets, { StringLike: SERVICE_ITEMS }, 'GetItem', 'Query'))
      .combine(grant(grantee, buckets, 'PutItem', 'DeleteItem'))
      .combine(grant(grantee, this.objects, 'Query'))
      .combine(grant(grantee, this.changes, 'Query', 'PutItem'));
  }

  /** @internal Allows delivering, fencing and trimming the log, and forgetting tombstones. */
  public grantMaintainLog(grantee: iam.IGrantable): iam.Grant {
    return this.grantBucketRecords(grantee, 'GetItem', 'UpdateItem')
      .combine(grant(grantee, this.objects, 'DeleteItem'))
      .combine(grant(grantee, this.changes, 'GetItem', 'Query', 'PutItem', 'BatchWriteItem'));
  }

  /** @internal Allows comparing records and the log with the blobs. */
  public grantReconcile(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.objects, 'GetItem', 'BatchGetItem', 'Query').combine(
      grant(grantee, this.changes, 'GetItem', 'Query'),
    );
  }

  /** @internal Allows minting presigned uploads, and remembering answers under idempotency keys. */
  public grantMintUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'PutItem');
  }

  /** @internal Allows marking presigned uploads as committed or refused. */
  public grantSettleUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'UpdateItem');
  }

  /** @internal Allows finding presigned uploads whose S3 event never came. */
  public grantFindUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'Scan');
  }

  /** @internal Allows minting tickets, with which a channel is opened without an API key. */
  public grantMintTickets(grantee: iam.IGrantable): iam.Grant {
    return grantItems(grantee, this.subscriptions, { StringLike: 'ticket#*' }, 'PutItem');
  }

  /** @internal Allows following a log from any position on, which takes fencing it. */
  public grantFollowLog(grantee: iam.IGrantable): iam.Grant {
    return this.grantBucketRecords(grantee, 'GetItem').combine(
      grant(grantee, this.changes, 'Query', 'PutItem'),
    );
  }

  /** @internal Allows opening, changing and closing channels, and redeeming tickets. */
  public grantSubscribe(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.subscriptions, 'GetItem', 'PutItem', 'UpdateItem').combine(
      grant(grantee, this.subscriptions, 'DeleteItem', 'BatchWriteItem'),
    );
  }

  /** @internal Allows finding those who follow a bucket. */
  public grantFindSubscribers(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.subscriptions, 'Query');
  }

  /** @internal Allows finding the channels of an API key, and forgetting them. */
  public grantRevoke(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.subscriptions, 'GetItem', 'Query').combine(
      grant(grantee, this.subscriptions, 'UpdateItem', 'DeleteItem', 'BatchWriteItem'),
    );
  }

  /**
   * Records and statistics of buckets; never what the service keeps for itself beside them, such as
   * the secret of page tokens.
   */
  private grantBucketRecords(grantee: iam.IGrantable, ...actions: string[]): iam.Grant {
    return grantItems(grantee, this.buckets, { StringNotLike: SERVICE_ITEMS }, ...actions);
  }

  /** @internal Allows Lambda, in the function's role, to poll the Changes stream. */
  public grantReadChangesStream(grantee: iam.IGrantable): iam.Grant {
    return grantReadStream(grantee, this.changes);
  }

  /** @internal Allows Lambda, in the function's role, to poll the ApiKeys stream. */
  public grantReadApiKeysStream(grantee: iam.IGrantable): iam.Grant {
    return grantReadStream(grantee, this.apiKeys);
  }

  /** @internal */
  public get changesStreamArn(): string {
    return requireStream(this.changes);
  }

  /** @internal */
  public get apiKeysStreamArn(): string {
    return requireStream(this.apiKeys);
  }
}
