/** The cursors that are allocated to a commit and have no entries yet. */
import type { BucketRef } from '../bucket-ref';
import type { ObjectRecord } from '../store/objects';
import type { Clock } from '../system';
import type { ChangeEntry, ChangeLog, OwnEntry } from './ports';

export interface BlockDeps {
  readonly changeLog: Pick<ChangeLog, 'fill'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface BlockOptions {
  readonly bucket: BucketRef;
  /** How many cursors the commit takes. */
  readonly count: number;
  /** Allocates `count` new cursors and returns the first. */
  readonly allocate: () => Promise<number>;
}

/**
 * Consecutive cursors, which have one writer only, and one transaction: either each of them gets an
 * entry of the commit, or none does. So an entry at any of them decides about all, and one that is
 * no no-op entry belongs to this commit.
 */
export class CursorBlock {
  private first: number | undefined;

  constructor(
    private readonly deps: BlockDeps,
    private readonly options: BlockOptions,
  ) {}

  /** The first cursor of the block that is left from an earlier attempt, else of a new one. */
  async take(): Promise<number> {
    this.first ??= await this.options.allocate();
    return this.first;
  }

  /** Versions follow cursors, so a cursor below the record's cannot be used. */
  isOvertakenBy(records: readonly (ObjectRecord | undefined)[]): boolean {
    const { first } = this;
    return first !== undefined && records.some((record) => (record?.cursor ?? 0) >= first);
  }

  /**
   * Fills the block, so that no reader waits for it. Returns the entries if it has been used.
   */
  release(): Promise<readonly OwnEntry[] | undefined> {
    return this.settle();
  }

  /**
   * Decides a transaction with an unknown outcome by filling the first cursor: once a no-op entry
   * is there, the transaction can no longer succeed, and the other cursors are filled, too. Returns
   * the entries if it was committed; throws `cause` when that cannot be determined.
   */
  async decide(cause: unknown): Promise<readonly OwnEntry[] | undefined> {
    try {
      return await this.settle();
    } catch {
      throw cause;
    }
  }

  /**
   * The same when an entry of the block is `known`. Filling a cursor that has its entry returns the
   * entry.
   */
  async settle(known?: ChangeEntry): Promise<readonly OwnEntry[] | undefined> {
    const { first } = this;
    if (first === undefined) return undefined;
    // Before the others: a transaction in flight may still succeed as long as all are free.
    const decided = known ?? (await this.fill(first));
    const block = Array.from({ length: this.options.count }, (_, index) => first + index);
    const entries = await Promise.all(
      block.map((cursor) => (cursor === decided.cursor ? decided : this.fill(cursor))),
    );
    this.first = undefined;
    const own = entries.filter((entry): entry is OwnEntry => entry.type !== 'noop');
    return own.length === 0 ? undefined : own;
  }

  private fill(cursor: number): Promise<ChangeEntry> {
    const at = new Date(this.deps.clock.now()).toISOString();
    const { name, id } = this.options.bucket;
    return this.deps.changeLog.fill(id, { type: 'noop', bucket: name, cursor, at });
  }
}
