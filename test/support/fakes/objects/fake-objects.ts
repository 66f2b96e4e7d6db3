import type { NameRange, ObjectRecord, Objects, Page } from '../../../../core/objects/ports';
import { copy, type FakeState, namesIn } from '../state';

/** The Objects port in memory. */
export class FakeObjects implements Objects {
  constructor(private readonly state: FakeState) {}

  async get(bucketId: string, key: string): Promise<ObjectRecord | undefined> {
    return copy(this.state.objectsOf(bucketId).get(key));
  }

  async getMany(bucketId: string, keys: readonly string[]): Promise<readonly ObjectRecord[]> {
    const records = this.state.objectsOf(bucketId);
    return [...new Set(keys)].flatMap((key) => {
      const record = records.get(key);
      return record === undefined ? [] : [copy(record)];
    });
  }

  async list(bucketId: string, range: NameRange, limit: number): Promise<Page<ObjectRecord>> {
    const records = this.state.objectsOf(bucketId);
    const keys = namesIn(records.keys(), range);
    return {
      items: await this.getMany(bucketId, keys.slice(0, limit)),
      more: keys.length > limit,
    };
  }

  async removeTombstone(bucketId: string, key: string, cursor: number): Promise<void> {
    const records = this.state.objectsOf(bucketId);
    const record = records.get(key);
    if (record?.state === 'deleted' && record.cursor === cursor) records.delete(key);
  }
}
