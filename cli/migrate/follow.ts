/** Applies the changes of copied buckets to the target, as they happen. */
import type { FollowedBuckets, SubscriptionEvent } from '../../client/index';
import { copyAgain, eachKey } from './copy-bucket';
import type { Migration } from './options';
import { bring, remove } from './transfer';

type Change = Extract<SubscriptionEvent, { readonly type: 'put' | 'delete' }>;

/** Buckets of a channel. */
const GROUP = 50;

/** For each bucket, the cursors of objects that the copy has as they were later. */
export type Newer = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Follows the buckets from their saved cursors until the signal is aborted. The cursor of a bucket
 * is saved when every change up to it is applied. A bucket whose log does not reach back, or that
 * was created again, is no longer followed, and to be copied again.
 */
export async function follow(
  migration: Migration,
  buckets: readonly string[],
  newer: Newer,
  signal: AbortSignal,
): Promise<void> {
  const groups: (readonly string[])[] = [];
  for (let at = 0; at < buckets.length; at += GROUP) groups.push(buckets.slice(at, at + GROUP));
  await Promise.all(groups.map((group) => followGroup(migration, group, newer, signal)));
}

async function followGroup(
  migration: Migration,
  buckets: readonly string[],
  newer: Newer,
  signal: AbortSignal,
): Promise<void> {
  const { source, state, report } = migration;
  const from: Record<string, FollowedBuckets[string]> = {};
  for (const bucket of buckets) {
    const { ids, cursor } = state.of(bucket) ?? {};
    from[bucket] = { cursor, bucketId: ids?.[0] };
  }
  const changes = new Map<string, Map<string, Change>>();
  for await (const event of source.client.sync(from, { signal }).events()) {
    if (event.type === 'ended') {
      if (event.error.code !== 'not_found') throw event.error;
      migration.following.delete(event.bucket);
      report.note(`${event.bucket} was deleted; that of the other service stays`);
    } else if (event.type === 'reset') {
      migration.following.delete(event.bucket);
      await copyAgain(migration, event.bucket);
      report.note(`the change log of ${event.bucket} does not reach back: it is copied again`);
    } else if (event.type === 'cursor') {
      const pending = changes.get(event.bucket) ?? new Map<string, Change>();
      changes.delete(event.bucket);
      await apply(migration, pending, newer.get(event.bucket));
      await advance(migration, event.bucket, event.cursor);
    } else if (event.type !== 'status') {
      // Only the last change of a key counts.
      const pending = changes.get(event.bucket) ?? new Map<string, Change>();
      changes.set(event.bucket, pending.set(event.object.key, event));
    }
  }
}

async function apply(
  migration: Migration,
  changes: ReadonlyMap<string, Change>,
  newer: ReadonlyMap<string, number> | undefined,
): Promise<void> {
  const { transfers } = migration;
  await eachKey(migration, changes, async (change) => {
    const { key } = change.object;
    const shown = newer?.get(key);
    if (shown !== undefined && change.cursor <= shown) return;
    if (change.type === 'put') await bring(transfers, change.object);
    else await remove(transfers, { ...change.object, bucket: change.bucket });
  });
}

async function advance({ state }: Migration, bucket: string, cursor: number): Promise<void> {
  const progress = state.of(bucket);
  if (progress && cursor > progress.cursor) await state.save(bucket, { ...progress, cursor });
}
