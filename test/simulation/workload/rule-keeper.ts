/** A client that sets the lifecycle rules of a bucket, and removes them again. */
import type { LifecycleRule } from '../../../client/buckets';
import { Actor } from './actor';
import type { Bucket, Setting } from './setting';

const HOLD = 'lifecycle rules hold from their acknowledgement until others are set';

/** Milliseconds between two sets of rules: some hold over a lull, others only within one. */
const PAUSE = [50, 1_500] as const;

export class RuleKeeper extends Actor {
  private readonly bucket: Bucket;
  /** Those that were acknowledged last, while nothing else was asked for. */
  private acknowledged: readonly LifecycleRule[] | undefined;

  constructor(setting: Setting, name: string) {
    super(setting, name);
    this.bucket = this.random.pick(setting.buckets);
  }

  protected override draw(): () => Promise<void> {
    const { random } = this;
    const [rules, pause] = [this.rules(), random.between(...PAUSE)];
    return async () => {
      await this.set(rules);
      await this.setting.pause(pause);
    };
  }

  private rules(): readonly LifecycleRule[] {
    const { random, setting } = this;
    const prefix = random.pick(setting.prefixes);
    return random.pick<readonly LifecycleRule[]>([
      [],
      [{ expire_after_days: 1 }],
      [{ prefix, expire_after_days: 1 }],
      [{ prefix, expire_after_days: 2 }, { expire_after_days: 3 }],
      [{ expire_after_days: 100 }],
    ]);
  }

  private async set(rules: readonly LifecycleRule[]): Promise<void> {
    const { bucket, client, setting } = this;
    setting.count('lifecycle rules');
    this.check();
    this.acknowledged = undefined;
    const set = await this.resolved(() => client.buckets.setLifecycle(bucket.name, rules));
    if (!('value' in set)) return;
    this.acknowledged = rules;
    this.require(set.value.lifecycle ?? [], rules);
    const found = await this.resolved(() => client.buckets.get(bucket.name));
    if ('value' in found) this.require(found.value.lifecycle ?? [], rules);
  }

  /** Whether nothing else has come in their place. */
  override check(): void {
    const held = this.bucket.history.rules.at(-1)?.rules ?? [];
    const shown = held.map(({ prefix, expireAfterDays: days }) => ({
      ...(prefix !== '' && { prefix }),
      expire_after_days: days,
    }));
    if (this.acknowledged) this.require(shown, this.acknowledged);
  }

  private require(found: readonly LifecycleRule[], wanted: readonly LifecycleRule[]): void {
    const [is, was] = [found, wanted].map((rules) => JSON.stringify(rules));
    const what = () => `${this.bucket.name} has the rules ${is} in place of ${was}`;
    this.setting.simulation.anomalies.require(HOLD, is === was, what);
  }
}
