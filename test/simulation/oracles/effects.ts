/** How often each write took effect: once if acknowledged, never if refused, else at most once. */
import type { OwnEntry } from '../../../core/log/ports';
import { liveOf } from '../../../core/store/objects';
import type { Anomalies } from '../records/anomalies';
import type { BucketHistory } from '../records/history';
import { wholeAt } from './listed';
import { md5 } from './md5';

/** A request may still take effect so long after its client has given up: a function's life. */
const LATE_MS = 40_000;

const RANGE = 'a range of a download is that part of the bytes of its etag';
const ONCE = 'a write takes effect once';

interface Write {
  readonly operation: string;
  readonly text: string;
  readonly isAcknowledged: boolean;
  readonly isRefused: boolean;
  /** Absent: that of the text as one part. */
  readonly etag?: string;
  /** The promise about it. Absent: that of all writes. */
  readonly check?: string;
}

/** A download of the bytes from `from` to `to`, or to the end. */
interface RangeRead {
  readonly from: number;
  readonly to?: number;
  readonly part: string;
  /** Content-Range. */
  readonly about: string;
}

export class Effects {
  acknowledged = 0;
  /** By etag. */
  private readonly writes = new Map<string, Write>();
  private readonly commits: { readonly cursors: readonly number[]; readonly ifCursor?: number }[] =
    [];

  private readonly ranges: (RangeRead & { readonly etag: string })[] = [];
  private readonly restores: { readonly from: number; readonly until: number }[] = [];

  constructor(
    private readonly history: BucketHistory,
    private readonly anomalies: Anomalies,
  ) {}

  written(write: Write): void {
    this.writes.set(write.etag ?? md5(write.text), write);
  }

  /** The changes of one commit were acknowledged at these cursors. */
  committed(cursors: readonly number[], ifCursor?: number): void {
    this.commits.push({ cursors, ...(ifCursor !== undefined && { ifCursor }) });
  }

  restored(from: number, until: number): void {
    this.restores.push({ from, until });
  }

  read(etag: string, text: string): void {
    const isSame = md5(text) === etag || this.writes.get(etag)?.text === text;
    this.anomalies.require(
      'a download has the bytes of its etag',
      isSame,
      () => `${etag}: ${text}`,
    );
  }

  /** Compared with the bytes at the end: a write may be known only later. */
  readRange(etag: string, range: RangeRead): void {
    this.ranges.push({ ...range, etag });
  }

  refusedRange(from: number, size: unknown): void {
    const isOutside = typeof size === 'number' && from >= size;
    this.anomalies.require(RANGE, isOutside, () => `nothing from ${from} on of ${size} bytes`);
  }

  /** At the end of a simulation. */
  check(): void {
    const { anomalies, history } = this;
    for (const range of this.ranges) this.checkRange(range);
    const counts = this.countByEtag();
    for (const [etag, { operation, isAcknowledged, isRefused, check = ONCE }] of this.writes) {
      const { count, restored } = counts.get(etag) ?? { count: 0, restored: 0 };
      const least = isAcknowledged ? 1 : 0;
      const most = isRefused ? 0 : 1;
      anomalies.require(
        check,
        count >= least && count - restored <= most,
        () =>
          `${operation} took effect ${count} times, ${isAcknowledged ? '' : 'not '}acknowledged`,
      );
    }
    for (const { cursors, ifCursor } of this.commits) {
      const [first = 0] = cursors;
      const isWhole = cursors.every((cursor) => {
        const entry = history.entry(cursor);
        if (!entry || entry.type === 'noop') return false;
        const { first: from = cursor, last = cursor } = entry.commit ?? {};
        return from === first && last === cursors.at(-1);
      });
      anomalies.require(
        'a commit is one range of cursors',
        cursors.length === 0 || isWhole,
        () => `the commit at ${cursors.join()} is not one`,
      );
      if (ifCursor === undefined || cursors.length === 0) continue;
      const between = changesBetween(history, wholeAt(history, ifCursor), first);
      anomalies.require(
        'if_cursor: nothing has changed since',
        between.length === 0,
        () => `the commit at ${first} was made although ${between.join()} followed ${ifCursor}`,
      );
    }
  }

  private checkRange({
    etag,
    from,
    to = Number.POSITIVE_INFINITY,
    part,
    about,
  }: RangeRead & { readonly etag: string }): void {
    const { text = '' } = this.writes.get(etag) ?? {};
    const wanted = text.slice(from, to + 1);
    const isSame =
      part === wanted && about === `bytes ${from}-${from + wanted.length - 1}/${text.length}`;
    const what = () => `${about} of ${etag} is "${part}" in place of "${wanted}" of "${text}"`;
    this.anomalies.require(RANGE, isSame, what);
  }

  /**
   * How often the bytes were put: other operations give them to further objects. `restored`: of
   * these, while a restore ran that may have put them.
   */
  private countByEtag() {
    const counts = new Map<string, { count: number; restored: number }>();
    for (const recorded of this.history.entries) {
      const entry = recorded?.entry;
      if (entry?.type !== 'put' || entry.object.state !== 'live') continue;
      const { etag, metadata, isPatched } = entry.object;
      const isPut = metadata.op === this.writes.get(etag)?.operation && !isPatched;
      if (!isPut || this.isMoved(entry, etag)) continue;
      const { count, restored } = counts.get(etag) ?? { count: 0, restored: 0 };
      const isRestored = this.isRestored(recorded?.at ?? 0);
      counts.set(etag, { count: count + 1, restored: restored + (isRestored ? 1 : 0) });
    }
    return counts;
  }

  private isMoved({ commit, cursor }: OwnEntry, etag: string): boolean {
    const { first, last } = commit ?? { first: cursor, last: cursor };
    return this.history.entries.slice(first, last + 1).some((recorded) => {
      const entry = recorded?.entry;
      return entry?.type === 'delete' && liveOf(entry.previous)?.etag === etag;
    });
  }

  private isRestored(at: number): boolean {
    return this.restores.some(({ from, until }) => from <= at && at <= until + LATE_MS);
  }
}

function changesBetween(history: BucketHistory, after: number, before: number): number[] {
  const cursors: number[] = [];
  for (let cursor = after + 1; cursor < before; cursor++) {
    if (history.entry(cursor)?.type !== 'noop') cursors.push(cursor);
  }
  return cursors;
}
