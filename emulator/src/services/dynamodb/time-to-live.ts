import { isRecord, type Json } from '../../values/json';
import type { Engine } from './engine/engine';
import type { Item } from './protocol/attribute-value';
import { DynamoDbError } from './protocol/errors';
import { keysOf } from './streams/writes';
import type { TableDefinition } from './tables/table-definition';

/**
 * A sweep reads at most this many items of a table, so that other requests do not wait for it. The
 * next sweep continues after them.
 */
const MAX_ITEMS_PER_SWEEP = 10_000;
const PAGE_ITEMS = 500;
/** DynamoDB does not delete items whose expiry is longer ago. */
const OLDEST_SECONDS = 5 * 365 * 86_400;

/**
 * Deletes expired items. As in AWS, which deletes them within days, reads return them until then.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html
 */
export class TimeToLive {
  private readonly startKeys = new Map<string, Json>();
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly engine: Engine,
    private readonly tables: readonly TableDefinition[],
    /** Deletes an item in the name of the service, as its stream record then says. */
    private readonly remove: (table: TableDefinition, request: Json) => Promise<void>,
  ) {}

  start(intervalMilliseconds: number): void {
    this.timer = setTimeout(() => {
      this.sweeping = this.sweepAll().then(() => {
        if (!this.stopped) this.start(intervalMilliseconds);
      });
    }, intervalMilliseconds);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.sweeping;
  }

  private async sweepAll(): Promise<void> {
    for (const table of this.tables) {
      if (table.ttlAttribute === undefined) continue;
      try {
        await this.sweep(table, table.ttlAttribute);
      } catch (error) {
        if (!this.stopped)
          process.stderr.write(`dynamodb: TTL of ${table.name}: ${String(error)}\n`);
      }
    }
  }

  private async sweep(table: TableDefinition, attribute: string): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const expiry = {
      ExpressionAttributeNames: { '#ttl': attribute },
      ExpressionAttributeValues: {
        ':now': { N: `${now}` },
        ':oldest': { N: `${now - OLDEST_SECONDS}` },
      },
    };
    for (let seen = 0; seen < MAX_ITEMS_PER_SWEEP && !this.stopped; seen += PAGE_ITEMS) {
      const page = await this.engine.call('Scan', {
        TableName: table.name,
        Limit: PAGE_ITEMS,
        ExclusiveStartKey: this.startKeys.get(table.name),
        // BETWEEN is true for numbers only.
        FilterExpression: '#ttl BETWEEN :oldest AND :now',
        ...expiry,
      });
      for (const item of Array.isArray(page.Items) ? page.Items : []) {
        await this.expire(table, {
          Key: keysOf(table, item as Item),
          // The item may have got a later expiry since the scan.
          ConditionExpression: '#ttl BETWEEN :oldest AND :now',
          ...expiry,
        });
      }
      const lastKey = page.LastEvaluatedKey;
      if (!isRecord(lastKey)) {
        this.startKeys.delete(table.name);
        return;
      }
      this.startKeys.set(table.name, lastKey);
    }
  }

  private async expire(table: TableDefinition, request: Json): Promise<void> {
    try {
      await this.remove(table, { TableName: table.name, ...request });
    } catch (error) {
      if (error instanceof DynamoDbError && error.code === 'ConditionalCheckFailedException')
        return;
      throw error;
    }
  }
}
