/** The lifecycle rules of a bucket: which of its objects expire, and after how many days. */
import { invalid, missing } from '../errors';
import { isJsonObject, isWholeNumber, type JsonObject, onlyFields } from '../http/json';
import { LIMITS } from '../limits';
import { clipRange, compareNames, parsePrefix, prefixRange } from '../names';
import type { NameRange } from '../pages';
import type { LifecycleRule } from '../store/buckets';
import type { LiveObject } from '../store/objects';

const DAY_MS = 86_400_000;

/** Parses the body of PATCH /buckets/{bucket}. */
export function parseLifecycle(body: JsonObject): readonly LifecycleRule[] {
  onlyFields(body, ['lifecycle']);
  const { lifecycle } = body;
  if (lifecycle === undefined) throw missing('lifecycle');
  if (!Array.isArray(lifecycle) || lifecycle.length > LIMITS.lifecycleRules) {
    throw invalid('lifecycle', `must be a list of at most ${LIMITS.lifecycleRules} rules`);
  }
  return lifecycle.map((rule, index) => parseRule(rule, `lifecycle[${index}]`));
}

function parseRule(rule: unknown, field: string): LifecycleRule {
  if (!isJsonObject(rule)) throw invalid(field, 'must be an object');
  onlyFields(rule, ['prefix', 'expire_after_days'], `${field}.`);
  const { prefix = '', expire_after_days: days } = rule;
  if (days === undefined) throw missing(`${field}.expire_after_days`);
  if (!isWholeNumber(days, 1, LIMITS.lifecycleDays)) {
    throw invalid(
      `${field}.expire_after_days`,
      `must be a whole number from 1 to ${LIMITS.lifecycleDays}`,
    );
  }
  return { prefix: parsePrefix(prefix, `${field}.prefix`), expireAfterDays: days };
}

/** Returns the rules as clients see them. */
export function lifecycleView(rules: readonly LifecycleRule[]) {
  return rules.map(({ prefix, expireAfterDays }) => ({
    ...(prefix !== '' && { prefix }),
    expire_after_days: expireAfterDays,
  }));
}

/** Reports whether a rule deletes the object at `now` (epoch milliseconds). */
export function isExpiredBy(
  rules: readonly LifecycleRule[],
  { key, updatedAt }: LiveObject,
  now: number,
): boolean {
  const age = now - Date.parse(updatedAt);
  return rules.some(
    ({ prefix, expireAfterDays }) => key.startsWith(prefix) && age >= expireAfterDays * DAY_MS,
  );
}

/** Returns the first range of keys from `from` on to which a rule applies, or undefined. */
export function nextRuledRange(
  rules: readonly LifecycleRule[],
  from: string,
): NameRange | undefined {
  const ranges = rules.flatMap(({ prefix }) => clipRange(prefixRange(prefix), from) ?? []);
  // When one prefix begins with another, the range of the shorter one contains that of the longer
  // one.
  return ranges.reduce<NameRange | undefined>((first, range) => {
    if (first === undefined) return range;
    return isBefore(range, first) ? range : first;
  }, undefined);
}

function isBefore(a: NameRange, b: NameRange): boolean {
  const begins = compareNames(a.from, b.from);
  if (begins !== 0) return begins < 0;
  return b.before !== undefined && (a.before === undefined || compareNames(a.before, b.before) > 0);
}
