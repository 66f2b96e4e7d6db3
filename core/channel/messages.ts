/**
 * The messages of the server on a channel: docs/api.md, "The channel". Every message is one JSON
 * text of at most 32 KiB.
 */

import type { BucketRef } from '../bucket-ref';
import type { ServiceError } from '../errors';
import { LIMITS } from '../limits';
import { changeView, visibleChanges } from '../log/change-view';
import type { Expiry } from '../log/cursor-reads';
import { byCommit } from '../log/entries';
import type { CursorRange, ShownEntry } from '../log/ports';
import type { StopSignal } from '../stop-signal';
import type { LogDigest } from '../store/buckets';

/** A change as JSON, serialized once for all readers. */
export interface SerializedChange {
  readonly cursor: number;
  readonly key: string;
  readonly commit?: CursorRange;
  readonly text: string;
  /** Length of `text` in UTF-8. */
  readonly bytes: number;
}

/** Serializes the visible changes among the entries. */
export function serializeChanges(
  entries: readonly ShownEntry[],
  prefix = '',
): readonly SerializedChange[] {
  return visibleChanges(entries, prefix).map((entry) => {
    const text = JSON.stringify(changeView(entry));
    return {
      cursor: entry.cursor,
      key: entry.object.key,
      ...(entry.commit && { commit: entry.commit }),
      text,
      bytes: Buffer.byteLength(text),
    };
  });
}

/**
 * Yields the messages in which a subscriber to `prefix` receives the changes of (from, to]. They
 * cover the range without a gap, each with whole commits. They are generated one at a time, because
 * the messages for many subscribers would fill the memory. `head` is the newest readable cursor.
 * `more` means that the server stops after the last message although there are more changes, so the
 * client has to ask again. After `signal` is aborted, the next message is the last one and has
 * `more`.
 */
export function* changesMessages(
  bucket: BucketRef,
  run: {
    readonly from: number;
    readonly to: number;
    /** The digest of the log up to `to`, if that is the published mark. */
    readonly digest?: LogDigest;
    readonly changes: readonly SerializedChange[];
  },
  options: {
    readonly prefix: string;
    readonly head: number;
    readonly more?: boolean;
    readonly signal?: StopSignal;
  },
): Generator<string, void, undefined> {
  const { prefix } = options;
  // The digest covers the whole log, not the changes below a prefix.
  const digest = prefix === '' ? run.digest : undefined;
  const head = Math.max(options.head, run.to);
  const frame = (from: number, to: number, more: boolean) =>
    JSON.stringify({
      type: 'changes',
      bucket: bucket.name,
      bucket_id: bucket.id,
      ...(prefix !== '' && { prefix }),
      from,
      to,
      head,
      ...(digest && to >= run.to && { digest }),
      ...(more && { more }),
    });
  const message = (texts: readonly string[], ...range: Parameters<typeof frame>) =>
    `${frame(...range).slice(0, -1)},"changes":[${texts.join(',')}]}`;
  const longest = Number.MAX_SAFE_INTEGER;
  const room = LIMITS.messageBytes - Buffer.byteLength(message([], longest, longest, true));
  let { from } = run;
  let texts: string[] = [];
  let bytes = 0;
  const seen = run.changes.filter(({ key }) => key.startsWith(prefix));
  for (const { first, changes } of byCommit(seen)) {
    const size = changes.reduce((sum, change) => sum + change.bytes + 1, 0);
    if (texts.length > 0 && bytes + size > room) {
      const isCut = options.signal?.aborted ?? false;
      yield message(texts, from, first - 1, isCut);
      if (isCut) return;
      from = first - 1;
      texts = [];
      bytes = 0;
    }
    texts.push(...changes.map(({ text }) => text));
    bytes += size;
  }
  yield message(texts, from, run.to, options.more ?? false);
}

export function subscribedMessage(bucket: BucketRef, cursor: number, head: number): string {
  const { name, id } = bucket;
  return JSON.stringify({ type: 'subscribed', bucket: name, bucket_id: id, cursor, head });
}

export function unsubscribedMessage(bucket: string): string {
  return JSON.stringify({ type: 'unsubscribed', bucket });
}

export function resetMessage(bucket: string, expiry: Expiry): string {
  return JSON.stringify({ type: 'reset', bucket, ...expiry });
}

/** `digests` are the digests of the logs up to these heads. */
export function pongMessage(
  heads: ReadonlyMap<string, number>,
  digests: ReadonlyMap<string, LogDigest>,
): string {
  return JSON.stringify({
    type: 'pong',
    heads: Object.fromEntries(heads),
    ...(digests.size > 0 && { digests: Object.fromEntries(digests) }),
  });
}

/** `id` is the id of the client's message that failed. */
export function errorMessage(
  error: ServiceError,
  { id, bucket }: { readonly id?: string; readonly bucket?: string },
): string {
  const { code, message, details } = error;
  return JSON.stringify({
    type: 'error',
    ...(id !== undefined && { id }),
    ...(bucket !== undefined && { bucket }),
    error: { code, message, ...(details && { details }) },
  });
}

/** The code with which the client is asked to close; API Gateway does not let a server set one. */
export type CloseCode = 1001 | 4401 | 4429;

export function goodbyeMessage(code: CloseCode, reason: string, reconnectBefore?: number): string {
  return JSON.stringify({
    type: 'goodbye',
    code,
    reason,
    ...(reconnectBefore !== undefined && {
      reconnect_before: new Date(reconnectBefore).toISOString(),
    }),
  });
}
