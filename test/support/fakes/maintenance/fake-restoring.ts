import type { BucketRef } from '../../../../core/bucket-ref';
import type { Restoring } from '../../../../core/maintenance/recovery/ports';
import type { FakeState } from '../state';

/** The Restoring port in memory. */
export class FakeRestoring implements Restoring {
  constructor(private readonly state: FakeState) {}

  async skip({ name, id }: BucketRef, to: number): Promise<boolean> {
    const record = this.state.buckets.get(name);
    if (record?.id !== id || record.cursor >= to) return false;
    const { closingAt: _, ...open } = record;
    const before = this.state.stats.get(name);
    const { objectCount, totalSize } =
      before?.id === id ? before : { objectCount: 0, totalSize: 0 };
    this.state.buckets.set(name, { ...open, cursor: to });
    const marks = { oldest: to + 1, trimmed: to + 1, published: to };
    this.state.stats.set(name, { id, ...marks, objectCount, totalSize });
    this.state.corrected.delete(id);
    return true;
  }

  async dropEntries(bucketId: string, to: number): Promise<number> {
    const entries = this.state.changesOf(bucketId);
    const old = [...entries.keys()].filter((cursor) => cursor <= to);
    for (const cursor of old) entries.delete(cursor);
    return old.length;
  }
}
