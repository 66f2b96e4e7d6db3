import type { ApiKeyRecord, AuditRecord } from '../../../../core/access/ports';
import { AT, LATER, newBucket, newName } from '../../../support/samples';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

export function keyStoreContract(name: string, open: OpenData): void {
  describe(`KeyStore and AuditLog: ${name}`, () => {
    let ports: DataPorts;
    beforeEach(async () => {
      ports = await open();
    });
    afterEach(() => ports.close());

    test('save stores a key together with its audit record, and get returns it unchanged', async () => {
      const bare = newKey();
      const full = newKey({
        permissions: [{ buckets: ['photos', 'team-*'], prefix: 'a/', actions: ['read', 'sign'] }],
        expiresAt: LATER,
        createdBy: 'alice',
        revokedBy: 'bob',
        revokedAt: LATER,
        tier: 'small',
        generation: 3,
        previousSecretHash: 'ab'.repeat(32),
        previousUntil: LATER,
        kind: 'session',
        actorId: 'sub-1',
      });
      const record = newAudit(bare.id, 1, {
        name: 'k',
        before: { permissions: [{ buckets: ['*'], actions: ['read'] }] },
        after: {},
      });

      expect(await ports.keys.save(bare, record)).toBe(true);
      expect(await ports.keys.save(full, newAudit(full.id, 2))).toBe(true);

      expect(await ports.keys.get(bare.id)).toEqual(bare);
      expect(await ports.apiKeys.get(full.id)).toEqual(full);
      expect((await ports.audit.list(10)).records).toEqual([newAudit(full.id, 2), record]);
    });

    test('save refuses a key of a stale revision and then writes no audit record', async () => {
      const key = newKey();
      const save = (changes: Partial<ApiKeyRecord>, number: number) =>
        ports.keys.save({ ...key, ...changes }, newAudit(key.id, number));

      expect(await save({ revision: 1 }, 1)).toBe(false);
      expect(await save({}, 2)).toBe(true);
      expect(await save({ name: 'again' }, 3)).toBe(false);
      expect(await save({ name: 'first', revision: 1 }, 4)).toBe(true);
      expect(await save({ name: 'late', revision: 1 }, 5)).toBe(false);
      expect(await save({ name: 'early', revision: 3 }, 6)).toBe(false);
      expect(await save({ name: 'second', revision: 2 }, 7)).toBe(true);

      expect((await ports.keys.get(key.id))?.name).toBe('second');
      const recorded = (await ports.audit.list(10)).records.map(({ id }) => id);
      expect(recorded).toEqual([7, 4, 2].map(auditId));
    });

    test('one of several concurrent changes of a key is made', async () => {
      const key = newKey();
      await ports.keys.save(key, newAudit(key.id, 0));
      const saved = await Promise.all(
        [1, 2, 3, 4].map((n) =>
          ports.keys.save({ ...key, name: `n${n}`, revision: 1 }, newAudit(key.id, n)),
        ),
      );
      expect(saved.filter(Boolean)).toHaveLength(1);
      const winner = saved.indexOf(true) + 1;
      expect((await ports.keys.get(key.id))?.name).toBe(`n${winner}`);
      expect((await ports.audit.list(10)).records.map(({ id }) => id)).toEqual([
        auditId(winner),
        auditId(0),
      ]);
    });

    test('a key stored by an earlier version can be changed', async () => {
      const key = newKey();
      await ports.addApiKey(key);
      expect(await ports.keys.save({ ...key, revision: 1 }, newAudit(key.id, 1))).toBe(true);
    });

    test('list returns every key once, without session keys', async () => {
      const keys = Array.from({ length: 7 }, () => newKey());
      const session = newKey({ kind: 'session', expiresAt: LATER });
      for (const [n, key] of [...keys, session].entries()) {
        await ports.keys.save(key, newAudit(key.id, n));
      }
      const found: string[] = [];
      let after: string | undefined;
      let pages = 0;
      do {
        const page = await ports.keys.list(3, after);
        expect(page.keys.length).toBeLessThanOrEqual(3);
        found.push(...page.keys.map(({ id }) => id));
        after = page.next;
        pages += 1;
      } while (after !== undefined && pages < 10);
      expect(found.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
    });

    test('sessionsOf returns the session keys of one person', async () => {
      const session = (actorId: string) => newKey({ kind: 'session', actorId, expiresAt: LATER });
      const own = [session('sub-1'), session('sub-1')];
      const others = [session('sub-2'), newKey(), newKey({ createdBy: 'sub-1' })];
      for (const [n, key] of [...own, ...others].entries()) {
        await ports.keys.save(key, newAudit(key.id, n));
      }
      const ids = (await ports.keys.sessionsOf('sub-1')).map(({ id }) => id);
      expect(ids.toSorted()).toEqual(own.map(({ id }) => id).toSorted());
      expect(await ports.keys.sessionsOf('sub-3')).toEqual([]);
    });

    test('the audit log lists its records newest first, page by page', async () => {
      for (let n = 0; n < 5; n++) {
        const key = newKey();
        await ports.keys.save(key, newAudit(key.id, n));
      }
      const first = await ports.audit.list(2);
      expect(first.records.map(({ id }) => id)).toEqual([4, 3].map(auditId));
      expect(first.more).toBe(true);
      const second = await ports.audit.list(10, first.records.at(-1)?.id);
      expect(second.records.map(({ id }) => id)).toEqual([2, 1, 0].map(auditId));
      expect(second.more).toBe(false);
    });

    test('a page of the audit log has at most `limit` records of both kinds', async () => {
      for (const n of [0, 2]) {
        const key = newKey();
        await ports.keys.save(key, newAudit(key.id, n));
        await deleteBucket(newAudit('k', n + 1, {}, DELETE_BUCKET));
      }
      const pageOf = async (limit: number) => {
        const { records, more } = await ports.audit.list(limit);
        return { ids: records.map(({ id }) => id), more };
      };
      expect(await pageOf(3)).toEqual({ ids: [3, 2, 1].map(auditId), more: true });
      expect(await pageOf(4)).toEqual({ ids: [3, 2, 1, 0].map(auditId), more: false });
    });

    test('the audit log lists deleted buckets among the keys, page by page', async () => {
      for (const n of [0, 2, 5]) {
        const key = newKey();
        await ports.keys.save(key, newAudit(key.id, n));
      }
      const deletions = [1, 3, 4].map((n) => newAudit('k', n, {}, DELETE_BUCKET));
      for (const audit of deletions) await deleteBucket(audit);
      const read: AuditRecord[] = [];
      for (let more = true; more; ) {
        const page = await ports.audit.list(2, read.at(-1)?.id);
        read.push(...page.records);
        more = page.more;
      }
      expect(read.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1, 0].map(auditId));
      expect(read.filter(({ action }) => action === DELETE_BUCKET)).toEqual(deletions.toReversed());
    });

    async function deleteBucket(audit: AuditRecord): Promise<void> {
      const bucket = newBucket();
      await ports.buckets.create(bucket);
      await ports.buckets.close(bucket, AT);
      await ports.buckets.remove({ ...bucket, trimmed: 1, deletedAt: AT }, { audit });
    }
  });
}

function newKey(overrides: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: newName(),
    name: 'k',
    secretHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    permissions: [{ buckets: ['*'], actions: ['read'] }],
    createdAt: AT,
    ...overrides,
  };
}

const DELETE_BUCKET = 'delete_bucket' as const;

const auditId = (number: number) => `01KDVDNA00${String(number).padStart(16, '0')}`;

function newAudit(
  keyId: string,
  number: number,
  details: AuditRecord['details'] = {},
  action: AuditRecord['action'] = 'change',
): AuditRecord {
  return {
    id: auditId(number),
    at: AT,
    actor: 'alice',
    actorId: 'sub-1',
    action,
    keyId,
    details,
  };
}
