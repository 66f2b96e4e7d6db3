import type { AuditRecord } from '../../../core/access/ports';
import type { BucketRecord, DeletedBucket } from '../../../core/store/buckets';
import { AT, LATER, NOW, newBucket, newIdempotencyRecord, newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';
import { bucketStatsContract } from './bucket-stats-contract';

const deletedBucketOf = ({ name, id, cursor }: BucketRecord): DeletedBucket => ({
  name,
  id,
  cursor,
  trimmed: 1,
  deletedAt: LATER,
});

const ALICE = { actor: 'alice', actorId: 'sub-1', keyId: 'MTivvttCEgQl' };

function newDeletionRecord({ name, id: bucket_id }: BucketRecord): AuditRecord {
  const id = `01KDVDNA00${newName().slice(-16).toUpperCase().padStart(16, '0')}`;
  const details = { bucket: name, bucket_id };
  return { id, at: LATER, ...ALICE, action: 'delete_bucket', details };
}

export function bucketsContract(name: string, open: OpenData): void {
  describe(`Buckets: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    describe('create', () => {
      test('stores the record and its stats', async () => {
        const record = newBucket();

        expect(await ports.buckets.get(record.name)).toBeUndefined();
        expect(await ports.buckets.stats(record.name)).toBeUndefined();
        expect(await ports.buckets.create(record)).toBe('created');

        expect(await ports.buckets.get(record.name)).toEqual(record);
        expect(await ports.buckets.stats(record.name)).toEqual({
          id: record.id,
          oldest: 1,
          trimmed: 1,
          published: 0,
          objectCount: 0,
          totalSize: 0,
        });
      });

      test('leaves an existing bucket unchanged and saves no idempotency record', async () => {
        const record = newBucket();
        const idempotency = newIdempotencyRecord();
        await ports.buckets.create(record);
        await ports.commits.allocate(record);

        expect(await ports.buckets.create({ ...record, id: newName() }, idempotency)).toBe(
          'exists',
        );

        expect(await ports.buckets.get(record.name)).toEqual({ ...record, cursor: 1 });
        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toBeUndefined();
      });

      test('saves the idempotency record, and creates nothing for a used key', async () => {
        const [first, second] = [newBucket(), newBucket()];
        const idempotency = newIdempotencyRecord();

        expect(await ports.buckets.create(first, idempotency)).toBe('created');
        expect(await ports.buckets.create(second, { ...idempotency, body: 'other' })).toBe(
          'duplicate',
        );
        expect(await ports.buckets.create(first, idempotency)).toBe('duplicate');

        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(idempotency);
        expect(await ports.buckets.get(second.name)).toBeUndefined();
      });

      test('accepts an idempotency key again after its record has expired', async () => {
        const [first, second] = [newBucket(), newBucket()];
        const idempotency = newIdempotencyRecord({ expiresAt: NOW });
        const again = { ...idempotency, body: 'other', expiresAt: NOW + 60 };

        await ports.buckets.create(
          { ...first, createdAt: '2025-12-31T23:59:59.000Z' },
          idempotency,
        );

        expect(await ports.buckets.create(second, again)).toBe('created');
        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(again);
      });

      test('succeeds for one of many concurrent callers', async () => {
        const record = newBucket();

        const results = await Promise.all(
          Array.from({ length: 10 }, () => ports.buckets.create({ ...record, id: newName() })),
        );

        expect(results.filter((result) => result === 'created')).toHaveLength(1);
        expect(results.filter((result) => result === 'exists')).toHaveLength(9);
      });
    });

    describe('close and reopen', () => {
      test('return and store the closing record, repeatedly', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        const closed = await ports.buckets.close(record, AT, ALICE);
        const closedAgain = await ports.buckets.close(record, LATER);

        expect(closed).toEqual({ ...record, closingAt: AT, closingBy: ALICE });
        expect(closedAgain).toEqual({ ...record, closingAt: LATER, closingBy: ALICE });
        expect(await ports.buckets.get(record.name)).toEqual(closedAgain);
        await ports.buckets.reopen(record);
        expect(await ports.buckets.get(record.name)).toEqual(record);
      });

      test('leave another incarnation of the bucket unchanged and create none', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        const unknown = newName();

        expect(await ports.buckets.close({ name: record.name, id: newName() }, AT)).toBeUndefined();
        expect(await ports.buckets.close({ name: unknown, id: record.id }, AT)).toBeUndefined();
        await ports.buckets.reopen({ name: unknown, id: record.id });

        expect(await ports.buckets.get(record.name)).toEqual(record);
        expect(await ports.buckets.get(unknown)).toBeUndefined();
      });
    });

    describe('remove', () => {
      test('removes a closing bucket and adds a deleted bucket record', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.commits.allocate(record);
        const closing = await ports.buckets.close(record, AT);
        if (closing === undefined) throw new Error('not closed');
        const idempotency = newIdempotencyRecord();
        const deleted = deletedBucketOf(closing);
        const audit = newDeletionRecord(closing);

        expect(await ports.buckets.remove(deleted, { idempotency, audit })).toBe(true);

        expect(await ports.buckets.get(record.name)).toBeUndefined();
        expect(await ports.buckets.stats(record.name)).toBeUndefined();
        expect(await listed(record.name)).toEqual([]);
        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(idempotency);
        expect(await ports.buckets.deletedBuckets()).toContainEqual(deleted);
        expect((await ports.audit.list(10)).records).toContainEqual(audit);
        expect(await ports.buckets.remove(deleted)).toBe(false);

        await ports.buckets.purge(record.id);
        expect(await ports.buckets.deletedBuckets()).not.toContainEqual(deleted);
      });

      test('frees the name for a bucket with another id', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        await ports.buckets.close(record, AT);
        await ports.buckets.remove(deletedBucketOf(record));
        const next = newBucket({ name: record.name });

        expect(await ports.buckets.create(next)).toBe('created');

        expect(await ports.commits.allocate({ name: next.name, id: record.id })).toBeUndefined();
        expect(await ports.commits.allocate(next)).toBe(1);
        expect(await listed(next.name)).toEqual([next.name]);
      });

      test('leaves a bucket unchanged that is open or has allocated a cursor since', async () => {
        const record = newBucket();
        await ports.buckets.create(record);

        expect(await ports.buckets.remove(deletedBucketOf(record))).toBe(false);
        await ports.buckets.close(record, AT);
        await ports.buckets.reopen(record);
        await ports.commits.allocate(record);
        await ports.buckets.close(record, AT);
        const idempotency = newIdempotencyRecord();
        const audit = newDeletionRecord(record);
        expect(await ports.buckets.remove(deletedBucketOf(record), { idempotency, audit })).toBe(
          false,
        );

        expect((await ports.buckets.get(record.name))?.cursor).toBe(1);
        expect(await listed(record.name)).toEqual([record.name]);
        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toBeUndefined();
        expect((await ports.audit.list(10)).records).not.toContainEqual(audit);
      });
    });

    describe('setLifecycle', () => {
      const rules = [
        { prefix: 'tmp/', expireAfterDays: 7 },
        { prefix: '', expireAfterDays: 365 },
      ];

      test('replaces the rules of a bucket, which ends with them', async () => {
        const record = newBucket();
        const { name: bucket } = record;
        expect(await ports.buckets.setLifecycle({ name: bucket, rules }, AT)).toBe('missing');
        await ports.buckets.create(record);
        expect(await ports.buckets.lifecycle(bucket)).toEqual([]);
        expect(await ports.buckets.setLifecycle({ name: bucket, rules }, AT)).toBe('set');
        expect(await ports.buckets.lifecycle(bucket)).toEqual(rules);
        expect(await ports.buckets.nextWithLifecycle(bucket)).toEqual({ name: bucket, rules });
        expect(await listed(bucket)).toEqual([bucket]);
        expect(await ports.buckets.setLifecycle({ name: bucket, rules: [] }, AT)).toBe('set');
        expect((await ports.buckets.nextWithLifecycle(bucket))?.name).not.toBe(bucket);

        await ports.buckets.setLifecycle({ name: bucket, rules }, AT);
        await ports.buckets.close(record, AT);
        await ports.buckets.remove(deletedBucketOf(record));
        await ports.buckets.create(newBucket({ name: bucket }));
        expect(await ports.buckets.lifecycle(bucket)).toEqual([]);
      });

      test('saves the idempotency record with the rules, or neither', async () => {
        const record = newBucket();
        await ports.buckets.create(record);
        const idempotency = newIdempotencyRecord();
        const set = (wanted: typeof rules) =>
          ports.buckets.setLifecycle({ name: record.name, rules: wanted }, AT, idempotency);
        expect(await set(rules)).toBe('set');
        expect(await ports.uploads.getIdempotencyRecord(idempotency.id, NOW)).toEqual(idempotency);
        expect(await set([])).toBe('duplicate');
        expect(await ports.buckets.lifecycle(record.name)).toEqual(rules);
      });

      test('nextWithLifecycle passes the buckets without rules, in name order', async () => {
        const prefix = newName('rules');
        for (const end of ['a', 'b', 'c', 'd']) {
          await ports.buckets.create(newBucket({ name: `${prefix}${end}` }));
        }
        for (const end of ['b', 'd']) {
          await ports.buckets.setLifecycle({ name: `${prefix}${end}`, rules }, AT);
        }
        const next = async (from: string) => (await ports.buckets.nextWithLifecycle(from))?.name;
        expect(await next(`${prefix}a`)).toBe(`${prefix}b`);
        expect(await next(`${prefix}b\u0000`)).toBe(`${prefix}d`);
      });
    });

    bucketStatsContract(() => ports);

    async function listed(bucketName: string): Promise<string[]> {
      const range = { from: bucketName, before: `${bucketName}\u0000` };
      const page = await ports.buckets.list(range, 10);
      return page.items.map(({ record }) => record.name);
    }
  });
}
