/** One-use tickets for the handshake: one row of the Subscriptions table each. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Ticket } from '../../../../core/channel/ports';
import { pastConflicts } from '../conflicts';
import { fromItem, type Item, names, toItem } from '../items/attributes';
import { readItem } from '../read-item';

interface TicketFields {
  readonly key_id: string;
  readonly generation?: number;
  readonly bucket: string;
  readonly prefix: string;
  readonly expires_at: number;
}

export class DynamoTickets {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** 1 PutItem. */
  async add(id: string, ticket: Ticket): Promise<void> {
    const command = new PutItemCommand({ TableName: this.table, Item: ticketItem(id, ticket) });
    await this.client.send(command);
  }

  /**
   * 1 GetItem, and for a ticket that exists 1 DeleteItem on condition that it still does, so that
   * only one of two concurrent calls gets the ticket, and one that is made up costs no write. A
   * ticket whose response is lost on the way is used up.
   */
  async redeem(id: string, now: number): Promise<Ticket | undefined> {
    const key = toItem(ticketKey(id));
    const item = await readItem(this.client, this.table, key);
    const ticket = item && ticketRecord(item);
    if (!ticket || ticket.expiresAt <= now) return undefined;
    const command = new DeleteItemCommand({
      TableName: this.table,
      Key: key,
      ConditionExpression: 'attribute_exists(#shard)',
      ExpressionAttributeNames: names('shard'),
    });
    const deleted = await pastConflicts(() => this.client.send(command)).catch(ifMissing);
    return deleted && ticket;
  }
}

/** undefined when the ticket does not exist or is used up. Throws every other error. */
function ifMissing(error: unknown): undefined {
  if (error instanceof ConditionalCheckFailedException) return undefined;
  throw error;
}

const ticketKey = (id: string) => ({ shard: `ticket#${id}`, connection_id: '-' });

function ticketItem(id: string, { keyId, generation, bucket, prefix, expiresAt }: Ticket): Item {
  return toItem({
    ...ticketKey(id),
    key_id: keyId,
    generation,
    bucket,
    prefix,
    expires_at: expiresAt,
    ttl: Math.ceil(expiresAt / 1000),
  });
}

function ticketRecord(item: Item): Ticket {
  const { key_id, generation, bucket, prefix, expires_at } = fromItem<TicketFields>(item);
  return {
    keyId: key_id,
    ...(generation !== undefined && { generation }),
    bucket,
    prefix,
    expiresAt: expires_at,
  };
}
