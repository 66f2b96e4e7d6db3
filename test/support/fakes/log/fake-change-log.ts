import type { ChangeEntry, ChangeLog, ReadOptions } from '../../../../core/log/ports';
import { copy, type FakeState } from '../state';

/** The ChangeLog port in memory. */
export class FakeChangeLog implements ChangeLog {
  constructor(private readonly state: FakeState) {}

  async get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined> {
    return copy(this.state.changesOf(bucketId).get(cursor));
  }

  async read(
    bucketId: string,
    after: number,
    to: number,
    { withoutPrevious = false }: ReadOptions = {},
  ): Promise<readonly ChangeEntry[]> {
    if (to - after > 1000)
      throw new RangeError(`at most 1000 entries at once, asked ${to - after}`);
    return [...this.state.changesOf(bucketId).values()]
      .filter((entry) => after < entry.cursor && entry.cursor <= to)
      .sort((a, b) => a.cursor - b.cursor)
      .map((entry) => {
        if (!withoutPrevious || entry.type === 'noop') return copy(entry);
        const { previous: _previous, ...own } = entry;
        return copy(own);
      });
  }

  async fill(
    bucketId: string,
    entry: Extract<ChangeEntry, { type: 'noop' }>,
  ): Promise<ChangeEntry> {
    const entries = this.state.changesOf(bucketId);
    const there = entries.get(entry.cursor) ?? copy(entry);
    entries.set(entry.cursor, there);
    return copy(there);
  }

  async remove(bucketId: string, cursors: readonly number[]): Promise<void> {
    for (const cursor of cursors) this.state.changesOf(bucketId).delete(cursor);
  }
}
