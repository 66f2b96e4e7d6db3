import type { TokenLeaseRequest } from '../../../../core/access/ports';
import { newName } from '../../../support/samples';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

/** 14:20 on some day. */
const NOW = Date.UTC(2026, 10, 20, 14, 20);
const HOUR = 3_600_000;
const HOUR_14 = '2026-11-20T14:00:00.000Z';

/** 10 a second, 5 at once: a token is 100 ms. */
const RATE = { rate: 10, burst: 5 };

const requestOf = (change: Partial<TokenLeaseRequest> = {}): TokenLeaseRequest => ({
  class: 'read',
  rate: RATE,
  maxTokens: 1,
  now: NOW,
  knownUntil: NOW,
  counts: {},
  ...change,
});

export function ratesContract(name: string, open: OpenData): void {
  describe(`Rates: ${name}`, () => {
    let ports: DataPorts;
    let key: string;
    beforeAll(async () => {
      ports = await open();
    });
    beforeEach(() => {
      key = newName();
    });
    afterAll(() => ports.close());

    const lease = (change: Partial<TokenLeaseRequest> = {}) =>
      ports.rates.lease(key, requestOf(change));

    test('a new token bucket is full, is emptied, and refuses until it refills', async () => {
      const empty = NOW * 1000 + 500_000;
      expect(await lease({ maxTokens: 2 })).toEqual({
        result: 'granted',
        tokens: 2,
        fullAt: NOW * 1000 + 200_000,
      });
      expect(await lease({ maxTokens: 9 })).toEqual({
        result: 'granted',
        tokens: 3,
        fullAt: empty,
      });
      expect(await lease()).toEqual({ result: 'refused', fullAt: empty });
      expect(await lease({ now: NOW + 99 })).toEqual({ result: 'refused', fullAt: empty });
      expect(await lease({ now: NOW + 100 })).toMatchObject({ tokens: 1, fullAt: empty + 100_000 });
      expect(await lease({ now: NOW + 1000, maxTokens: 9 })).toMatchObject({ tokens: 5 });
    });

    test('a lease does not depend on what the caller knew of the bucket', async () => {
      for (const after of [-NOW, -0.001, 100, 300]) {
        const full = (NOW + after) * 1000;
        key = newName();
        expect(await lease({ maxTokens: 3, fullAt: full })).toMatchObject({
          result: 'granted',
          tokens: 3,
        });
        expect(await lease({ maxTokens: 3, fullAt: full })).toMatchObject({
          result: 'granted',
          tokens: 2,
        });
        expect(await lease({ maxTokens: 3, fullAt: full })).toMatchObject({ result: 'refused' });
      }
    });

    test('a token bucket that the caller knew as empty is asked', async () => {
      await lease({ maxTokens: 3 });
      const fullAt = (NOW + 500) * 1000;
      expect(await lease({ maxTokens: 2, fullAt })).toMatchObject({ result: 'granted' });
    });

    test('a token bucket is full from the moment at which its last token is due', async () => {
      await lease({ maxTokens: 2 });
      const fullAt = (NOW + 200) * 1000;
      expect(await lease({ now: NOW + 200, maxTokens: 9, fullAt })).toEqual({
        result: 'granted',
        tokens: 5,
        fullAt: (NOW + 700) * 1000,
      });
    });

    test('each class of each key has its own token bucket', async () => {
      expect(await lease({ maxTokens: 5 })).toMatchObject({ tokens: 5 });
      expect(await lease({ maxTokens: 5, class: 'write' })).toMatchObject({ tokens: 5 });
      expect(await lease()).toMatchObject({ result: 'refused' });
      expect(await ports.rates.lease(newName(), requestOf({ maxTokens: 5 }))).toMatchObject({
        tokens: 5,
      });
    });

    test('concurrent leases never contain the same token', async () => {
      const leases = await Promise.all(
        Array.from({ length: 8 }, () => lease({ maxTokens: 2, rate: { rate: 0.01, burst: 9 } })),
      );
      const tokens = leases.map((one) => (one.result === 'granted' ? one.tokens : 0));
      expect(tokens.reduce((total, n) => total + n, 0)).toBe(9);
      expect(tokens.filter((n) => n > 0).length).toBeLessThanOrEqual(5);
    });

    test('a key that moves to a faster tier refills at the new rate', async () => {
      expect(await lease({ maxTokens: 100, rate: { rate: 1, burst: 100 } })).toMatchObject({
        tokens: 100,
      });
      const empty = { result: 'refused', fullAt: NOW * 1000 + 500_000 };
      expect(await lease()).toEqual(empty);
      expect(await lease({ now: NOW + 100 })).toMatchObject({ result: 'granted', tokens: 1 });
    });

    test('returns `outdated` when the key changed after the caller read it', async () => {
      expect(await lease()).toMatchObject({ result: 'granted' });
      await ports.rates.markChanged(key, NOW + 5);
      expect(await lease({ knownUntil: NOW + 5 })).toEqual({
        result: 'outdated',
        changedAt: NOW + 5,
      });
      await ports.rates.markChanged(key, NOW + 3);
      expect(await lease({ knownUntil: NOW + 4 })).toEqual({
        result: 'outdated',
        changedAt: NOW + 5,
      });
      expect(await lease({ knownUntil: NOW + 6, maxTokens: 9 })).toMatchObject({ tokens: 4 });
    });

    test('returns `outdated` for a changed key that was never used', async () => {
      await ports.rates.markChanged(key, NOW);
      expect(await lease()).toEqual({ result: 'outdated', changedAt: NOW });
      expect(await ports.rates.uses([key])).toEqual(new Map());
      expect(await lease({ knownUntil: NOW + 1, counts: { read: 1 } })).toMatchObject({
        tokens: 1,
      });
      expect((await ports.rates.uses([key])).size).toBe(1);
    });

    test('counts add up within an hour, and a refused lease counts nothing', async () => {
      await lease({ counts: { read: 1 } });
      await lease({ counts: { read: 3, limited: 2 } });
      await lease({ class: 'write', counts: { write: 7 }, now: NOW + 60_000 });
      await lease({ class: 'list', rate: { rate: 0.01, burst: 1 }, counts: {} });
      const refused = { class: 'list', rate: { rate: 0.01, burst: 1 }, counts: { list: 1 } };
      expect(await lease(refused as Partial<TokenLeaseRequest>)).toMatchObject({
        result: 'refused',
      });

      const counts = { read: 4, limited: 2, write: 7 };
      const other = newName();
      expect(await ports.rates.uses([key, other])).toEqual(
        new Map([[key, { lastUsedAt: HOUR_14, counts }]]),
      );
      expect(await ports.rates.usage(key, ['2026-11-20'])).toEqual([{ hour: HOUR_14, counts }]);
      expect(await ports.rates.usage(key, ['2026-11-19'])).toEqual([]);
      expect(await ports.rates.usage(other, ['2026-11-20'])).toEqual([]);
    });

    test('an hour may begin with counts of every class', async () => {
      const counts = { read: 1, write: 2, list: 3, sign: 4, wait: 5, connect: 6, limited: 7 };
      await lease({ counts });
      expect((await ports.rates.uses([key])).get(key)).toEqual({ lastUsedAt: HOUR_14, counts });
    });

    test('each hour has its own counts, across midnight and with skewed clocks', async () => {
      await lease({ counts: { read: 2, limited: 1 } });
      await lease({ counts: { write: 3 }, now: NOW + HOUR });
      // The clock of another instance is slightly behind.
      await lease({ class: 'sign', counts: { write: 1 }, now: NOW + HOUR - 21 * 60_000 });
      await lease({ counts: { list: 4 }, now: NOW + 11 * HOUR });
      await lease({ counts: { list: 1 }, now: NOW + 11 * HOUR });

      const days = ['2026-11-21', '2026-11-20'];
      expect(await ports.rates.usage(key, days)).toEqual([
        { hour: HOUR_14, counts: { read: 2, limited: 1 } },
        { hour: '2026-11-20T15:00:00.000Z', counts: { write: 4 } },
        { hour: '2026-11-21T01:00:00.000Z', counts: { list: 5 } },
      ]);
      expect((await ports.rates.usage(key, ['2026-11-20'])).length).toBe(2);
      expect((await ports.rates.uses([key])).get(key)).toEqual({
        lastUsedAt: '2026-11-21T01:00:00.000Z',
        counts: { list: 5 },
      });
    });

    test('no count is lost when many instances begin an hour concurrently', async () => {
      const rate = { rate: 100, burst: 100 };
      await lease({ rate, counts: { read: 5 } });
      await Promise.all(
        Array.from({ length: 4 }, () =>
          lease({ rate, now: NOW + HOUR, counts: { read: 1, limited: 1 } }),
        ),
      );
      expect(await ports.rates.usage(key, ['2026-11-20'])).toEqual([
        { hour: HOUR_14, counts: { read: 5 } },
        { hour: '2026-11-20T15:00:00.000Z', counts: { read: 4, limited: 4 } },
      ]);
    });
  });
}
