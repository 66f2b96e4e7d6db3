import type {
  HourUsage,
  KeyUse,
  Rates,
  TokenLease,
  TokenLeaseRequest,
} from '../../../../core/access/ports';
import { addCounts } from '../../../../core/access/rate-limit-state';
import { available, isOverdrawn, taken, tokenBucketOf } from '../../../../core/access/token-bucket';
import { copy, type FakeState } from '../state';
import type { StoredRate } from '../stored';

/** The Rates port in memory. */
export class FakeRates implements Rates {
  constructor(private readonly state: FakeState) {}

  async lease(keyId: string, request: TokenLeaseRequest): Promise<TokenLease> {
    const rate = this.rateOf(keyId);
    const { changedAt } = rate;
    if (changedAt !== undefined && changedAt >= request.knownUntil)
      return { result: 'outdated', changedAt };
    const bucket = tokenBucketOf(request.rate);
    const now = request.now * 1000;
    const stored = rate.fullAt[request.class] ?? 0;
    const before = isOverdrawn(bucket, stored, now) ? now + bucket.depth : stored;
    rate.fullAt[request.class] = before;
    const tokens = Math.min(request.maxTokens, available(bucket, before, now));
    if (tokens < (request.minTokens ?? 1)) return { result: 'refused', fullAt: before };
    const fullAt = taken(bucket, before, now, tokens);
    rate.fullAt[request.class] = fullAt;
    const last = [...rate.hours.keys()].sort().at(-1) ?? '';
    const current = `${new Date(request.now).toISOString().slice(0, 13)}:00:00.000Z`;
    const hour = current > last ? current : last;
    rate.hours.set(hour, addCounts(rate.hours.get(hour) ?? {}, request.counts));
    return { result: 'granted', tokens, fullAt };
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
    const rate = this.state.rates.get(keyId) ?? { fullAt: {}, hours: new Map() };
    this.state.rates.set(keyId, rate);
    return rate;
  }
}

function byHour([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
