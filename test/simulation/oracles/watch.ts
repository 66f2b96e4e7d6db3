/**
 * The clauses of etcd's watch contract, one check each
 * (https://etcd.io/docs/v3.6/learning/api_guarantees/#watch-apis), for a follower of `sync()`.
 */
import type { CursorEvent, DeleteChange, PutChange } from '../../../client/channel/events';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory } from '../records/history';

export class Watch {
  /** Every change up to it was received. */
  cursor: number;
  private last: number;
  private readonly received = new Set<number>();
  private isResumed = false;

  constructor(
    private readonly history: BucketHistory,
    private readonly anomalies: Anomalies,
    private readonly options: { readonly cursor: number; readonly prefix: string },
  ) {
    this.cursor = options.cursor;
    this.last = options.cursor;
  }

  /** The follower begins again at the cursor that it has. */
  resume(): void {
    this.last = this.cursor;
    for (const cursor of this.received) if (cursor > this.cursor) this.received.delete(cursor);
    this.isResumed = true;
  }

  /** The follower reads what comes after that cursor once more. */
  rewind(cursor: number): void {
    this.cursor = cursor;
    this.resume();
  }

  /** The follower begins anew at the beginning of the log. */
  restart(): void {
    this.received.clear();
    this.cursor = 0;
    this.last = 0;
    this.isResumed = false;
  }

  /** The changes up to there are gone; the follower was notified. */
  skip(cursor: number): void {
    this.cursor = cursor;
    this.last = cursor;
  }

  change({ cursor, type, object }: PutChange | DeleteChange): void {
    const { anomalies, history } = this;
    const isNew = !this.received.has(cursor);
    anomalies.require('watch: unique', isNew, () => `${object.key} at ${cursor} came twice`);
    anomalies.require(
      'watch: ordered',
      cursor > this.last,
      () => `${object.key} at ${cursor} came after ${this.last}`,
    );
    const entry = history.entry(cursor);
    const isSame =
      entry !== undefined &&
      entry.type === type &&
      entry.object.key === object.key &&
      entry.object.version === object.version;
    anomalies.require(
      'a follower receives what was written',
      isSame,
      () => `${type} of ${object.key} at ${cursor}; the log has ${entry?.type}`,
    );
    this.received.add(cursor);
    this.last = cursor;
  }

  end({ cursor }: Pick<CursorEvent, 'cursor'>): void {
    const { anomalies, history } = this;
    const isForward = cursor >= this.cursor && cursor >= this.last;
    const isSettled = history.settled >= cursor;
    anomalies.require(
      'watch: bookmarkable',
      isForward && isSettled,
      () =>
        `cursor ${cursor} after ${this.last}, of a log that is complete up to ${history.settled}`,
    );
    const entry = history.entry(cursor);
    const commit = entry === undefined || entry.type === 'noop' ? undefined : entry.commit;
    anomalies.require(
      'watch: atomic',
      commit === undefined || commit.last === cursor,
      () => `cursor ${cursor} is inside the commit from ${commit?.first} to ${commit?.last}`,
    );
    const lost = this.lostUpTo(cursor);
    anomalies.require(
      'watch: reliable',
      lost.length === 0,
      () => `the changes at ${lost.join()} never came before cursor ${cursor}`,
    );
    if (this.isResumed) {
      anomalies.require(
        'watch: resumable',
        lost.length === 0 && isForward,
        () => `after it continued from ${this.cursor}, ${lost.join()} are missing`,
      );
    }
    this.isResumed = false;
    this.cursor = cursor;
    this.last = cursor;
  }

  /** Cursors of changes that have not come, although the follower has that cursor. */
  lostUpTo(to: number): number[] {
    const lost: number[] = [];
    for (let cursor = this.cursor + 1; cursor <= to; cursor++) {
      const entry = this.history.entry(cursor);
      if (entry === undefined || entry.type === 'noop') continue;
      const isFollowed = entry.object.key.startsWith(this.options.prefix);
      if (isFollowed && !this.received.has(cursor)) lost.push(cursor);
    }
    return lost;
  }
}
