/** Permissions of all kinds, for keys, temporary keys, principals and makers of links. */
import type { Granted } from './rules';

export const ACTIONS = [
  ...['read', 'write', 'delete', 'list', 'sync', 'sign', 'create_bucket', 'delete_bucket'],
] as const;

const BUCKETS = [['photos'], ['pho*', 'x-*'], ['other']];
const PREFIXES = [undefined, 'in/'];
const ACTION_SETS = [
  ACTIONS,
  ...ACTIONS.map((one) => [one]),
  ...ACTIONS.map((one) => ACTIONS.filter((each) => each !== one)),
];

const granted = (buckets: readonly string[], actions: readonly string[], prefix?: string) => ({
  ...{ buckets, actions },
  ...(prefix !== undefined && { prefix }),
});

/**
 * One permission each: every action alone and left out, for the whole bucket and for a prefix; and
 * every action in other buckets, which are decided apart from the actions.
 */
const SINGLE: readonly (readonly Granted[])[] = PREFIXES.flatMap((prefix) => [
  ...ACTION_SETS.map((actions) => [granted(['photos'], actions, prefix)]),
  ...BUCKETS.slice(1).map((buckets) => [granted(buckets, ACTIONS, prefix)]),
]);

/** A generator of numbers below `n` (Numerical Recipes), so that a seed gives the same cells. */
export function drawing(seed: number): <T>(from: readonly T[]) => T {
  let state = seed >>> 0;
  return <T>(from: readonly T[]) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)] as T;
  };
}

/**
 * Several permissions, of which each gives something else: what one allows in one place must not
 * combine with what another allows elsewhere.
 */
function several(seed: number, count: number): readonly (readonly Granted[])[] {
  const draw = drawing(seed);
  const one = () =>
    granted(draw([...BUCKETS, ['*']]), draw(ACTION_SETS), draw([...PREFIXES, 'out/', '', 'in/a']));
  return Array.from({ length: count }, () => [one(), one()]);
}

export const PERMISSIONS: readonly (readonly Granted[])[] = [...SINGLE, ...several(15, 24)];

export const ALL: readonly Granted[] = [{ buckets: ['*'], actions: ACTIONS }];
