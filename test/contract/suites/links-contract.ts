import { newLink } from '../../../core/links/link-secret';
import type { Link } from '../../../core/links/ports';
import type { IdempotencyRecord } from '../../../core/store/uploads';
import type { DataPorts, OpenData } from '../subjects/data-subjects';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const LIMIT = { burst: 3, intervalMs: 1000 };

export function linksContract(name: string, open: OpenData): void {
  describe(`Links: ${name}`, () => {
    let ports: DataPorts;
    let buckets = 0;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    const newBucketId = () => `links${String(++buckets).padStart(7, '0')}`;
    const sample = (fields: Partial<Link> = {}): Link => {
      const { bucketId, hash } = newLink(fields.bucketId ?? newBucketId());
      return {
        ...{ bucketId, hash, bucket: 'photos', key: 'cat.jpg', uses: 0, createdBy: 'key-1' },
        createdAt: '2026-11-20T09:00:00.000Z',
        expiresAt: '2026-11-20T11:00:00.000Z',
        ...fields,
      };
    };
    const record = (id: string): IdempotencyRecord => ({
      ...{ id: `replay#${id}`, fingerprint: 'f', status: 201, headers: {}, body: '{}' },
      expiresAt: Math.floor(ports.clock.now() / 1000) + 60,
    });

    test('a link is read as it was created, with every field and with none', async () => {
      const full = sample({
        ...{ version: 3, maxUses: 5, password: 'salt.hash', disposition: 'inline', note: 'for U' },
        signer: { keyId: 'key-1', generation: 2 },
      });
      const bare = sample();
      for (const link of [full, bare]) {
        expect(await ports.links.create(link)).toBe('created');
        expect(await ports.links.get(link)).toEqual(link);
      }
      await expect(ports.links.create(bare)).rejects.toThrow();
    });

    test('a list has the links of one bucket by hash, page by page', async () => {
      const bucketId = newBucketId();
      const all = [1, 2, 3].map(() => sample({ bucketId }));
      for (const link of [...all, sample()]) await ports.links.create(link);
      all.sort((a, b) => (a.hash < b.hash ? -1 : 1));
      const first = await ports.links.list(bucketId, 2);
      expect(first).toEqual({ items: all.slice(0, 2), more: true });
      const rest = await ports.links.list(bucketId, 2, all[1]?.hash);
      expect(rest).toEqual({ items: all.slice(2), more: false });
    });

    test('a removed link is gone, and is removed once', async () => {
      const link = sample();
      await ports.links.create(link);
      expect(await ports.links.remove(link)).toBe('removed');
      expect(await ports.links.get(link)).toBeUndefined();
      expect(await ports.links.remove(link)).toBe('absent');
      expect(await ports.links.use(link, NOW)).toBe(false);
      expect(await ports.links.attempt(link, NOW, LIMIT)).toBe(false);
    });

    test('a write under an idempotency key that was used changes nothing', async () => {
      const [link, other] = [sample(), sample()];
      const [created, removed] = [record(`c-${link.hash}`), record(`r-${link.hash}`)];
      expect(await ports.links.create(link, created)).toBe('created');
      expect(await ports.links.create(other, created)).toBe('duplicate');
      expect(await ports.links.get(other)).toBeUndefined();
      expect(await ports.links.remove(other, removed)).toBe('absent');
      expect(await ports.links.remove(link, removed)).toBe('removed');
      expect(await ports.links.remove(link, removed)).toBe('duplicate');
    });

    test('a link is used at most max_uses times, also when uses race', async () => {
      const link = sample({ maxUses: 10 });
      await ports.links.create(link);
      const uses = await Promise.all(Array.from({ length: 40 }, () => ports.links.use(link, NOW)));
      expect(uses.filter(Boolean)).toHaveLength(10);
      expect((await ports.links.get(link))?.uses).toBe(10);
    });

    test('a link without a bound counts its uses, until it expires', async () => {
      const link = sample();
      await ports.links.create(link);
      const end = Date.parse(link.expiresAt);
      expect(await ports.links.use(link, end - 1)).toBe(true);
      expect(await ports.links.use(link, end)).toBe(false);
      expect((await ports.links.get(link))?.uses).toBe(1);
    });

    test('attempts are bounded at once and by time, and a use forgets them', async () => {
      const link = sample();
      await ports.links.create(link);
      const attempts = (at: number, count: number) =>
        Promise.all(
          Array.from({ length: count }, () => ports.links.attempt(link, NOW + at, LIMIT)),
        );
      expect((await attempts(0, 8)).filter(Boolean)).toHaveLength(3);
      expect(await attempts(999, 1)).toEqual([false]);
      expect((await attempts(1000, 2)).filter(Boolean)).toHaveLength(1);
      expect(await ports.links.use(link, NOW + 1000)).toBe(true);
      expect((await attempts(1000, 4)).filter(Boolean)).toHaveLength(3);
    });
  });
}
