/** The admin API, with the wire's own field names: docs/admin-api.md. */
import { Http } from '../../../client/http';

export const ACTIONS = [
  'read',
  'write',
  'delete',
  'list',
  'sync',
  'sign',
  'create_bucket',
  'delete_bucket',
] as const;

export type Action = (typeof ACTIONS)[number];

export interface Permission {
  /** Names, or beginnings of names that end in `*`. */
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly actions: readonly Action[];
}

/** Public: what the page needs to know before anybody has signed in. */
export interface ServiceConfig {
  readonly issuer: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  readonly authorize_parameters: Readonly<Record<string, string>>;
  /** The address of this page is to be put behind it. */
  readonly sign_out_url?: string;
  readonly tiers: readonly string[];
  readonly version: string;
}

/** Times are ISO 8601 in UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly tier: string;
  readonly created_at: string;
  readonly created_by?: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
  readonly revoked_by?: string;
  /** Until then the previous secret works too. */
  readonly rotating_until?: string;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly summary: readonly string[];
  /** To the hour. */
  readonly last_used_at?: string;
  /** What is counted of this hour so far. */
  readonly rate?: UsageCounts;
}

/** Requests by class; `limited`: refused with 429. */
export interface UsageCounts {
  readonly read: number;
  readonly write: number;
  readonly list: number;
  readonly sign: number;
  readonly connect: number;
  readonly limited: number;
}

/** `hour`: its beginning. */
export interface UsageHour extends UsageCounts {
  readonly hour: string;
}

/** `api_key` is the secret text, which is shown once. */
export interface MadeKey {
  readonly key: ApiKey;
  readonly api_key: string;
}

export interface KeySettings {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly tier: string;
  /** null: no expiry. */
  readonly expires_at: string | null;
}

export interface StorageSession {
  readonly api_key: string;
  readonly key_id: string;
  readonly expires_at: string;
}

export interface AuditRecord {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly actor_id: string;
  readonly action: 'create' | 'change' | 'revoke' | 'rotate' | 'session';
  readonly key_id: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** One page of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

const REQUEST_MS = 30_000;
const PAGE = 1000;

export function adminHttp(serviceRoot: string, token: string | undefined): Http {
  return new Http(serviceRoot, token, (url, init) => fetch(url, init), 'admin/v1/');
}

export async function readConfig(serviceRoot: string): Promise<ServiceConfig> {
  const request = { path: 'config', timeoutMs: REQUEST_MS };
  return (await adminHttp(serviceRoot, undefined).json(request)) as ServiceConfig;
}

/** Every method throws StowageError. `http`: with the token of whoever is signed in now. */
export class AdminApi {
  readonly #http: () => Http;

  constructor(http: () => Http) {
    this.#http = http;
  }

  async keys(next: string | undefined, signal?: AbortSignal): Promise<Page<ApiKey>> {
    const query = { limit: PAGE, page_token: next };
    const answer = (await this.#get('keys', query, signal)) as {
      readonly keys: readonly ApiKey[];
      readonly next_page_token?: string;
    };
    return { items: answer.keys, next: answer.next_page_token };
  }

  async createKey({ expires_at, ...settings }: KeySettings): Promise<MadeKey> {
    const body = { ...settings, ...(expires_at !== null && { expires_at }) };
    return (await this.#send('POST', 'keys', body)) as MadeKey;
  }

  async changeKey(id: string, change: Partial<KeySettings>): Promise<ApiKey> {
    return (await this.#send('PATCH', `keys/${encodeURIComponent(id)}`, change)) as ApiKey;
  }

  async revokeKey(id: string): Promise<void> {
    await this.#send('POST', `keys/${encodeURIComponent(id)}/revoke`, {});
  }

  async rotateKey(id: string, overlapSeconds: number): Promise<MadeKey> {
    const body = { overlap_seconds: overlapSeconds };
    return (await this.#send('POST', `keys/${encodeURIComponent(id)}/rotate`, body)) as MadeKey;
  }

  async openSession(): Promise<StorageSession> {
    return (await this.#send('POST', 'session', {})) as StorageSession;
  }

  async audit(next: string | undefined, signal?: AbortSignal): Promise<Page<AuditRecord>> {
    const answer = (await this.#get('audit', { limit: 100, page_token: next }, signal)) as {
      readonly records: readonly AuditRecord[];
      readonly next_page_token?: string;
    };
    return { items: answer.records, next: answer.next_page_token };
  }

  /** The last so many days, today included; hours without requests are not told. */
  async usage(keyId: string, days: number, signal?: AbortSignal): Promise<readonly UsageHour[]> {
    const answer = (await this.#get('usage', { key_id: keyId, days }, signal)) as {
      readonly hours: readonly UsageHour[];
    };
    return answer.hours;
  }

  #get(
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    return this.#http().json({ path, query, signal, timeoutMs: REQUEST_MS });
  }

  #send(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<unknown> {
    return this.#http().json({
      method,
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: REQUEST_MS,
    });
  }
}
