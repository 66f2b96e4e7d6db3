import { dueSlotOf } from '../../../../core/objects/expiry';
import type { NameRange, Page } from '../../../../core/pages';
import type { DueObject, ObjectRecord, Objects, ShownRecord } from '../../../../core/store/objects';
import { shownOf } from '../shown';
import { compareUtf8, copy, type FakeState, namesIn } from '../state';

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

  /** By `list`, so that a test which replaces it replaces this, too. */
  async listShown(bucketId: string, range: NameRange, limit: number): Promise<Page<ShownRecord>> {
    const { items, more } = await this.list(bucketId, range, limit);
    return { items: items.map(shownOf), more };
  }

  async due(
    slot: string,
    until: string,
    limit: number,
    after?: DueObject,
  ): Promise<Page<DueObject>> {
    const place = ({ expiresAt, bucketId, key }: DueObject) => `${expiresAt} ${bucketId} ${key}`;
    const found = [...this.state.objects].flatMap(([bucketId, records]) =>
      [...records.values()].flatMap((record) => {
        if (record.state !== 'live' || dueSlotOf(record) !== slot) return [];
        const { key, expiresAt = '' } = record;
        return expiresAt <= until ? [{ bucketId, key, expiresAt }] : [];
      }),
    );
    const items = found
      .filter((one) => after === undefined || compareUtf8(place(one), place(after)) > 0)
      .sort((a, b) => compareUtf8(place(a), place(b)));
    return { items: items.slice(0, limit), more: items.length > limit };
  }

  async removeTombstone(bucketId: string, key: string, cursor: number): Promise<void> {
    const records = this.state.objectsOf(bucketId);
    const record = records.get(key);
    if (record?.state === 'deleted' && record.cursor === cursor) records.delete(key);
  }
}
