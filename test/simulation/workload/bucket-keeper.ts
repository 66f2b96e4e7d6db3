/** A client that creates a bucket, writes to it, deletes it, and creates it anew. */
import { checkStored } from '../oracles/final-state';
import { md5 } from '../oracles/md5';
import type { BucketHistory } from '../records/history';
import { Actor } from './actor';
import { isRefused } from './requester';
import type { Setting } from './setting';

const NAME = 'temporary';
const KEYS = ['a', 'b', 'c'];

const EMPTY = 'a deleted bucket was empty, and changes no more';
const APART = 'a bucket that is created again has nothing of the deleted one';

export class BucketKeeper extends Actor {
  /** The incarnation that exists, as far as is known. */
  private bucketId: string | undefined;
  /** Incarnation -> the entries that its log had when its deletion was acknowledged. */
  private readonly deleted = new Map<string, number>();
  /** Etag -> the incarnation that existed when the put was acknowledged. */
  private readonly puts = new Map<string, string>();

  constructor(setting: Setting, name: string) {
    // The checker of histories knows no bucket that is deleted.
    super({ ...setting, recorder: undefined }, name);
  }

  protected override draw(): () => Promise<void> {
    const { random } = this;
    const [number, key] = [random.next(), random.pick(KEYS)];
    return async () => {
      if (this.bucketId === undefined) await this.create();
      else if (number < 0.45) await this.put(key);
      else await this.remove(number < 0.65 ? key : undefined);
    };
  }

  private async create(): Promise<void> {
    const { client, setting } = this;
    setting.count('bucket created');
    const made = await this.resolved(() =>
      client.buckets.create(NAME, { idempotencyKey: this.id }),
    );
    if (!('value' in made) && !isRefused(made, 'conflict')) return;
    const listed = await this.resolved(() => client.list(NAME, { limit: 1000 }));
    if (!('value' in listed)) return;
    const { bucket_id: id, objects } = listed.value;
    this.bucketId = id;
    const { anomalies } = setting.simulation;
    anomalies.require(APART, !this.deleted.has(id), () => `${id} was deleted, and is back`);
    const old = objects.filter(({ etag }) => this.isOfOther(etag, id)).map(({ key }) => key);
    anomalies.require(APART, old.length === 0, () => `${id} shows ${old.join()}`);
  }

  private async put(key: string): Promise<void> {
    const { bucketId = '', id } = this;
    const put = await this.resolved(() => this.client.put(NAME, key, id, { idempotencyKey: id }));
    if ('value' in put) this.puts.set(md5(id), bucketId);
    else if (isRefused(put, 'not_found')) this.bucketId = undefined;
  }

  /** Deletes the objects, or but one, and the bucket; now and then while something is put. */
  private async remove(kept: string | undefined): Promise<void> {
    const { client, id, random, setting } = this;
    for (const key of KEYS.filter((one) => one !== kept)) {
      await this.resolved(() => client.delete(NAME, key, { idempotencyKey: `${id}-${key}` }));
    }
    const { bucketId = '' } = this;
    const [deleted] = await Promise.all([
      this.resolved(() => client.buckets.delete(NAME, { idempotencyKey: id })),
      random.chance(0.3) ? this.put(random.pick(KEYS)) : undefined,
    ]);
    if ('refusal' in deleted && deleted.refusal.code === 'not_found') this.bucketId = undefined;
    if (!('value' in deleted)) return;
    setting.count('bucket deleted');
    this.bucketId = undefined;
    const history = this.historyOf(bucketId);
    this.deleted.set(bucketId, history.entries.length);
    const left = [...(history.stateAt(history.settled)?.keys() ?? [])];
    const what = () => `${bucketId} was deleted with ${left.join()}`;
    setting.simulation.anomalies.require(EMPTY, left.length === 0, what);
  }

  override check(): void {
    const { simulation } = this.setting;
    const { anomalies, history, state } = simulation;
    for (const [id, length] of this.deleted) {
      const now = this.historyOf(id).entries.length;
      anomalies.require(EMPTY, now === length, () => `${id} had ${length} entries, now ${now}`);
    }
    for (const { id, entries } of history.all) {
      for (const { entry } of entries.flatMap((one) => one ?? [])) {
        const etag = entry.type === 'put' && entry.object.state === 'live' ? entry.object.etag : '';
        const isOther = this.isOfOther(etag, id);
        anomalies.require(APART, !isOther, () => `${id} has ${etag} of another incarnation`);
      }
    }
    const present = state.buckets.get(NAME);
    if (present) checkStored(simulation, NAME, this.historyOf(present.id));
  }

  private isOfOther(etag: string, id: string): boolean {
    const known = this.puts.get(etag);
    return known !== undefined && known !== id;
  }

  private historyOf(id: string): BucketHistory {
    return this.setting.simulation.history.of(id);
  }
}
