/** Conditional requests: RFC 9110 §13. */
import { invalid, ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { LiveObject } from '../store/objects';

/** The parts of a stored object that conditions compare. */
export interface Validators {
  /** Unquoted. Always strong. */
  readonly etag: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** Returns a header by its lower-case name, as `Headers` does. */
export type HeaderLookup = (name: string) => string | undefined;

type EntityTags = '*' | readonly { readonly weak: boolean; readonly tag: string }[];

/** RFC 9110 §8.8.3, as a list (§5.6.1): white space is that of §5.6.3. */
export const TAG_LIST =
  /^[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*(?:[ \t]*,)?[ \t]*$/;

/**
 * Parses If-Match or If-None-Match. Throws invalid_request when it is too long, or neither `*` nor
 * a list of quoted tags.
 */
function parseEntityTags(value: string, field: string): EntityTags {
  if (value.length > LIMITS.conditionLength) {
    throw invalid(field, `must be at most ${LIMITS.conditionLength} characters`);
  }
  if (value.trim() === '*') return '*';
  if (!TAG_LIST.test(value)) throw invalid(field, 'must be * or a list of quoted entity tags');
  return [...value.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag]) => ({
    weak: weak !== undefined,
    tag: tag ?? '',
  }));
}

/**
 * Parses an HTTP date to whole seconds. Returns NaN for an invalid date, with which no comparison
 * holds (§13.1.3: the field is then ignored).
 */
function parseHttpDate(value = ''): number {
  const day = /^[A-Z][a-z]{2}\D*(\d{1,2})\D/.exec(value)?.[1];
  // The form of asctime (§5.6.7) names no zone.
  const date = / \d{4}$/.test(value) ? `${value} GMT` : value;
  // Date takes February 30 for March 2.
  return Number(day) === new Date(date).getUTCDate() ? secondsOf(date) : Number.NaN;
}

function secondsOf(date: string): number {
  return Math.floor(Date.parse(date) / 1000);
}

/** The header of a condition that does not hold. */
export type FailedCondition = 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since';

/**
 * Evaluates the condition headers in the order of §13.2.2, up to the first that does not hold.
 * `current` is undefined when there is no such object. Returns `not_modified` only for reads.
 */
export function evaluateConditions(
  header: HeaderLookup,
  current: Validators | undefined,
  isRead: boolean,
): 'proceed' | 'not_modified' | FailedCondition {
  const ifMatch = header('if-match');
  if (ifMatch !== undefined) {
    if (!matchesStrongly(parseEntityTags(ifMatch, 'If-Match'), current)) return 'If-Match';
  } else {
    const unmodifiedSince = parseHttpDate(header('if-unmodified-since'));
    if (current && secondsOf(current.updatedAt) > unmodifiedSince) return 'If-Unmodified-Since';
  }
  const ifNoneMatch = header('if-none-match');
  if (ifNoneMatch !== undefined) {
    if (matchesWeakly(parseEntityTags(ifNoneMatch, 'If-None-Match'), current)) {
      return isRead ? 'not_modified' : 'If-None-Match';
    }
  } else if (isRead && current) {
    const modifiedSince = parseHttpDate(header('if-modified-since'));
    if (secondsOf(current.updatedAt) <= modifiedSince) return 'not_modified';
  }
  return 'proceed';
}

function matchesStrongly(tags: EntityTags, current: Validators | undefined): boolean {
  if (!current) return false;
  return tags === '*' || tags.some(({ weak, tag }) => !weak && tag === current.etag);
}

function matchesWeakly(tags: EntityTags, current: Validators | undefined): boolean {
  if (!current) return false;
  return tags === '*' || tags.some(({ tag }) => tag === current.etag);
}

/** The part of an object that a failed condition shows to the client. */
export type ShownObject = Pick<LiveObject, 'etag' | 'version'>;

/** Returns a 412 with the failed condition and the object it was compared with, if there is one. */
export function conditionFailed(
  condition: FailedCondition,
  current: ShownObject | undefined,
): ServiceError {
  const found = current
    ? `the object has the etag "${current.etag}" and version ${current.version}`
    : 'there is no such object';
  return new ServiceError('precondition_failed', {
    message: `${condition} does not hold: ${found}`,
    details: {
      header: condition,
      ...(current && { etag: current.etag, version: current.version }),
    },
  });
}

/**
 * Throws precondition_failed unless the conditions of a write hold. Without `mayRead` the error
 * names only the condition, not the etag and version of the object.
 */
export function requireConditions(
  header: HeaderLookup,
  current: LiveObject | undefined,
  mayRead: boolean,
): void {
  const outcome = evaluateConditions(header, current, false);
  if (outcome === 'proceed' || outcome === 'not_modified') return;
  if (mayRead) throw conditionFailed(outcome, current);
  throw new ServiceError('precondition_failed', {
    message: `${outcome} does not hold`,
    details: { header: outcome },
  });
}

/** Reports whether a request has a condition that applies to a write. */
export function hasConditions(header: HeaderLookup): boolean {
  return ['if-match', 'if-none-match', 'if-unmodified-since'].some((n) => header(n) !== undefined);
}

/**
 * Evaluates If-Range (§13.1.5): reports whether the Range header applies. A date never holds: two
 * versions may have been stored in its second, so it is no strong validator (§8.8.2.2).
 */
export function rangeApplies(header: HeaderLookup, { etag }: Pick<Validators, 'etag'>): boolean {
  const value = header('if-range');
  return value === undefined || value === `"${etag}"`;
}
