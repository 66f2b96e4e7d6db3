import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type {
  Connection,
  MessageAdmission,
  MessageRate,
  Subscriber,
  Subscription,
  Subscriptions,
  Ticket,
} from '../../../core/channel/ports';
import { deleteAll } from './batches';
import { failedConditions, pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { type Fields, type Item, names, toItem } from './items/attributes';
import {
  connectionItem,
  connectionKey,
  connectionRecord,
  followedFields,
  followerItem,
  followerKey,
  followerShards,
  keyIndexItem,
  keyIndexKey,
  keyShard,
  openConnection,
  subscriber,
  ticketItem,
  ticketKey,
  ticketRecord,
} from './items/subscription-item';
import { admit } from './message-rate';

/**
 * How often `subscribe` may find that another message of the same connection changed the
 * subscription meanwhile.
 */
const SUBSCRIBE_ATTEMPTS = 5;

/**
 * The Subscriptions port on the Subscriptions table. A subscription is stored twice: in the
 * connection's row, which function `channel` reads, and as a row of the bucket, which fanout reads.
 * One transaction changes both, so that two concurrent messages of a connection cannot leave them
 * with different prefixes: pushed ranges would then lack changes.
 */
export class DynamoSubscriptions implements Subscriptions {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /**
   * 2 PutItem. The connection's row is written before its row in the index by key: a review that
   * finds only the index row would take the connection for a half closed one.
   */
  async open(connection: Omit<Connection, 'subscriptions'>): Promise<void> {
    await this.put(connectionItem(connection));
    await this.put(keyIndexItem(connection));
  }

  /** 1 GetItem, consistent. */
  async get(connectionId: string): Promise<Connection | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({
        TableName: this.table,
        Key: toItem(connectionKey(connectionId)),
        ConsistentRead: true,
      }),
    );
    return Item && openConnection(Item);
  }

  /** 1 UpdateItem; up to 3 for a message that comes soon after another: see message-rate.ts. */
  async admitMessage(
    connectionId: string,
    now: number,
    rate: MessageRate,
  ): Promise<MessageAdmission | undefined> {
    return admit(this.client, this.table, connectionId, now, rate);
  }

  /**
   * 1 TransactWriteItems of 2 items, 3 in place of one to another incarnation of the bucket; more when another
   * message changed the same subscription.
   */
  async subscribe(
    connection: Connection,
    followed: Subscription,
    { expiresAt, limit }: { readonly expiresAt?: number; readonly limit: number },
  ): Promise<boolean> {
    let before = connection.subscriptions.get(followed.bucket);
    for (let attempt = 1; attempt <= SUBSCRIBE_ATTEMPTS; attempt++) {
      const follower = followerItem(connection, followed, expiresAt);
      const failure = await this.change([
        this.setFollowed(connection.id, followed, before, limit),
        { Put: { TableName: this.table, Item: follower } },
        ...(before !== undefined && before.bucketId !== followed.bucketId
          ? [this.deletion(followerKey(before.bucketId, connection.id))]
          : []),
      ]);
      if (failure === undefined) return true;
      const current = failure.item && openConnection(failure.item);
      if (current === undefined) return false;
      const present = current.subscriptions.get(followed.bucket);
      if (isSame(present, before)) return false;
      before = present;
    }
    throw new Error(
      `another message changed the subscription to ${followed.bucket} ${SUBSCRIBE_ATTEMPTS} times`,
    );
  }

  /** 1 UpdateItem. */
  async setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: followerKey(bucketId, connectionId),
      update: expiresAt === undefined ? 'REMOVE #expires_at' : 'SET #expires_at = :expires_at',
      condition: 'attribute_exists(#shard)',
      attributes: ['shard', 'expires_at'],
      values: expiresAt === undefined ? undefined : { ':expires_at': expiresAt },
    });
  }

  /** 1 TransactWriteItems of 2 items. */
  async unsubscribe(
    connectionId: string,
    { bucket, bucketId }: Pick<Subscription, 'bucket' | 'bucketId'>,
  ): Promise<void> {
    const Update = {
      TableName: this.table,
      Key: toItem(connectionKey(connectionId)),
      UpdateExpression: 'REMOVE #subscriptions.#bucket',
      ConditionExpression: '#subscriptions.#bucket.#bucket_id = :bucket_id',
      ExpressionAttributeNames: { ...names('subscriptions', 'bucket_id'), '#bucket': bucket },
      ExpressionAttributeValues: toItem({ ':bucket_id': bucketId }),
    };
    await this.change([{ Update }, this.deletion(followerKey(bucketId, connectionId))]);
  }

  /**
   * 1 UpdateItem; for a connection that exists also 1 BatchWriteItem per 25 rows and 1
   * DeleteItem. The connection's row is marked first, so that its subscriptions no longer change, and
   * deleted last, so that a repeated call finds what a crash left.
   */
  async close(connectionId: string): Promise<void> {
    const key = connectionKey(connectionId);
    const row = await guardedUpdate(
      this.client,
      {
        table: this.table,
        key,
        update: 'SET #closing = :yes',
        condition: 'attribute_exists(#shard)',
        attributes: ['shard', 'closing'],
        values: { ':yes': 1 },
      },
      'ALL_NEW',
    );
    if (row === undefined) return;
    const { keyId, subscriptions } = connectionRecord(row);
    const rows = [...subscriptions.values()].map(({ bucketId }) =>
      followerKey(bucketId, connectionId),
    );
    const index = keyIndexKey(keyId, connectionId);
    await deleteAll(this.client, this.table, [index, ...rows].map(toItem));
    await this.take(key);
  }

  /** 1 consistent Query per follower shard (4), more per 1 MB of it; in parallel. */
  async subscribers(bucketId: string): Promise<readonly Subscriber[]> {
    const shards = followerShards(bucketId).map((shard) => this.query(shard));
    return (await Promise.all(shards)).flat().map(subscriber);
  }

  /** 1 DeleteItem. */
  async removeSubscriber(bucketId: string, connectionId: string): Promise<void> {
    await this.take(followerKey(bucketId, connectionId));
  }

  /** 1 consistent Query, more per 1 MB. */
  async connectionsOf(keyId: string): Promise<readonly string[]> {
    const rows = await this.query(keyShard(keyId));
    return rows.flatMap(({ connection_id }) => connection_id?.S ?? []);
  }

  /** 1 PutItem. */
  async addTicket(id: string, ticket: Ticket): Promise<void> {
    await this.put(ticketItem(id, ticket));
  }

  /**
   * 1 DeleteItem, so that only one of two concurrent calls gets the ticket. A ticket whose response
   * is lost on the way is used up.
   */
  async redeemTicket(id: string, now: number): Promise<Ticket | undefined> {
    const item = await this.take(ticketKey(id));
    const ticket = item && ticketRecord(item);
    return ticket && ticket.expiresAt > now ? ticket : undefined;
  }

  private setFollowed(
    connectionId: string,
    followed: Subscription,
    before: Subscription | undefined,
    limit: number,
  ): TransactWriteItem {
    const condition =
      before === undefined
        ? 'attribute_not_exists(#subscriptions.#bucket) AND size(#subscriptions) < :limit'
        : '#subscriptions.#bucket = :before';
    return {
      Update: {
        TableName: this.table,
        Key: toItem(connectionKey(connectionId)),
        UpdateExpression: 'SET #subscriptions.#bucket = :followed',
        ConditionExpression: `attribute_exists(#shard) AND attribute_not_exists(#closing) AND ${condition}`,
        ExpressionAttributeNames: {
          ...names('shard', 'closing', 'subscriptions'),
          '#bucket': followed.bucket,
        },
        ExpressionAttributeValues: toItem({
          ':followed': followedFields(followed),
          ...(before === undefined ? { ':limit': limit } : { ':before': followedFields(before) }),
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  /**
   * Writes all or nothing. undefined: all was written. Otherwise the condition of the first write did
   * not hold for the returned item.
   */
  private async change(
    TransactItems: TransactWriteItem[],
  ): Promise<{ readonly item?: Item } | undefined> {
    try {
      await pastConflicts(() => this.client.send(new TransactWriteItemsCommand({ TransactItems })));
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      if (!failedConditions(error).includes(0)) throw error;
      const item = error.CancellationReasons?.[0]?.Item;
      return item ? { item } : {};
    }
  }

  private async put(item: Item): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.table, Item: item }));
  }

  private deletion(key: Fields): TransactWriteItem {
    return { Delete: { TableName: this.table, Key: toItem(key) } };
  }

  /** Deletes a row; returns what it held. */
  private async take(key: Fields): Promise<Item | undefined> {
    const command = { TableName: this.table, Key: toItem(key), ReturnValues: 'ALL_OLD' } as const;
    const { Attributes } = await pastConflicts(() =>
      this.client.send(new DeleteItemCommand(command)),
    );
    return Attributes;
  }

  private async query(shard: string): Promise<Item[]> {
    const items: Item[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        KeyConditionExpression: '#shard = :shard',
        ExpressionAttributeNames: names('shard'),
        ExpressionAttributeValues: toItem({ ':shard': shard }),
      },
    );
    for await (const { Items = [] } of pages) items.push(...Items);
    return items;
  }
}

function isSame(a: Subscription | undefined, b: Subscription | undefined): boolean {
  return a?.bucketId === b?.bucketId && a?.prefix === b?.prefix;
}
