import type { Consumer } from '../../../../core/consumers/ports';
import { LIMITS } from '../../../../core/limits';
import type { IdempotencyRecord } from '../../../../core/store/uploads';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

const AT = Date.parse('2026-11-20T10:00:00.000Z');

export function consumersContract(name: string, open: OpenData): void {
  describe(`Consumers: ${name}`, () => {
    let ports: DataPorts;
    let buckets = 0;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    const newBucketId = () => `bucket${String(++buckets).padStart(6, '0')}`;
    const sample = (fields: Partial<Consumer> = {}): Consumer => ({
      ...{ bucketId: fields.bucketId ?? newBucketId(), name: 'indexer', prefix: '', cursor: 5 },
      updatedAt: new Date(AT).toISOString(),
      ...fields,
    });
    const record = (id: string): IdempotencyRecord => ({
      ...{ id: `replay#${id}`, fingerprint: 'f', status: 201, headers: {}, body: '{}' },
      expiresAt: Math.floor(ports.clock.now() / 1000) + 60,
    });
    const put = (one: Consumer, previous?: number, replay?: IdempotencyRecord) =>
      ports.consumers.put(one, previous, replay);

    test('a consumer is read as it was stored, and replaced at its present cursor only', async () => {
      const one = sample({ prefix: 'a/', name: 'a.B_c-1' });
      expect(await ports.consumers.get(one)).toBeUndefined();
      expect(await put(one, 5)).toBe('changed');
      expect(await put(one)).toBe('stored');
      expect(await ports.consumers.get(one)).toEqual(one);
      expect(await put({ ...one, cursor: 6 })).toBe('changed');
      expect(await put({ ...one, cursor: 6 }, 4)).toBe('changed');
      expect(await put({ ...one, cursor: 3 }, 5)).toBe('stored');
      expect(await ports.consumers.get(one)).toEqual({ ...one, cursor: 3 });
    });

    test('a consumer that was made again for other keys is not replaced', async () => {
      const one = sample({ prefix: 'b/' });
      const moved = { ...one, prefix: '', cursor: 6 };
      await put(one);
      expect(await put(moved, 5)).toBe('changed');
      expect(await put(moved, 5, record(`p${one.bucketId}`))).toBe('changed');
      expect(await ports.consumers.get(one)).toEqual(one);
    });

    test('a list has the consumers of one bucket by name, page by page', async () => {
      const bucketId = newBucketId();
      const all = ['B', 'a', 'b'].map((name) => sample({ bucketId, name }));
      for (const one of [...[...all].reverse(), sample()]) await put(one);
      const first = await ports.consumers.list(bucketId, 2);
      expect(first).toEqual({ items: all.slice(0, 2), more: true });
      const rest = await ports.consumers.list(bucketId, 2, 'a');
      expect(rest).toEqual({ items: all.slice(2), more: false });
      expect(await ports.consumers.all()).toEqual(expect.arrayContaining(all));
    });

    test('a bucket never has more consumers than the limit, also when puts race', async () => {
      const bucketId = newBucketId();
      const most = LIMITS.consumersPerBucket;
      for (let n = 2; n < most; n++) await put(sample({ bucketId, name: `c${n}` }));
      const racing = await Promise.all(
        ['x', 'y', 'z'].map((one) => put(sample({ bucketId, name: one }))),
      );
      expect(racing.sort()).toEqual(['full', 'stored', 'stored']);
      expect(await ports.consumers.remove({ bucketId, name: 'c2' })).toBe('removed');
      expect(await put(sample({ bucketId, name: 'new' }))).toBe('stored');
      expect(await put(sample({ bucketId, name: 'newer' }))).toBe('full');
      expect(await put(sample({ bucketId, name: 'new', cursor: 6 }), 5)).toBe('stored');
    });

    test('a cursor advances forward only, and only if it was not stored lately', async () => {
      const one = sample();
      const times = { now: AT + 40_000, notAfter: AT };
      expect(await ports.consumers.advance(one, 6, times)).toBe(false);
      await put(one);
      expect(await ports.consumers.advance(one, 6, { ...times, notAfter: AT - 1 })).toBe(false);
      expect(await ports.consumers.advance(one, 5, times)).toBe(false);
      expect(await ports.consumers.advance({ ...one, prefix: 'a' }, 6, times)).toBe(false);
      expect(await ports.consumers.advance(one, 6, times)).toBe(true);
      const updatedAt = new Date(AT + 40_000).toISOString();
      expect(await ports.consumers.get(one)).toEqual({ ...one, cursor: 6, updatedAt });
      expect(await ports.consumers.advance(one, 7, times)).toBe(false);
    });

    test('a removed consumer is gone, and is removed once', async () => {
      const one = sample();
      await put(one);
      expect(await ports.consumers.remove(one)).toBe('removed');
      expect(await ports.consumers.get(one)).toBeUndefined();
      expect(await ports.consumers.remove(one)).toBe('absent');
    });

    test('a write under an idempotency key that was used changes nothing', async () => {
      const [one, other] = [sample(), sample()];
      const [made, moved, removed] = ['m', 'v', 'r'].map((kind) => record(kind + one.bucketId));
      expect(await put(one, undefined, made)).toBe('stored');
      expect(await put(other, undefined, made)).toBe('duplicate');
      expect(await ports.consumers.get(other)).toBeUndefined();
      expect(await put({ ...one, cursor: 6 }, 5, moved)).toBe('stored');
      expect(await put({ ...one, cursor: 7 }, 6, moved)).toBe('duplicate');
      expect(await put({ ...one, cursor: 7 }, 5, record(`w${one.bucketId}`))).toBe('changed');
      expect(await ports.consumers.remove(other, removed)).toBe('absent');
      expect(await ports.consumers.remove(one, removed)).toBe('removed');
      expect(await ports.consumers.remove(one, removed)).toBe('duplicate');
    });

    test('the consumers of one bucket are removed with it, and others may follow', async () => {
      const bucketId = newBucketId();
      const other = sample();
      for (const one of ['a', 'b']) await put(sample({ bucketId, name: one }));
      await put(other);
      await ports.consumers.removeAll(bucketId);
      await ports.consumers.removeAll(bucketId);
      expect(await ports.consumers.list(bucketId, 10)).toEqual({ items: [], more: false });
      expect(await ports.consumers.get(other)).toEqual(other);
    });
  });
}
