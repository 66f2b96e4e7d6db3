import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type {
  Connection,
  MessageAdmission,
  MessageRate,
  SubscribeOptions,
  Subscriber,
  Subscription,
  Subscriptions,
  Ticket,
} from '../../../core/channel/ports';
import { failedConditions, pastConflicts } from '../conflicts';
import { type Fields, type Item, names, toItem } from '../items/attributes';
import {
  connectionKey,
  DynamoConnections,
  openConnection,
  subscriptionFields,
} from './connections';
import { countMessage } from './message-rate';
import { DynamoSubscribers, subscriberItem, subscriberKey } from './subscribers';
import { DynamoTickets } from './tickets';

/** Attempts of `subscribe` while other messages of the same connection change the subscription. */
const SUBSCRIBE_ATTEMPTS = 5;

/**
 * The Subscriptions port on the Subscriptions table. A subscription is stored twice: in the
 * connection's row, which function `channel` reads, and as a row of the bucket, which fanout reads.
 * One transaction changes both, so that two concurrent messages of a connection cannot leave them
 * with different prefixes: pushed ranges would then lack changes.
 */
export class DynamoSubscriptions implements Subscriptions {
  private readonly connections: DynamoConnections;
  private readonly bucketSubscribers: DynamoSubscribers;
  private readonly tickets: DynamoTickets;

  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {
    this.connections = new DynamoConnections(client, table);
    this.bucketSubscribers = new DynamoSubscribers(client, table);
    this.tickets = new DynamoTickets(client, table);
  }

  open(connection: Omit<Connection, 'subscriptions'>): Promise<void> {
    return this.connections.open(connection);
  }

  get(connectionId: string): Promise<Connection | undefined> {
    return this.connections.get(connectionId);
  }

  close(connectionId: string, release?: (connection: Connection) => Promise<void>): Promise<void> {
    return this.connections.close(connectionId, release);
  }

  closeMany(keyId: string, connectionIds: readonly string[]): Promise<void> {
    return this.connections.closeMany(keyId, connectionIds);
  }

  connectionsOf(keyId: string): Promise<readonly string[]> {
    return this.connections.ofKey(keyId);
  }

  /**
   * AWS calls: 1 UpdateItem; up to 3 for a message that comes soon after another: see
   * message-rate.ts.
   */
  admitMessage(
    connectionId: string,
    now: number,
    rate: MessageRate,
  ): Promise<MessageAdmission | undefined> {
    return countMessage(this.client, this.table, { connectionId, now, rate });
  }

  /**
   * AWS calls: 1 TransactWriteItems of 2 items, 3 in place of one to another incarnation of the
   * bucket; more when another message changed the same subscription.
   */
  async subscribe(
    connection: Connection,
    subscription: Subscription,
    { expiresAt, limit }: SubscribeOptions,
  ): Promise<boolean> {
    const { bucket, bucketId } = subscription;
    const Item = subscriberItem(connection, subscription, expiresAt);
    let before = connection.subscriptions.get(bucket);
    for (let attempt = 1; attempt <= SUBSCRIBE_ATTEMPTS; attempt++) {
      const failure = await this.change([
        this.setSubscription(connection.id, { before, after: subscription, limit }),
        { Put: { TableName: this.table, Item } },
        ...(before !== undefined && before.bucketId !== bucketId
          ? [this.deletion(subscriberKey(before.bucketId, connection.id))]
          : []),
      ]);
      if (failure === undefined) return true;
      const current = failure.item && openConnection(failure.item);
      if (current === undefined) return false;
      const present = current.subscriptions.get(bucket);
      if (isSame(present, before)) return false;
      before = present;
    }
    throw new Error(
      `another message changed the subscription to ${bucket} ${SUBSCRIBE_ATTEMPTS} times`,
    );
  }

  /** AWS calls: 1 TransactWriteItems of 2 items. */
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
    await this.change([{ Update }, this.deletion(subscriberKey(bucketId, connectionId))]);
  }

  setKeyExpiry(bucketId: string, connectionId: string, expiresAt?: number): Promise<void> {
    return this.bucketSubscribers.setKeyExpiry(bucketId, connectionId, expiresAt);
  }

  subscribers(bucketId: string): Promise<readonly Subscriber[]> {
    return this.bucketSubscribers.of(bucketId);
  }

  removeSubscriber(bucketId: string, connectionId: string): Promise<void> {
    return this.bucketSubscribers.remove(bucketId, connectionId);
  }

  addTicket(id: string, ticket: Ticket): Promise<void> {
    return this.tickets.add(id, ticket);
  }

  ticket(id: string, now: number): Promise<Ticket | undefined> {
    return this.tickets.get(id, now);
  }

  redeemTicket(id: string): Promise<boolean> {
    return this.tickets.redeem(id);
  }

  /** Replaces `before` in the connection's row, if it is still there and the connection is open. */
  private setSubscription(
    connectionId: string,
    {
      before,
      after,
      limit,
    }: { readonly before?: Subscription; readonly after: Subscription; readonly limit: number },
  ): TransactWriteItem {
    const condition =
      before === undefined
        ? 'attribute_not_exists(#subscriptions.#bucket) AND size(#subscriptions) < :limit'
        : '#subscriptions.#bucket = :before';
    return {
      Update: {
        TableName: this.table,
        Key: toItem(connectionKey(connectionId)),
        UpdateExpression: 'SET #subscriptions.#bucket = :after',
        ConditionExpression: `attribute_exists(#shard) AND attribute_not_exists(#closing) AND ${condition}`,
        ExpressionAttributeNames: {
          ...names('shard', 'closing', 'subscriptions'),
          '#bucket': after.bucket,
        },
        ExpressionAttributeValues: toItem({
          ':after': subscriptionFields(after),
          ...(before === undefined
            ? { ':limit': limit }
            : { ':before': subscriptionFields(before) }),
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
  }

  /**
   * Writes all or nothing. Returns undefined when all was written. Otherwise the condition of the
   * first write did not hold for the returned item.
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

  private deletion(key: Fields): TransactWriteItem {
    return { Delete: { TableName: this.table, Key: toItem(key) } };
  }
}

function isSame(a: Subscription | undefined, b: Subscription | undefined): boolean {
  return a?.bucketId === b?.bucketId && a?.prefix === b?.prefix && a?.consumer === b?.consumer;
}
