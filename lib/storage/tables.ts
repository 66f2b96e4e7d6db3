import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { grantIndex, INDEX_OF_DUE_OBJECTS, INDEX_OF_OPEN_UPLOADS } from './indexes';
import type { StorageOptions } from './options';
import { grant, grantItems, grantReadStream, requireStream, ServiceTable } from './service-table';

const { STRING, NUMBER } = dynamodb.AttributeType;

/**
 * Attribute of Uploads, ApiKeys, Rates, Subscriptions and Links: the epoch second after which
 * DynamoDB may remove the item.
 */
const TTL_ATTRIBUTE = 'ttl';

/**
 * Partition keys of Buckets for the service's own items: directory, deleted buckets, state. A
 * bucket name contains no `#`.
 */
const SERVICE_ITEMS = '#*';

/**
 * One table per noun, so that each can be granted separately. docs/design.md, "Tables", describes
 * the keys. Every read is by key or by range of a sort key, except admin's scan of ApiKeys. The
 * secondary indexes find the objects and the uploads that have expired.
 */
export class Tables extends Construct {
  /** Buckets, their statistics and directory, deleted ones, and the service's state. */
  public readonly buckets: ServiceTable;
  /** The current record of each key. */
  public readonly objects: ServiceTable;
  /** The change log; its stream wakes fanout. */
  public readonly changes: ServiceTable;
  /** Presigned uploads and idempotency records. */
  public readonly uploads: ServiceTable;
  /** The API keys; its stream wakes revocation. */
  public readonly apiKeys: ServiceTable;
  /** The audit records of changes of API keys. */
  public readonly audit: ServiceTable;
  /** Token buckets and usage of the API keys. */
  public readonly rates: ServiceTable;
  /** Open channels with their subscriptions, and tickets. */
  public readonly subscriptions: ServiceTable;
  /** Links, by the bucket that they lead into. */
  public readonly links: ServiceTable;

  /** @internal */
  constructor(scope: Construct, id: string, options: StorageOptions = {}) {
    super(scope, id);
    const table = (name: string, props: dynamodb.TablePropsV2) =>
      new ServiceTable(this, name, props, options);
    this.buckets = table('Buckets', {
      partitionKey: { name: 'name', type: STRING },
      sortKey: { name: 'entry', type: STRING },
    });
    this.objects = table('Objects', {
      partitionKey: { name: 'bucket_id', type: STRING },
      sortKey: { name: 'key', type: STRING },
      globalSecondaryIndexes: [INDEX_OF_DUE_OBJECTS],
    });
    // No TTL: to readers an entry that DynamoDB removed would be a gap of a writer in flight.
    this.changes = table('Changes', {
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'cursor', type: NUMBER },
      dynamoStream: dynamodb.StreamViewType.NEW_IMAGE,
    });
    this.uploads = table('Uploads', {
      partitionKey: { name: 'id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      globalSecondaryIndexes: [INDEX_OF_OPEN_UPLOADS],
    });
    this.apiKeys = table('ApiKeys', {
      partitionKey: { name: 'id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
      // The stream contains no hashes: revocation reads the key that changed.
      dynamoStream: dynamodb.StreamViewType.KEYS_ONLY,
    });
    // No TTL: audit records are not removed.
    this.audit = table('Audit', {
      partitionKey: { name: 'log', type: STRING },
      sortKey: { name: 'id', type: STRING },
    });
    this.rates = table('Rates', {
      partitionKey: { name: 'key_id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.subscriptions = table('Subscriptions', {
      partitionKey: { name: 'shard', type: STRING },
      sortKey: { name: 'connection_id', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
    this.links = table('Links', {
      partitionKey: { name: 'bucket_id', type: STRING },
      sortKey: { name: 'hash', type: STRING },
      timeToLiveAttribute: TTL_ATTRIBUTE,
    });
  }

  /** @internal Allows reading one API key by its id; not listing them. */
  public grantAuthorize(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.apiKeys, 'GetItem');
  }

  /** @internal Allows reading the secret of temporary keys, among the state of the service. */
  public grantCheckTemporaryKeys(grantee: iam.IGrantable): iam.Grant {
    return grantItems(grantee, this.buckets, { StringLike: '#state' }, 'GetItem');
  }

  /**
   * @internal Allows counting requests against the limits of API keys, and reading a key that was
   * changed.
   */
  public grantLimit(grantee: iam.IGrantable): iam.Grant {
    return this.grantMarkKeyChanged(grantee).combine(this.grantAuthorize(grantee));
  }

  /** @internal Allows marking an API key as changed, which invalidates cached copies. */
  public grantMarkKeyChanged(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.rates, 'UpdateItem');
  }

  /** @internal Allows reading the slots of an API key: its connections and replays. */
  public grantReadSlots(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.rates, 'GetItem');
  }

  /** @internal Allows reading the usage of API keys. */
  public grantReadUsage(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.rates, 'BatchGetItem');
  }

  /**
   * @internal Allows creating, listing and changing API keys, and writing and reading the audit
   * records of these changes, and reading those of deleted buckets.
   */
  public grantManageKeys(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.apiKeys, 'GetItem', 'Scan', 'PutItem')
      .combine(grant(grantee, this.audit, 'PutItem', 'Query'))
      .combine(grantItems(grantee, this.buckets, { StringLike: '#audit' }, 'Query'));
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
   * @internal Allows committing changes of objects: allocating a cursor, then writing log entry and
   * record in one transaction.
   */
  public grantCommit(grantee: iam.IGrantable): iam.Grant {
    return this.grantBucketRecords(grantee, 'GetItem', 'UpdateItem')
      .combine(grant(grantee, this.objects, 'GetItem', 'PutItem'))
      .combine(grant(grantee, this.changes, 'PutItem'));
  }

  /** @internal Allows reading the records of several objects at once, before they are changed. */
  public grantReadSeveralObjects(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.objects, 'BatchGetItem');
  }

  /**
   * @internal Allows creating, listing and deleting buckets, which includes filling gaps of their
   * log, and saving the service's state.
   */
  public grantManageBuckets(grantee: iam.IGrantable): iam.Grant {
    const { buckets } = this;
    return this.grantBucketRecords(grantee, 'GetItem', 'BatchGetItem', 'UpdateItem')
      .combine(grantItems(grantee, buckets, { StringLike: SERVICE_ITEMS }, 'GetItem', 'Query'))
      .combine(grant(grantee, buckets, 'PutItem', 'DeleteItem'))
      .combine(grant(grantee, this.objects, 'Query'))
      .combine(grant(grantee, this.changes, 'Query', 'PutItem'));
  }

  /** @internal Allows publishing and trimming the log, filling gaps, and removing tombstones. */
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

  /** @internal Allows signing uploads, committing staged ones, and saving responses. */
  public grantSignUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'PutItem', 'UpdateItem');
  }

  /** @internal Allows marking presigned uploads as committed or refused. */
  public grantSettleUploads(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.uploads, 'GetItem', 'UpdateItem');
  }

  /** @internal Allows finding the objects that have expired, by the index of Objects. */
  public grantFindDueObjects(grantee: iam.IGrantable): iam.Grant {
    return grantIndex(grantee, this.objects, INDEX_OF_DUE_OBJECTS);
  }

  /** @internal Allows finding presigned uploads that have expired, by the index of Uploads. */
  public grantFindUploads(grantee: iam.IGrantable): iam.Grant {
    return grantIndex(grantee, this.uploads, INDEX_OF_OPEN_UPLOADS).combine(
      grant(grantee, this.uploads, 'BatchGetItem'),
    );
  }

  /** @internal Allows creating tickets, which open a channel without an API key. */
  public grantCreateTickets(grantee: iam.IGrantable): iam.Grant {
    return grantItems(grantee, this.subscriptions, { StringLike: 'ticket#*' }, 'PutItem');
  }

  /** @internal Allows making, listing and revoking links. */
  public grantManageLinks(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.links, 'GetItem', 'Query', 'PutItem', 'DeleteItem');
  }

  /** @internal Allows opening links and counting the openings; not listing links. */
  public grantOpenLinks(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.links, 'GetItem', 'UpdateItem');
  }

  /** @internal Allows the actions on consumers: `UpdateItem` moves and counts their cursors. */
  public grantConsumers(grantee: iam.IGrantable, ...actions: ('GetItem' | 'UpdateItem')[]) {
    return grantItems(grantee, this.buckets, { StringLike: '#consumers' }, ...actions);
  }

  /** @internal Allows following a log from any cursor, which includes filling gaps. */
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

  /** @internal Allows finding the subscribers of a bucket. */
  public grantFindSubscribers(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.subscriptions, 'Query');
  }

  /** @internal Allows finding, narrowing and removing the channels of an API key. */
  public grantRevoke(grantee: iam.IGrantable): iam.Grant {
    return grant(grantee, this.subscriptions, 'GetItem', 'BatchGetItem', 'Query').combine(
      grant(grantee, this.subscriptions, 'UpdateItem', 'DeleteItem', 'BatchWriteItem'),
    );
  }

  /**
   * Records and statistics of buckets; never the service's own items in the same table, such as the
   * secret of page tokens.
   */
  private grantBucketRecords(grantee: iam.IGrantable, ...actions: string[]): iam.Grant {
    return grantItems(grantee, this.buckets, { StringNotLike: SERVICE_ITEMS }, ...actions);
  }

  /** @internal Allows Lambda, in the function's role, to read the stream of Changes. */
  public grantReadChangesStream(grantee: iam.IGrantable): iam.Grant {
    return grantReadStream(grantee, this.changes);
  }

  /** @internal Allows Lambda, in the function's role, to read the stream of ApiKeys. */
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
