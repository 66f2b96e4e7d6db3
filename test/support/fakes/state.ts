import type { ApiKeyRecord, AuditRecord } from '../../../core/access/ports';
import type { Subscriber, Ticket } from '../../../core/channel/ports';
import type { Consumer } from '../../../core/consumers/ports';
import type { Link } from '../../../core/links/ports';
import type { ChangeEntry } from '../../../core/log/ports';
import type { NameRange } from '../../../core/pages';
import type {
  BucketRecord,
  BucketStats,
  DeletedBucket,
  LifecycleRule,
} from '../../../core/store/buckets';
import type { ObjectRecord } from '../../../core/store/objects';
import type { IdempotencyRecord, Upload } from '../../../core/store/uploads';
import type { Registration, TargetTask } from '../../../core/targets/ports';
import type {
  OpenChannel,
  QueuedTask,
  StoredConnection,
  StoredRate,
  StoredTargetCursor,
} from './stored';
import type { OpenMultipart, StoredBlob } from './stored-blob';

/**
 * What all fakes of one test share: the content of the tables, of the bucket and of the queue, and
 * the open connections.
 */
export class FakeState {
  readonly buckets = new Map<string, BucketRecord>();
  /** By bucket name. */
  readonly stats = new Map<string, BucketStats>();
  /** By bucket name. */
  readonly lifecycles = new Map<string, readonly LifecycleRule[]>();
  /** Bucket id -> the cursor as of which its counters were corrected last. */
  readonly corrected = new Map<string, number>();
  /** Upload id -> until when a run works on the copy. */
  readonly pendingCopies = new Map<string, number>();
  readonly deletedBuckets = new Map<string, DeletedBucket>();
  /** Bucket id -> key -> record. */
  readonly objects = new Map<string, Map<string, ObjectRecord>>();
  /** Bucket id -> cursor -> entry. */
  readonly changes = new Map<string, Map<number, ChangeEntry>>();
  readonly uploads = new Map<string, Upload>();
  readonly idempotencyRecords = new Map<string, IdempotencyRecord>();
  /** Token of a transaction that happened -> the change that it made, as JSON. */
  readonly tokens = new Map<string, string>();
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  /** By id. */
  readonly audit = new Map<string, AuditRecord>();
  /** By id of the API key. */
  readonly rates = new Map<string, StoredRate>();
  /** Id of the API key and kind -> holder -> until, epoch milliseconds. */
  readonly slots = new Map<string, Map<string, number>>();
  readonly service = new Map<string, string>();
  readonly blobs = new Map<string, StoredBlob>();
  readonly multiparts = new Map<string, OpenMultipart>();
  readonly connections = new Map<string, StoredConnection>();
  /** Bucket id -> connection id -> follower. */
  readonly followers = new Map<string, Map<string, Subscriber>>();
  readonly tickets = new Map<string, Ticket>();
  /** By bucket id and name. */
  readonly consumers = new Map<string, Consumer>();
  /** By bucket id and hash. `attemptsUntil`: epoch milliseconds. */
  readonly links = new Map<string, { readonly link: Link; readonly attemptsUntil?: number }>();
  /** Connections that the gateway has open. */
  readonly channels = new Map<string, OpenChannel>();
  /** Connection id -> what was posted while it was open. */
  readonly posted = new Map<string, string[]>();
  readonly deferredTasks: QueuedTask[] = [];
  /** By target. */
  readonly registrations = new Map<string, Registration>();
  /** Target -> bucket id -> cursor. */
  readonly targetCursors = new Map<string, Map<string, StoredTargetCursor>>();
  readonly targetTasks: TargetTask[] = [];

  objectsOf(bucketId: string): Map<string, ObjectRecord> {
    return entryOf(this.objects, bucketId);
  }

  changesOf(bucketId: string): Map<number, ChangeEntry> {
    return entryOf(this.changes, bucketId);
  }

  followersOf(bucketId: string): Map<string, Subscriber> {
    return entryOf(this.followers, bucketId);
  }

  slotsOf(keyId: string, kind: string): Map<string, number> {
    return entryOf(this.slots, `${keyId}#${kind}`);
  }

  targetCursorsOf(target: string): Map<string, StoredTargetCursor> {
    return entryOf(this.targetCursors, target);
  }

  postedTo(connectionId: string): string[] {
    const messages = this.posted.get(connectionId) ?? [];
    this.posted.set(connectionId, messages);
    return messages;
  }

  /** Whether the idempotency key has a record that has not expired at `now` (epoch seconds). */
  isReplayed(replay: IdempotencyRecord | undefined, now: number): boolean {
    const stored = replay === undefined ? undefined : this.idempotencyRecords.get(replay.id);
    return stored !== undefined && stored.expiresAt > now;
  }

  saveIdempotencyRecord(replay: IdempotencyRecord | undefined): void {
    if (replay !== undefined) this.idempotencyRecords.set(replay.id, copy(replay));
  }
}

function entryOf<K, V>(maps: Map<string, Map<K, V>>, name: string): Map<K, V> {
  const existing = maps.get(name);
  if (existing !== undefined) return existing;
  const created = new Map<K, V>();
  maps.set(name, created);
  return created;
}

/** Copies a value as a database would: no shared objects, and `undefined` fields are omitted. */
export function copy<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/** UTF-8 byte order, which differs from JavaScript's own order above U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return rankAt(a, at) - rankAt(b, at);
}

/** The place of a UTF-16 unit in the order of UTF-8: surrogates are above all others. */
function rankAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The names of a range in UTF-8 byte order. */
export function namesIn(names: Iterable<string>, range: NameRange): string[] {
  return [...names]
    .filter(
      (name) =>
        compareUtf8(range.from, name) <= 0 &&
        (range.before === undefined || compareUtf8(name, range.before) < 0),
    )
    .sort(compareUtf8);
}

/** Epoch seconds of an ISO date: the clock of a request, as the adapters see it. */
export function epochSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
