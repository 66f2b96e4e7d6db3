/**
 * `mirror()`: a snapshot of a bucket and then every change, so that its reader holds an exact copy.
 */
import { linkedTo } from './abort';
import type { Change, CursorEvent, ResetReason, SubscriptionEvent } from './channel/events';
import type { FollowOptions } from './channel/log-position';
import { StowageError } from './errors';
import type { ListPage, LogDigest, ObjectDescriptor } from './resources';
import { type Random, retry } from './retry';

/** Options of `mirror`. */
export interface MirrorOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /**
   * The cursor of a copy that you hold already: the mirror continues from there, without a snapshot
   * if the change log still reaches back.
   */
  readonly cursor?: number | undefined;
  /** The incarnation of the bucket to which `cursor` belongs. */
  readonly bucketId?: string | undefined;
  /** The digest of the log at `cursor`: see FollowOptions. */
  readonly digest?: LogDigest | undefined;
  /**
   * The name of a consumer of the bucket, which must exist and have the same prefix: the client
   * stores there how far the copy is. The copy begins at `cursor`, not at the cursor of the
   * consumer.
   */
  readonly consumer?: string | undefined;
  /** Ends the mirror, and with it the loop that reads it, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** @default 'auto' */
  readonly transport?: 'auto' | 'websocket' | 'poll' | undefined;
}

/** Remove every object from the copy: a snapshot of the bucket follows. */
export interface MirrorReset {
  readonly type: 'reset';
  /** Name of the bucket. */
  readonly bucket: string;
  /** The incarnation of the bucket that the snapshot shows. */
  readonly bucketId: string;
  /** `start` at the beginning, else why the copy cannot be continued. */
  readonly reason: 'start' | ResetReason;
}

/** An object of the snapshot. */
export interface MirrorSnapshot {
  readonly type: 'snapshot';
  /** Name of the bucket. */
  readonly bucket: string;
  /** The incarnation of the bucket. */
  readonly bucketId: string;
  /** The object as the list shows it. */
  readonly object: ObjectDescriptor;
}

/**
 * At each `cursor` event the copy holds what the bucket held (below the prefix) at that cursor,
 * with one exception: an object that was deleted while the list was read may be absent from the
 * copy a little before the cursor of that delete. Between two `cursor` events, and between a
 * `reset` and the first one, the copy is incomplete. No `cursor` event is inside a commit: apply
 * the changes since the last one together, and nobody who reads the copy sees a part of a commit.
 * A copy saved with its cursor can be continued later.
 */
export type MirrorEvent = MirrorReset | MirrorSnapshot | Change | CursorEvent;

export interface MirrorDeps {
  readonly list: (options: {
    readonly prefix?: string;
    readonly pageToken?: string;
    readonly limit: number;
    readonly signal: AbortSignal;
  }) => Promise<ListPage>;
  readonly follow: (from: FollowOptions, signal: AbortSignal) => AsyncIterable<SubscriptionEvent>;
  readonly random: Random;
}

/** Where a snapshot ends and the changes begin. */
interface Base {
  readonly bucketId?: string;
  readonly cursor: number;
  readonly digest?: LogDigest;
  /**
   * For each key that the list showed with a later change than its own cursor: the cursor of that
   * change. The snapshot contains the changes of the key up to there.
   */
  readonly newer: Map<string, number>;
}

const LIST_LIMIT = 1000;

/** The bucket was deleted and created again while it was listed. */
class Replaced extends Error {}

export async function* mirror(
  bucket: string,
  options: MirrorOptions,
  deps: MirrorDeps,
): AsyncGenerator<MirrorEvent, void, undefined> {
  const stop = linkedTo(options.signal);
  const { signal } = stop;
  const { cursor, bucketId, digest, prefix = '', consumer } = options;
  let base: Base | undefined =
    cursor === undefined ? undefined : { bucketId, cursor, digest, newer: new Map() };
  let reason: MirrorReset['reason'] = 'start';
  try {
    while (!signal.aborted) {
      try {
        base ??= yield* snapshot(bucket, { prefix, reason }, deps, signal);
        const { newer: _, ...at } = base;
        const from: FollowOptions = { ...at, prefix, ...(consumer && { consumer }) };
        const ended: ResetReason | undefined = yield* changesSince(base, deps.follow(from, signal));
        if (ended === undefined) return;
        reason = ended;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Replaced)) throw error;
        reason = 'bucket_replaced';
      }
      base = undefined;
    }
  } finally {
    stop.abort();
    stop.detach();
  }
}

async function* snapshot(
  bucket: string,
  { prefix, reason }: { readonly prefix: string; readonly reason: MirrorReset['reason'] },
  deps: MirrorDeps,
  signal: AbortSignal,
): AsyncGenerator<MirrorEvent, Base, undefined> {
  const newer = new Map<string, number>();
  let pageToken: string | undefined;
  let base: (Base & { readonly bucketId: string }) | undefined;
  do {
    const page = await retry(
      () => deps.list({ prefix, limit: LIST_LIMIT, signal, ...(pageToken && { pageToken }) }),
      { signal, random: deps.random },
    ).catch((error: unknown) => {
      // A page token belongs to one incarnation of the bucket, and to one secret of the service.
      const isRefused = error instanceof StowageError && error.code === 'invalid_request';
      throw isRefused && pageToken !== undefined ? new Replaced() : error;
    });
    const { bucket_id: bucketId, cursor } = page;
    if (base === undefined) yield { type: 'reset', bucket, bucketId, reason };
    base ??= { bucketId, cursor, newer };
    if (base.bucketId !== bucketId) throw new Replaced();
    for (const object of page.objects) {
      if (object.cursor > base.cursor) newer.set(object.key, object.cursor);
      yield { type: 'snapshot', bucket, bucketId, object };
    }
    pageToken = page.next_page_token;
  } while (pageToken !== undefined);
  const { cursor } = base;
  if (newer.size === 0) {
    yield { type: 'cursor', bucket, bucketId: base.bucketId, cursor, head: cursor };
  }
  return base;
}

/**
 * Returns the reason when the changes cannot be continued, or undefined when the reader has ended
 * them.
 */
async function* changesSince(
  { newer }: Base,
  events: AsyncIterable<SubscriptionEvent>,
): AsyncGenerator<MirrorEvent, ResetReason | undefined, undefined> {
  for await (const event of events) {
    if (event.type === 'reset') return event.reason;
    if (event.type === 'ended') throw event.error;
    if (event.type === 'status') continue;
    if (event.type !== 'cursor') {
      const shown = newer.get(event.object.key);
      if (shown !== undefined && event.cursor >= shown) newer.delete(event.object.key);
      // The copy never goes back: if it holds a later change of this key, this one is skipped.
      if (shown === undefined || event.cursor > shown) yield event;
    } else if (newer.size === 0) {
      yield event;
    }
  }
  return undefined;
}
