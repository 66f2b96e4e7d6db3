/**
 * Event filters: select the records of a stream that the function gets.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
 * Refused, because not emulated: numeric, suffix, equals-ignore-case and $or.
 */

import { UserError } from '../../errors/user-error';
import { isRecord } from '../../values/json';

export type Filter = (record: unknown) => boolean;

/** A record passes when one of the patterns matches it; without patterns all pass. */
export function parseFilters(criteria: unknown, where: string): Filter {
  const filters: readonly unknown[] = isRecord(criteria) ? [criteria.Filters ?? []].flat() : [];
  const patterns = filters.map((filter, index) => {
    const text = isRecord(filter) ? filter.Pattern : undefined;
    const pattern: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return parsePattern(pattern, `${where}.Filters[${index}].Pattern`);
  });
  return (record) => patterns.length === 0 || patterns.some((matches) => matches(record));
}

/** Parses the pattern of a filter or rule. Throws UserError naming what is not emulated. */
export function parsePattern(pattern: unknown, where: string): Filter {
  if (Array.isArray(pattern)) {
    const rules = pattern.map((rule) => parseRule(rule, where));
    return (value) => rules.some((matches) => matches(value));
  }
  if (!isRecord(pattern)) throw new UserError(`${where}: not a filter: ${JSON.stringify(pattern)}`);
  const inner = Object.entries(pattern).map(
    ([key, value]) => [key, parsePattern(value, `${where}.${key}`)] as const,
  );
  return (value) =>
    inner.every(([key, matches]) => matches(isRecord(value) ? value[key] : undefined));
}

function parseRule(rule: unknown, where: string): Filter {
  if (rule === null || typeof rule === 'string' || typeof rule === 'boolean') {
    return (value) => value === rule;
  }
  if (isRecord(rule) && Object.keys(rule).length === 1) {
    const { prefix, exists, 'anything-but': anythingBut } = rule;
    if (typeof prefix === 'string') {
      return (value) => typeof value === 'string' && value.startsWith(prefix);
    }
    if (typeof exists === 'boolean') return (value) => (value !== undefined) === exists;
    if (Array.isArray(anythingBut)) {
      return (value) => value !== undefined && !anythingBut.includes(value);
    }
  }
  throw new UserError(`${where}: the emulator does not support the rule ${JSON.stringify(rule)}`);
}
