import type {
  HourUsage,
  KeyUse,
  Rates,
  TokenLease,
  TokenLeaseRequest,
} from '../../../../core/access/ports';
import { sum } from '../../../../core/access/rate-limiter';
import { available, isOverdrawn, taken, tokenBucketOf } from '../../../../core/access/token-bucket';
import { copy, type FakeState } from '../state';
import type { StoredRate } from '../stored';

/** The Rates port in memory. */
export class FakeRates implements Rates {
  constructor(private readonly state: FakeState) {}

  async lease(keyId: string, ask: TokenLeaseRequest): Promise<TokenLease> {
    const rate = this.rateOf(keyId);
    const { changedAt } = rate;
    if (changedAt !== undefined && changedAt >= ask.knows) return { result: 'outdated', changedAt };
    const bucket = tokenBucketOf(ask.rate);
    const now = ask.now * 1000;
    const stored = rate.full[ask.class] ?? 0;
    const before = isOverdrawn(bucket, stored, now) ? now + bucket.depth : stored;
    rate.full[ask.class] = before;
    const tokens = Math.min(ask.want, available(bucket, before, now));
    if (tokens === 0) return { result: 'refused', full: before };
    const full = taken(bucket, before, now, tokens);
    rate.full[ask.class] = full;
    const last = [...rate.hours.keys()].sort().at(-1) ?? '';
    const present = `${new Date(ask.now).toISOString().slice(0, 13)}:00:00.000Z`;
    const hour = present > last ? present : last;
    rate.hours.set(hour, sum(rate.hours.get(hour) ?? {}, ask.counts));
    return { result: 'granted', tokens, full };
  }

  async markChanged(keyId: string, at: number): Promise<void> {
    const rate = this.rateOf(keyId);
    rate.changedAt = Math.max(rate.changedAt ?? at, at);
  }

  async uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    return new Map(
      keyIds.flatMap((keyId) => {
        const hours = this.state.rates.get(keyId)?.hours;
        const [lastUsedAt, counts] = [...(hours ?? [])].sort(byHour).at(-1) ?? [];
        return lastUsedAt && counts ? [[keyId, copy({ lastUsedAt, counts })] as const] : [];
      }),
    );
  }

  async usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]> {
    const hours = [...(this.state.rates.get(keyId)?.hours ?? [])].sort(byHour);
    return hours
      .filter(([hour]) => days.includes(hour.slice(0, 10)))
      .map(([hour, counts]) => copy({ hour, counts }));
  }

  private rateOf(keyId: string): StoredRate {
    const rate = this.state.rates.get(keyId) ?? { full: {}, hours: new Map() };
    this.state.rates.set(keyId, rate);
    return rate;
  }
}

function byHour([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
