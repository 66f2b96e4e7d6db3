import type {
  AdvanceTimes,
  Consumer,
  ConsumerId,
  Consumers,
} from '../../../../core/consumers/ports';
import { LIMITS } from '../../../../core/limits';
import type { IdempotencyRecord } from '../../../../core/store/uploads';
import type { Clock } from '../../../../core/system';
import { compareUtf8, copy, type FakeState } from '../state';

const nameOf = ({ bucketId, name }: ConsumerId) => `${bucketId}#${name}`;

/** The Consumers port in memory. */
export class FakeConsumers implements Consumers {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Clock,
  ) {}

  async get(id: ConsumerId): Promise<Consumer | undefined> {
    return copy(this.state.consumers.get(nameOf(id)));
  }

  async list(bucketId: string, limit: number, after = '') {
    const all = this.of(bucketId)
      .filter(({ name }) => compareUtf8(after, name) < 0)
      .sort((a, b) => compareUtf8(a.name, b.name));
    return { items: all.slice(0, limit).map(copy), more: all.length > limit };
  }

  async all(): Promise<readonly Consumer[]> {
    return [...this.state.consumers.values()].map(copy);
  }

  async put(consumer: Consumer, previous: number | undefined, replay?: IdempotencyRecord) {
    const present = this.state.consumers.get(nameOf(consumer));
    if (this.isReplayed(replay)) return 'duplicate';
    const isOther = present !== undefined && present.prefix !== consumer.prefix;
    if (present?.cursor !== previous || isOther) return 'changed';
    const isFull = this.of(consumer.bucketId).length >= LIMITS.consumersPerBucket;
    if (!present && isFull) return 'full';
    this.state.consumers.set(nameOf(consumer), copy(consumer));
    this.state.saveIdempotencyRecord(replay);
    return 'stored';
  }

  async advance(
    consumer: ConsumerId & Pick<Consumer, 'prefix'>,
    cursor: number,
    { now, notAfter }: AdvanceTimes,
  ): Promise<boolean> {
    const present = this.state.consumers.get(nameOf(consumer));
    if (present?.prefix !== consumer.prefix || present.cursor >= cursor) return false;
    if (Date.parse(present.updatedAt) > notAfter) return false;
    const updatedAt = new Date(now).toISOString();
    this.state.consumers.set(nameOf(consumer), { ...present, cursor, updatedAt });
    return true;
  }

  async remove(
    id: ConsumerId,
    replay?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    if (this.isReplayed(replay)) return 'duplicate';
    if (!this.state.consumers.delete(nameOf(id))) return 'absent';
    this.state.saveIdempotencyRecord(replay);
    return 'removed';
  }

  async removeAll(bucketId: string): Promise<void> {
    for (const one of this.of(bucketId)) this.state.consumers.delete(nameOf(one));
  }

  private of(bucketId: string): Consumer[] {
    return [...this.state.consumers.values()].filter((one) => one.bucketId === bucketId);
  }

  private isReplayed(replay: IdempotencyRecord | undefined): boolean {
    return this.state.isReplayed(replay, Math.floor(this.clock.now() / 1000));
  }
}
