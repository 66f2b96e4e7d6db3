/** Stores sessions, codes and grants in memory, so a restart ends all sessions. */
import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Limits the memory; one person needs far fewer. */
const MAX_ENTRIES = 10_000;

/** Returns the factory from which oidc-provider gets an adapter per kind of entry. */
export function createMemoryAdapter(): (kind: string) => Adapter {
  const entries = new Map<string, Entry>();

  const live = (name: string): AdapterPayload | undefined => {
    const entry = entries.get(name);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry?.payload;
    entries.delete(name);
    return undefined;
  };
  const findBy = (kind: string, field: 'uid' | 'userCode', value: string) =>
    [...entries.entries()]
      .filter(([name, { payload }]) => name.startsWith(`${kind}:`) && payload[field] === value)
      .map(([name]) => live(name))
      .find((payload) => payload !== undefined);

  return (kind) => ({
    upsert: async (id, payload, expiresIn) => {
      const name = `${kind}:${id}`;
      entries.delete(name);
      entries.set(name, {
        payload,
        expiresAt: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY,
      });
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
    find: async (id) => live(`${kind}:${id}`),
    findByUid: async (uid) => findBy(kind, 'uid', uid),
    findByUserCode: async (code) => findBy(kind, 'userCode', code),
    consume: async (id) => {
      const payload = live(`${kind}:${id}`);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      entries.delete(`${kind}:${id}`);
    },
    revokeByGrantId: async (grantId) => {
      for (const [name, { payload }] of entries) {
        if (payload.grantId === grantId) entries.delete(name);
      }
    },
  });
}
