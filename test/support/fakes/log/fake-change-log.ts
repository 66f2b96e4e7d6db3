import type { ChangeEntry, ChangeLog, ShownEntry } from '../../../../core/log/ports';
import { shownEntryOf } from '../shown';
import { copy, type FakeState } from '../state';

/** The ChangeLog port in memory. */
export class FakeChangeLog implements ChangeLog {
  constructor(private readonly state: FakeState) {}

  async get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined> {
    return copy(this.state.changesOf(bucketId).get(cursor));
  }

  async read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]> {
    if (to - after > 1000)
      throw new RangeError(`at most 1000 entries at once, asked ${to - after}`);
    return [...this.state.changesOf(bucketId).values()]
      .filter((entry) => after < entry.cursor && entry.cursor <= to)
      .sort((a, b) => a.cursor - b.cursor)
      .map((entry) => copy(entry));
  }

  /** By `read`, so that a test which replaces it replaces this, too. */
  async readShown(bucketId: string, after: number, to: number): Promise<readonly ShownEntry[]> {
    return (await this.read(bucketId, after, to)).map(shownEntryOf);
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
