/** Bugs of buckets that are deleted, and of objects that expire. */
import type { RuledBucket } from '../../../core/store/buckets';
import type { Ports } from '../service/environment';
import { changed, isOf, type PlantedBug } from './planted-bug';

const EMPTY = 'a deleted bucket was empty, and changes no more';
const APART = 'a bucket that is created again has nothing of the deleted one';

export const BUCKETS_AND_EXPIRY: readonly PlantedBug[] = [
  {
    title: 'a bucket is deleted with what it holds',
    seed: 56,
    foundBy: [EMPTY],
    plant: (ports, environment) => {
      if (!isOf(environment, 'api')) return ports;
      const list: Ports['objects']['list'] = async () => ({ items: [], more: false });
      const stats: Ports['buckets']['stats'] = async (name) => {
        const found = await ports.buckets.stats(name);
        return found && { ...found, objectCount: 0 };
      };
      return {
        ...ports,
        buckets: changed(ports.buckets, { stats }),
        objects: changed(ports.objects, { list }),
      };
    },
  },
  {
    title: 'a bucket that is created again has the id of the deleted one',
    seed: 3,
    foundBy: [APART],
    plant: (ports) => {
      const create: Ports['buckets']['create'] = ({ id: _, ...record }, replay) =>
        ports.buckets.create({ ...record, id: 'b99999999999' }, replay);
      return { ...ports, buckets: changed(ports.buckets, { create }) };
    },
  },
  {
    title: 'what has expired is not found',
    seed: 4,
    foundBy: ['an object that has expired is deleted by the job'],
    plant: (ports) => {
      const due: Ports['objects']['due'] = async () => ({ items: [], more: false });
      return { ...ports, objects: changed(ports.objects, { due }) };
    },
  },
  {
    title: 'the job takes every expiry for half an hour earlier than it is',
    seed: 110,
    foundBy: ['an object never expires before its time'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'janitor')) return ports;
      const EARLY_MS = 30 * 60_000;
      const due: Ports['objects']['due'] = (slot, until, ...rest) =>
        ports.objects.due(slot, new Date(Date.parse(until) + EARLY_MS).toISOString(), ...rest);
      const getMany: Ports['objects']['getMany'] = async (...keys) =>
        (await ports.objects.getMany(...keys)).map((record) => {
          if (record.state !== 'live' || record.expiresAt === undefined) return record;
          const expiresAt = new Date(Date.parse(record.expiresAt) - EARLY_MS).toISOString();
          return { ...record, expiresAt };
        });
      return { ...ports, objects: changed(ports.objects, { due, getMany }) };
    },
  },
  {
    title: 'a rule counts half days',
    seed: 357,
    foundBy: ['an object never expires before its time'],
    plant: (ports, environment) => {
      if (!isOf(environment, 'janitor')) return ports;
      return { ...ports, buckets: withRules(ports, (days) => days / 2) };
    },
  },
  {
    title: 'buckets with rules are not found',
    seed: 18,
    foundBy: ['a rule deletes within a day what is old enough'],
    plant: (ports) => {
      const nextWithLifecycle = async () => undefined;
      return { ...ports, buckets: changed(ports.buckets, { nextWithLifecycle }) };
    },
  },
  {
    title: 'the job applies the shortest rules that there have ever been',
    seed: 13,
    foundBy: ['a rule deletes while it holds, and nothing afterwards'],
    plant: withRulesForEver(),
  },
  {
    title: 'that rules are removed is acknowledged and not stored',
    seed: 13,
    foundBy: ['lifecycle rules hold from their acknowledgement until others are set'],
    plant: (ports) => {
      const setLifecycle: Ports['buckets']['setLifecycle'] = async (bucket, ...rest) =>
        bucket.rules.length === 0 ? 'set' : ports.buckets.setLifecycle(bucket, ...rest);
      return { ...ports, buckets: changed(ports.buckets, { setLifecycle }) };
    },
  },
];

function withRules(ports: Ports, daysOf: (days: number) => number): Ports['buckets'] {
  const nextWithLifecycle: Ports['buckets']['nextWithLifecycle'] = async (from) => {
    const found = await ports.buckets.nextWithLifecycle(from);
    if (found === undefined) return undefined;
    const rules = found.rules.map((rule) => ({
      ...rule,
      expireAfterDays: daysOf(rule.expireAfterDays),
    }));
    return { ...found, rules };
  };
  return changed(ports.buckets, { nextWithLifecycle });
}

/** By an entry of the state, which all environments of one simulation share. */
function withRulesForEver(): PlantedBug['plant'] {
  const seen = new WeakMap<object, RuledBucket>();
  return (ports, environment) => {
    const setLifecycle: Ports['buckets']['setLifecycle'] = (bucket, ...rest) => {
      if (bucket.rules.some(({ expireAfterDays: days }) => days === 1))
        seen.set(ports.state, bucket);
      return ports.buckets.setLifecycle(bucket, ...rest);
    };
    const nextWithLifecycle: Ports['buckets']['nextWithLifecycle'] = async (from) => {
      const first = seen.get(ports.state);
      return first && from <= first.name ? first : ports.buckets.nextWithLifecycle(from);
    };
    const methods = isOf(environment, 'janitor') ? { nextWithLifecycle } : { setLifecycle };
    return { ...ports, buckets: changed(ports.buckets, methods) };
  };
}
