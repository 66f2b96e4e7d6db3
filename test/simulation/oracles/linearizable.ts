/**
 * Single keys are linearizable: each acknowledged write and each read takes effect at one moment
 * between request and response. The cursors of a key give the order of its writes, so what is left
 * to check is that no later operation sees less than an earlier one has shown.
 */
import type { ChangeEntry } from '../../../core/log/ports';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory } from '../records/history';

/** What an operation says about a key: the change that it made or saw. */
export interface Seen {
  readonly key: string;
  readonly cursor: number;
  readonly version: number;
  /** undefined: the key is deleted. */
  readonly etag?: string;
}

export class Linearizable {
  /** Key -> the latest cursor that an operation which has ended has made or seen. */
  private readonly known = new Map<string, number>();

  constructor(
    private readonly history: BucketHistory,
    private readonly anomalies: Anomalies,
  ) {}

  /** What an operation that begins now must not go behind. */
  floor(key: string): number {
    return this.known.get(key) ?? 0;
  }

  /** A write was acknowledged. */
  wrote(seen: Seen, floor: number): void {
    this.anomalies.require(
      'an acknowledged write is never lost',
      isSame(this.history.entry(seen.cursor), seen),
      () => `${text(seen)} was acknowledged, the log has ${stored(this.history, seen.cursor)}`,
    );
    this.anomalies.require(
      'a write follows what was known',
      seen.cursor > floor,
      () => `${text(seen)} was acknowledged after cursor ${floor} was known`,
    );
    this.learn(seen.key, seen.cursor);
  }

  /** A read has returned an object, or nothing. */
  read(key: string, seen: Seen | undefined, floor: number): void {
    if (seen) {
      this.anomalies.require(
        'a read returns what was written',
        isSame(this.history.entry(seen.cursor), seen),
        () => `read ${text(seen)}, the log has ${stored(this.history, seen.cursor)}`,
      );
      this.anomalies.require(
        'a read is not stale',
        seen.cursor >= floor,
        () => `read ${text(seen)}, although cursor ${floor} was known`,
      );
      this.learn(key, seen.cursor);
      return;
    }
    const absent = this.absentSince(key, floor);
    this.anomalies.require(
      'a key that was not found was absent',
      absent !== undefined,
      () => `${key} was not found, although it has existed since cursor ${floor}`,
    );
    this.learn(key, absent ?? 0);
  }

  /** The first moment from `floor` on at which the key did not exist, as a cursor. */
  private absentSince(key: string, floor: number): number | undefined {
    if (floor === 0) return 0;
    const cursors = this.history.ofKey.get(key) ?? [];
    return cursors.find(
      (cursor) => cursor >= floor && this.history.entry(cursor)?.type === 'delete',
    );
  }

  private learn(key: string, cursor: number): void {
    if (cursor > this.floor(key)) this.known.set(key, cursor);
  }
}

function isSame(entry: ChangeEntry | undefined, seen: Seen): boolean {
  if (!entry || entry.type === 'noop') return false;
  const { object } = entry;
  const etag = object.state === 'live' ? object.etag : undefined;
  return object.key === seen.key && object.version === seen.version && etag === seen.etag;
}

function stored(history: BucketHistory, cursor: number): string {
  const entry = history.entry(cursor);
  if (!entry) return 'nothing';
  return entry.type === 'noop' ? 'a no-op entry' : `${entry.type} ${entry.object.key}`;
}

function text({ key, cursor, version, etag }: Seen): string {
  return `${etag === undefined ? 'the deletion of' : 'a put of'} ${key} as version ${version} at ${cursor}`;
}
