import type { ApiKeyRecord, AuditLog, AuditRecord, KeyStore } from '../../../../core/access/ports';
import { copy, type FakeState } from '../state';
import { FakeApiKeys } from './fake-api-keys';

/** The KeyStore port in memory. */
export class FakeKeyStore extends FakeApiKeys implements KeyStore {
  constructor(protected override readonly state: FakeState) {
    super(state);
  }

  async list(
    limit: number,
    after?: string,
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }> {
    const ids = [...this.state.apiKeys.keys()].sort();
    const from = after === undefined ? 0 : ids.findIndex((id) => id > after);
    const page = from < 0 ? [] : ids.slice(from, from + limit);
    const keys = page
      .flatMap((id) => this.state.apiKeys.get(id) ?? [])
      .filter(({ kind }) => kind === undefined);
    const last = page.at(-1);
    const next = last !== undefined && last !== ids.at(-1) ? last : undefined;
    return { keys: copy(keys), ...(next !== undefined && { next }) };
  }

  async sessionsOf(actorId: string): Promise<readonly ApiKeyRecord[]> {
    const keys = [...this.state.apiKeys.values()];
    return copy(keys.filter((key) => key.kind === 'session' && key.actorId === actorId));
  }

  async save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean> {
    const stored = this.state.apiKeys.get(record.id);
    const { revision = 0 } = record;
    if (stored === undefined ? revision !== 0 : (stored.revision ?? 0) + 1 !== revision)
      return false;
    this.state.apiKeys.set(record.id, copy(record));
    this.state.audit.set(audit.id, copy(audit));
    return true;
  }
}

/** The AuditLog port in memory. */
export class FakeAuditLog implements AuditLog {
  constructor(private readonly state: FakeState) {}

  async list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }> {
    const ids = [...this.state.audit.keys()].sort().reverse();
    const older = before === undefined ? ids : ids.filter((id) => id < before);
    const records = older.slice(0, limit).flatMap((id) => this.state.audit.get(id) ?? []);
    return { records: copy(records), more: older.length > limit };
  }
}
