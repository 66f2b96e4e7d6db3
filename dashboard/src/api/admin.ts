/** The administration of keys: docs/admin.md. */
import { dataOf, done, type Page, type Schemas, type ServiceClient } from './client';

export type Permission = Schemas['Permission'];
export type Action = Permission['actions'][number];
export type ApiKey = Schemas['Key'];
export type AuditRecord = Schemas['AuditRecord'];
export type UsageHour = Schemas['Usage']['hours'][number];
/** The settings of a key. It never expires when `expires_at` is null. */
export type KeySettings = Required<Schemas['KeyChange']>;

const PAGE = 1000;

/** Every method throws StowageError. `client` sends the token of the signed-in user. */
export class AdminApi {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** Needs no token. */
  config(): Promise<Schemas['Configuration']> {
    return dataOf(this.#client.GET('/admin/v1/config'));
  }

  async keys(next: string | undefined, signal?: AbortSignal): Promise<Page<ApiKey>> {
    const query = { limit: PAGE, page_token: next };
    const page = await dataOf(this.#client.GET('/admin/v1/keys', { params: { query }, signal }));
    return { items: page.keys, next: page.next_page_token };
  }

  key(id: string, signal?: AbortSignal): Promise<ApiKey> {
    const params = { path: { id } };
    return dataOf(this.#client.GET('/admin/v1/keys/{id}', { params, signal }));
  }

  createKey({ expires_at, ...settings }: KeySettings): Promise<Schemas['KeyWithSecret']> {
    const body = { ...settings, ...(expires_at !== null && { expires_at }) };
    return dataOf(this.#client.POST('/admin/v1/keys', { body }));
  }

  changeKey(id: string, change: Schemas['KeyChange']): Promise<ApiKey> {
    const params = { path: { id } };
    return dataOf(this.#client.PATCH('/admin/v1/keys/{id}', { params, body: change }));
  }

  async revokeKey(id: string): Promise<void> {
    await done(this.#client.POST('/admin/v1/keys/{id}/revoke', { params: { path: { id } } }));
  }

  rotateKey(id: string, overlapSeconds: number): Promise<Schemas['KeyWithSecret']> {
    const params = { path: { id } };
    const body = { overlap_seconds: overlapSeconds };
    return dataOf(this.#client.POST('/admin/v1/keys/{id}/rotate', { params, body }));
  }

  openSession(): Promise<Schemas['Session']> {
    return dataOf(this.#client.POST('/admin/v1/session'));
  }

  /** Ends all sessions of the signed-in user, this one included. */
  async endSessions(): Promise<void> {
    await done(this.#client.DELETE('/admin/v1/session'));
  }

  async audit(
    next: string | undefined,
    { limit = 100, signal }: { readonly limit?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Page<AuditRecord>> {
    const query = { limit, page_token: next };
    const page = await dataOf(this.#client.GET('/admin/v1/audit', { params: { query }, signal }));
    return { items: page.records, next: page.next_page_token };
  }

  /** Returns the last `days` days, counting today, without hours that have no requests. */
  async usage(keyId: string, days: number, signal?: AbortSignal): Promise<readonly UsageHour[]> {
    const params = { query: { key_id: keyId, days } };
    return (await dataOf(this.#client.GET('/admin/v1/usage', { params, signal }))).hours;
  }
}
