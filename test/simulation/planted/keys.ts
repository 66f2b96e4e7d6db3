/** Bugs of API keys that change. */
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

const PERMITS = 'a key may do what it permits, and nothing else';

export const KEYS: readonly PlantedBug[] = [
  {
    title: 'an instance does not ask whether a key has changed',
    seed: 3,
    foundBy: [PERMITS],
    plant: (ports) => {
      const lease: Ports['rates']['lease'] = (keyId, request) =>
        ports.rates.lease(keyId, { ...request, knownUntil: Number.POSITIVE_INFINITY });
      return { ...ports, rates: changed(ports.rates, { lease }) };
    },
  },
  {
    title: 'a changed key is read as it was when the instance started',
    seed: 189,
    foundBy: [PERMITS],
    plant: (ports, environment) => {
      if (isOf(environment, 'admin')) return ports;
      const read = new Map<string, Awaited<ReturnType<Ports['apiKeys']['get']>>>();
      const get: Ports['apiKeys']['get'] = async (id) => {
        const known = read.get(id) ?? (await ports.apiKeys.get(id));
        read.set(id, known);
        return known;
      };
      return { ...ports, apiKeys: changed(ports.apiKeys, { get }) };
    },
  },
  {
    title: 'a replaced secret works for a minute longer than it should',
    seed: 61,
    foundBy: ['a secret that was replaced or revoked is refused'],
    plant: (ports) => {
      const get: Ports['apiKeys']['get'] = async (id) => {
        const key = await ports.apiKeys.get(id);
        if (key?.previousUntil === undefined) return key;
        const previousUntil = new Date(Date.parse(key.previousUntil) + 60_000).toISOString();
        return { ...key, previousUntil };
      };
      return { ...ports, apiKeys: changed(ports.apiKeys, { get }) };
    },
  },
  {
    title: 'a change of a key is not marked',
    seed: 3,
    foundBy: ['a change of a key is marked'],
    plant: (ports) => {
      const markChanged: Ports['rates']['markChanged'] = async () => undefined;
      return { ...ports, rates: changed(ports.rates, { markChanged }) };
    },
  },
  {
    title: 'channels do not learn that their key is revoked',
    seed: 50,
    foundBy: ['the channels of a revoked key end'],
    plant: (ports, environment) => {
      if (isOf(environment, 'revocation')) {
        const connectionsOf: Ports['subscriptions']['connectionsOf'] = async () => [];
        return { ...ports, subscriptions: changed(ports.subscriptions, { connectionsOf }) };
      }
      if (!isOf(environment, 'channel')) return ports;
      const get: Ports['apiKeys']['get'] = async (id) => {
        const { revokedAt: _, ...key } = (await ports.apiKeys.get(id)) ?? {};
        return 'id' in key ? key : undefined;
      };
      return { ...ports, apiKeys: changed(ports.apiKeys, { get }) };
    },
  },
];
