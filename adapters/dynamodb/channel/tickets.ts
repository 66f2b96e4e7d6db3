/** One-use tickets for the handshake: one row of the Subscriptions table each. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemInput,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Ticket } from '../../../core/channel/ports';
import { pastConflicts } from '../conflicts';
import { fromItem, type Item, names, toItem } from '../items/attributes';
import { readItem } from '../read-item';

interface TicketFields {
  readonly key_id: string;
  readonly generation?: number;
  /** JSON of `Restriction`. */
  readonly restriction?: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly expires_at: number;
}

export class DynamoTickets {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** AWS calls: 1 PutItem. */
  async add(id: string, ticket: Ticket): Promise<void> {
    await this.client.send(
      new PutItemCommand({ TableName: this.table, Item: ticketItem(id, ticket) }),
    );
  }

  /** AWS calls: 1 GetItem, consistent. */
  async get(id: string, now: number): Promise<Ticket | undefined> {
    const item = await readItem(this.client, this.table, toItem(ticketKey(id)));
    const ticket = item && ticketRecord(item);
    return ticket && ticket.expiresAt > now ? ticket : undefined;
  }

  /**
   * AWS calls: 1 DeleteItem on condition that the ticket still exists, so that only one of two
   * concurrent calls gets it. A ticket whose response is lost on the way is used up.
   */
  async redeem(id: string): Promise<boolean> {
    const command: DeleteItemInput = {
      TableName: this.table,
      Key: toItem(ticketKey(id)),
      ConditionExpression: 'attribute_exists(#shard)',
      ExpressionAttributeNames: names('shard'),
    };
    try {
      await pastConflicts(() => this.client.send(new DeleteItemCommand(command)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

const ticketKey = (id: string) => ({ shard: `ticket#${id}`, connection_id: '-' });

function ticketItem(id: string, ticket: Ticket): Item {
  const { keyId, generation, restriction, bucket, prefix, expiresAt } = ticket;
  return toItem({
    ...ticketKey(id),
    key_id: keyId,
    generation,
    restriction: restriction && JSON.stringify(restriction),
    bucket,
    prefix,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1000),
  });
}

function ticketRecord(item: Item): Ticket {
  const { key_id, generation, restriction, bucket, prefix, expires_at } =
    fromItem<TicketFields>(item);
  return {
    keyId: key_id,
    ...(generation !== undefined && { generation }),
    ...(restriction !== undefined && { restriction: JSON.parse(restriction) }),
    bucket,
    prefix,
    expiresAt: expires_at,
  };
}
