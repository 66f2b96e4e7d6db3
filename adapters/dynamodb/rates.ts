import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type {
  HourUsage,
  KeyUse,
  Rates,
  TokenLease,
  TokenLeaseRequest,
} from '../../core/access/ports';
import {
  available,
  isOverdrawn,
  type TokenBucket,
  taken,
  tokenBucketOf,
} from '../../core/access/token-bucket';
import { unavailable } from '../../core/errors';
import { getAll } from './batches';
import { pastConflicts } from './conflicts';
import { guardedUpdate } from './guarded-update';
import { type Fields, type Item, names, toItem } from './items/attributes';
import {
  COUNTED,
  dayKey,
  fullOf,
  hourAttribute,
  hourOf,
  hoursOf,
  keyTtl,
  numberOf,
  usedOf,
  useOf,
} from './items/rate-item';

/** Attempts while other instances change the item between its read and the update. */
const ATTEMPTS = 6;

/** The expected state of the item; a failed condition returns the actual one. */
interface ExpectedItem {
  /** 0: full. */
  readonly fullAt: number;
  /** ISO 8601. */
  readonly hour: string;
  /** The item counts that hour already. */
  readonly countsHour: boolean;
}

/** The item before the update, or the item for which the condition does not hold. */
type Attempt =
  | { readonly isUpdated: true; readonly old: Item }
  | { readonly isUpdated: false; readonly old?: Item };

/** The key was not marked as changed since the instance read it. */
const IS_UNCHANGED = '(attribute_not_exists(#changed_at) OR #changed_at < :known_until)';

/** The bucket has refilled, so it may be set to a value that is computed from now. */
const IS_FULL = '(attribute_not_exists(#full) OR #full <= :now)';

/**
 * The bucket is neither full nor without the tokens to take, so the time of those tokens is added.
 * Instances that take tokens concurrently then do not disturb each other.
 */
const HAS_TOKENS = '#full > :now AND #full <= :latest';

/** The item counts the current hour, so the counts are added. */
const COUNTS_THIS_HOUR = '#last_used_at = :hour';

/** The item counts an earlier hour or none, so the counts are replaced. */
const COUNTS_EARLIER_HOUR = '(attribute_not_exists(#last_used_at) OR #last_used_at < :hour)';

/** The Rates port on the Rates table. */
export class DynamoRates implements Rates {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /**
   * AWS calls: 1 UpdateItem when the item is as it was seen last; one more for each way in which it
   * is not: other instances have taken tokens, or another hour has begun. The first lease of an
   * hour writes the counts of the hour before: 1 UpdateItem.
   */
  async lease(keyId: string, request: TokenLeaseRequest): Promise<TokenLease> {
    const now = request.now * 1000;
    const { minTokens = 1 } = request;
    const bucket = tokenBucketOf(request.rate);
    let expected: ExpectedItem = {
      fullAt: request.fullAt ?? 0,
      hour: hourOf(request.now),
      countsHour: true,
    };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const tokens = Math.min(request.maxTokens, available(bucket, expected.fullAt, now));
      // The expected state is from an earlier lease at first: only a bucket that was just read is
      // known to have too few.
      if (tokens < minTokens && attempt > 1) return { result: 'refused', fullAt: expected.fullAt };
      const taking = Math.max(minTokens, tokens);
      const found = await this.take(keyId, request, { expected, tokens: taking });
      if (found.isUpdated) {
        await this.saveHour(keyId, expected, found.old);
        const before = numberOf(found.old, fullOf(request.class)) ?? 0;
        return { result: 'granted', tokens: taking, fullAt: taken(bucket, before, now, taking) };
      }
      const changedAt = numberOf(found.old, 'changed_at');
      if (changedAt !== undefined && changedAt >= request.knownUntil) {
        return { result: 'outdated', changedAt };
      }
      expected = expectedItem(found.old, request);
      if (isOverdrawn(bucket, expected.fullAt, now)) {
        expected = {
          ...expected,
          fullAt: await this.clampToEmpty(keyId, request, bucket, expected.fullAt),
        };
      }
    }
    throw unavailable(new Error(`the rate item of ${keyId} changed ${ATTEMPTS} times`));
  }

  /** AWS calls: 1 UpdateItem. */
  async markChanged(keyId: string, at: number): Promise<void> {
    await guardedUpdate(this.client, {
      table: this.table,
      key: { key_id: keyId },
      update: 'SET #changed_at = :at, #ttl = :ttl',
      condition: 'attribute_not_exists(#changed_at) OR #changed_at < :at',
      attributes: ['changed_at', 'ttl'],
      values: { ':at': at, ':ttl': keyTtl(at) },
    });
  }

  /** AWS calls: 1 BatchGetItem. */
  async uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    const items = await this.items(keyIds.map((key_id) => ({ key_id })));
    return new Map(
      items.flatMap((item) => {
        const use = useOf(item);
        return use && item.key_id?.S ? [[item.key_id.S, use] as const] : [];
      }),
    );
  }

  /** AWS calls: 1 BatchGetItem. */
  async usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]> {
    const items = await this.items([
      { key_id: keyId },
      ...[...new Set(days)].map((day) => dayKey(keyId, day)),
    ]);
    const hours = items.flatMap((item) => {
      const [, day] = item.key_id?.S?.split('#') ?? [];
      if (day !== undefined) return hoursOf(item, day);
      const use = useOf(item);
      const isIncluded = use && days.includes(use.lastUsedAt.slice(0, 10));
      return isIncluded ? [{ hour: use.lastUsedAt, counts: use.counts }] : [];
    });
    return hours.sort((a, b) => (a.hour < b.hour ? -1 : 1));
  }

  /** Takes tokens if the item is as expected and the key was not marked as changed. */
  private async take(
    keyId: string,
    request: TokenLeaseRequest,
    { expected, tokens }: { readonly expected: ExpectedItem; readonly tokens: number },
  ): Promise<Attempt> {
    const { interval, depth } = tokenBucketOf(request.rate);
    const now = request.now * 1000;
    const attribute = fullOf(request.class);
    const wasFull = expected.fullAt <= now;
    const counted = countUpdate(request, expected);
    const clauses = [wasFull ? IS_FULL : HAS_TOKENS, IS_UNCHANGED, counted.condition];
    const command: UpdateItemInput = {
      TableName: this.table,
      Key: toItem({ key_id: keyId }),
      UpdateExpression: `SET #full = ${wasFull ? ':next' : '#full + :taken'}, #ttl = :ttl${counted.update}`,
      ConditionExpression: clauses.join(' AND '),
      ExpressionAttributeNames: {
        ...names('ttl', 'changed_at', 'last_used_at', ...counted.attributes),
        '#full': attribute,
      },
      ExpressionAttributeValues: toItem({
        ':now': now,
        ':known_until': request.knownUntil,
        ':ttl': keyTtl(request.now),
        ':hour': expected.hour,
        ...(wasFull
          ? { ':next': now + tokens * interval }
          : { ':taken': tokens * interval, ':latest': now + depth - tokens * interval }),
        ...counted.values,
      }),
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
    try {
      const { Attributes = {} } = await pastConflicts(() =>
        this.client.send(new UpdateItemCommand(command)),
      );
      return { isUpdated: true, old: Attributes };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { isUpdated: false, ...(error.Item && { old: error.Item }) };
    }
  }

  /** Sets an overdrawn bucket to empty; returns its new state. */
  private async clampToEmpty(
    keyId: string,
    request: TokenLeaseRequest,
    { depth }: TokenBucket,
    overdrawn: number,
  ): Promise<number> {
    const fullAt = request.now * 1000 + depth;
    await guardedUpdate(this.client, {
      table: this.table,
      key: { key_id: keyId },
      update: `SET #${fullOf(request.class)} = :full`,
      condition: `#${fullOf(request.class)} = :overdrawn`,
      attributes: [fullOf(request.class)],
      values: { ':full': fullAt, ':overdrawn': overdrawn },
    });
    return fullAt;
  }

  /**
   * Saves the final counts of the hour before. Exactly one update starts an hour, and its old item
   * has those counts.
   */
  private async saveHour(keyId: string, expected: ExpectedItem, old: Item): Promise<void> {
    const before = useOf(old);
    if (expected.countsHour || before === undefined) return;
    const { day, attribute, ttl } = hourAttribute(before.lastUsedAt);
    await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: toItem(dayKey(keyId, day)),
        UpdateExpression: 'SET #hour = :counts, #ttl = :ttl',
        ExpressionAttributeNames: { '#hour': attribute, '#ttl': 'ttl' },
        ExpressionAttributeValues: toItem({ ':counts': { ...before.counts }, ':ttl': ttl }),
      }),
    );
  }

  private items(keys: readonly Fields[]): Promise<Item[]> {
    return getAll(this.client, this.table, keys.map(toItem));
  }
}

function expectedItem(item: Item | undefined, request: TokenLeaseRequest): ExpectedItem {
  const fullAt = numberOf(item, fullOf(request.class)) ?? 0;
  const stored = item?.last_used_at?.S;
  const current = hourOf(request.now);
  // The clock of the instance that began the hour may be ahead of this one's.
  const hour = stored !== undefined && stored > current ? stored : current;
  return { fullAt, hour, countsHour: stored === hour };
}

/** Adds to the counts of the current hour, or starts the hour with them. */
function countUpdate(request: TokenLeaseRequest, { countsHour }: ExpectedItem) {
  const added = COUNTED.filter((name) => request.counts[name] !== undefined);
  const values = Object.fromEntries(added.map((name) => [`:used_${name}`, request.counts[name]]));
  const list = (of: readonly string[]) => of.join(', ');
  if (countsHour) {
    const sums = list(added.map((name) => `#${usedOf(name)} :used_${name}`));
    return {
      update: added.length > 0 ? ` ADD ${sums}` : '',
      condition: COUNTS_THIS_HOUR,
      attributes: added.map(usedOf),
      values,
    };
  }
  const others = COUNTED.filter((name) => !added.includes(name));
  const set = added.map((name) => `, #${usedOf(name)} = :used_${name}`).join('');
  const removed = others.length > 0 ? ` REMOVE ${list(others.map((n) => `#${usedOf(n)}`))}` : '';
  return {
    update: `, #last_used_at = :hour${set}${removed}`,
    condition: COUNTS_EARLIER_HOUR,
    attributes: COUNTED.map(usedOf),
    values,
  };
}
