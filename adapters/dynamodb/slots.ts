import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { SlotKind, SlotRequest, Slots } from '../../core/access/ports';
import { guardedUpdate } from './guarded-update';
import { type Fields, type Item, names, toItem } from './items/attributes';
import { readItem } from './read-item';

/** Attempts while others change the item between a failed update and the next. */
const ATTEMPTS = 5;

/** Expired slots that one update frees: an expression holds at most 300 operators. */
const MAX_FREED = 50;

/** Seconds after the last slot has expired until DynamoDB may remove the item. */
const KEEP_SECONDS = 86_400;

/**
 * The Slots port on the Rates table. The item `{key}#{kind}` has a map `holders` of holder -> until
 * (epoch milliseconds). A map of its own item, because every lease of tokens writes the item of the
 * key, and would be billed for the map. Each take and release is billed for the whole item, about
 * 38 bytes per holder: a limit that many share must be low, or be spread over several items.
 */
export class DynamoSlots implements Slots {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /**
   * AWS calls: 1 UpdateItem. One more for the first slot of a key, one more for each 50 slots that
   * have expired, and one more for each time that others have changed the slots; after 5, every
   * slot counts as taken.
   */
  async take(keyId: string, kind: SlotKind, request: SlotRequest): Promise<boolean> {
    let attempt = addTo(request);
    for (let count = 1; count <= ATTEMPTS; count++) {
      const found = await this.update(slotsKey(keyId, kind), request, attempt);
      if (found === 'taken') return true;
      const next = nextAttempt(found, request);
      if (next === undefined) return false;
      attempt = next;
    }
    return false;
  }

  /** AWS calls: 1 UpdateItem. */
  async release(keyId: string, kind: SlotKind, holder: string, until?: number): Promise<void> {
    const slot = `#holders.#${HOLDER}`;
    await guardedUpdate(this.client, {
      table: this.table,
      key: slotsKey(keyId, kind),
      update: `REMOVE ${slot}`,
      condition: until === undefined ? `attribute_exists(${slot})` : `${slot} = :until`,
      attributes: ['holders'],
      aliases: { [`#${HOLDER}`]: holder },
      values: until === undefined ? undefined : { ':until': until },
    });
  }

  /** AWS calls: 1 GetItem. */
  async holders(keyId: string, kind: SlotKind): Promise<ReadonlyMap<string, number>> {
    const item = await readItem(this.client, this.table, toItem(slotsKey(keyId, kind)));
    return new Map(
      Object.entries(item?.holders?.M ?? {}).map(([holder, { N }]) => [holder, Number(N)]),
    );
  }

  /** Returns the item when the attempt only freed slots, or its condition does not hold. */
  private async update(key: Fields, request: SlotRequest, attempt: Attempt) {
    const command: UpdateItemInput = {
      TableName: this.table,
      Key: toItem(key),
      UpdateExpression: `SET #ttl = :ttl ${attempt.update}`,
      ConditionExpression: attempt.condition,
      ExpressionAttributeNames: { ...names('holders', 'ttl'), ...attempt.aliases },
      ExpressionAttributeValues: toItem({
        ':ttl': Math.ceil(request.until / 1000) + KEEP_SECONDS,
        ...attempt.values,
      }),
      ReturnValues: attempt.takes ? 'NONE' : 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    try {
      const { Attributes = {} } = await this.client.send(new UpdateItemCommand(command));
      return attempt.takes ? 'taken' : Attributes;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item ?? {};
    }
  }
}

const HOLDER = 'holder';

/** One way to take a slot, or to make room for one, for one state of the item. */
interface Attempt {
  readonly takes: boolean;
  /** The assignments after the first one of the update. */
  readonly update: string;
  readonly condition: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly values: Fields;
}

function slotsKey(keyId: string, kind: SlotKind): Fields {
  return { key_id: `${keyId}#${kind}` };
}

/** The map has room, or the holder is in it. */
function addTo({ holder, limit, until }: SlotRequest): Attempt {
  const alias = `#${HOLDER}`;
  return {
    takes: true,
    update: `, #holders.${alias} = :until`,
    condition: `attribute_exists(#holders.${alias}) OR size(#holders) < :limit`,
    aliases: { [alias]: holder },
    values: { ':until': until, ':limit': limit },
  };
}

/** There is no map. */
function begin({ holder, until }: SlotRequest): Attempt {
  return {
    takes: true,
    update: ', #holders = :holders',
    condition: 'attribute_not_exists(#holders)',
    values: { ':holders': { [holder]: until } },
  };
}

/** Returns undefined when every slot is taken. */
function nextAttempt(item: Item, request: SlotRequest): Attempt | undefined {
  const holders = item.holders?.M;
  if (holders === undefined) return request.limit > 0 ? begin(request) : undefined;
  const expired = Object.keys(holders)
    .filter((holder) => Number(holders[holder]?.N) <= request.now)
    .slice(0, MAX_FREED);
  const hasRoom = Object.keys(holders).length - expired.length < request.limit;
  if (expired.length === 0) return hasRoom ? addTo(request) : undefined;
  return hasRoom ? replace(expired, request) : free(expired, request);
}

/** The map has room without the holders whose slots have expired and were not extended. */
function replace(expired: readonly string[], request: SlotRequest): Attempt {
  const added = addTo(request);
  const freed = free(expired, request);
  return {
    takes: true,
    update: `${added.update} ${freed.update}`,
    condition: `size(#holders) < :limit AND ${freed.condition}`,
    aliases: { ...added.aliases, ...freed.aliases },
    values: { ...added.values, ...freed.values, ':limit': request.limit + expired.length },
  };
}

/** Frees slots that have expired and were not extended. */
function free(expired: readonly string[], { now }: SlotRequest): Attempt {
  const paths = expired.map((_, index) => `#holders.#e${index}`);
  return {
    takes: false,
    update: `REMOVE ${paths.join(', ')}`,
    condition: paths.map((path) => `${path} <= :now`).join(' AND '),
    aliases: Object.fromEntries(expired.map((holder, index) => [`#e${index}`, holder])),
    values: { ':now': now },
  };
}
