/**
 * The functions of the HTTP interface over one state in memory, behind what the gateway does: it
 * asks the authorizer once for each token, and chooses the function by the path.
 */

import { newApiKey } from '../../../core/access/api-key';
import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createAuthorizer } from '../../../lambdas/authorizer/app';
import { createInternal } from '../../../lambdas/internal/app';
import { claimIn } from '../../../lambdas/runtime/rest-event';
import { createChanges } from '../../../service/changes-api';
import { createDownload } from '../../../service/download-api';
import type { App } from '../../../service/http/app';
import { createApi } from '../../../service/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import type { FakeState } from '../../support/fakes/state';
import { invoke } from '../../support/invocations';
import { send } from '../../support/requests';
import type { Asked } from './operations';
import type { Granted } from './rules';

/** A header as it was sent, or the alias by which a principal invokes. */
export type Credential = { readonly authorization?: string } | { readonly alias: string };

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What the gateway answers in place of the functions. */
const REFUSED: Answer = { status: 401, text: '' };

/** Rates that no test exceeds. */
const FREELY = { rate: 1e9, burst: 1e9, concurrent: 1e6 };
const RATES = { read: FREELY, write: FREELY, list: FREELY, sign: FREELY };
const rateTiers = { default: { ...RATES, wait: FREELY, connect: FREELY } };

export const ROOT = 'root';

export type AuthorizedService = ReturnType<typeof openService>;

export function openService(grants: ReadonlyMap<string, readonly Granted[]> = new Map()) {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    ...{ rateTiers, bucketIds: new BucketIds(fakes.buckets), maxWaiting: 5 },
    backoff: async () => undefined,
    responseMode: 'stream' as const,
    linksAndKeys: { ...fakes, baseUrl: 'https://files.example/' },
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://sync.example/sync' },
  };
  const { linksAndKeys: _linksAndKeys, tickets: _tickets, ...ofPrincipals } = deps;
  const internal = createInternal(ofPrincipals, grants as ReadonlyMap<string, Permission[]>);
  const authorize = createAuthorizer(deps);
  const apps = { api: createApi(deps), download: createDownload(deps), sync: createChanges(deps) };
  const contexts = new Map<string, Promise<object | undefined>>();

  const contextOf = async (authorizationToken: string): Promise<object | undefined> => {
    const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:abc/api/GET/x';
    const allowed = await authorize({ type: 'TOKEN', authorizationToken, methodArn }).catch(
      (error: Error) => {
        if (error.message !== 'Unauthorized') throw error;
        return undefined;
      },
    );
    return allowed?.context ?? undefined;
  };

  function appOf({ method, path }: Asked): App {
    if (path.startsWith('/sync')) return apps.sync;
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && /^\/objects\/[^/]+\/./.test(path) ? apps.download : apps.api;
  }

  async function ask(credential: Credential, asked: Asked): Promise<Answer> {
    if ('alias' in credential) {
      const { status, body } = await invoke(internal, credential.alias, asked);
      return { status, text: body.toString() };
    }
    const { authorization } = credential;
    if (authorization === undefined) return REFUSED;
    const known = contexts.get(authorization) ?? contextOf(authorization);
    contexts.set(authorization, known);
    const authorizer = await known;
    if (authorizer === undefined) return REFUSED;
    const app = appOf(asked);
    const claim = claimIn(authorizer as Readonly<Record<string, unknown>>);
    const { status, body } = await send((incoming) => app({ ...incoming, claim }), asked);
    return { status, text: body.toString() };
  }

  /** Stores a key, as the administration does. */
  function addKey(permissions: readonly Granted[], fields: Partial<ApiKeyRecord> = {}) {
    const { id, text, secretHash } = newApiKey();
    const createdAt = deps.clock.iso();
    const record = { id, name: 'k', secretHash, permissions, createdAt, ...fields } as ApiKeyRecord;
    deps.state.apiKeys.set(id, record);
    return { id, text, record };
  }

  /** Changes keys, as the administration does, and waits until that applies everywhere. */
  async function changeKeys(ids: readonly string[], fields: (id: string) => object) {
    for (const id of ids) {
      const record = deps.state.apiKeys.get(id) as ApiKeyRecord;
      deps.state.apiKeys.set(id, { ...record, ...fields(id) });
      await deps.rates.markChanged(id, deps.clock.now());
    }
    deps.clock.advance(5000);
  }

  return { deps, ask, addKey, changeKeys };
}

/** Counters of requests, and secrets that the first request makes. */
const NOT_COMPARED: readonly string[] = ['rates', 'service'];

type Part = [name: string, content: Map<unknown, unknown>];

/** Remembers what is stored, compares it with what is stored later, and brings it back. */
export class Stored {
  private readonly kept: ReadonlyMap<string, ReadonlyMap<unknown, unknown>>;

  constructor(private readonly state: FakeState) {
    this.kept = new Map(this.parts().map(([name, content]) => [name, new Map(content)]));
  }

  /** Each value is stored as a new one when it changes. */
  isUnchanged(): boolean {
    return this.parts().every(([name, content]) => {
      const kept = this.kept.get(name);
      const isSame = ([key, value]: [unknown, unknown]) => kept?.get(key) === value;
      return kept ? kept.size === content.size && [...content].every(isSame) : content.size === 0;
    });
  }

  restore(): void {
    for (const [name, content] of this.parts()) {
      content.clear();
      for (const [key, value] of this.kept.get(name) ?? []) content.set(key, value);
    }
  }

  /** The tables, and what lies in tables by bucket. */
  private parts(): Part[] {
    return Object.entries(this.state)
      .filter(([name, content]) => content instanceof Map && !NOT_COMPARED.includes(name))
      .flatMap(([name, content]: Part): Part[] => {
        const inner = [...content].filter(([, value]) => value instanceof Map) as Part[];
        if (inner.length === 0) return [[name, content]];
        return [[name, content], ...inner.map(([id, of]): Part => [`${name} ${id}`, of])];
      });
  }
}
