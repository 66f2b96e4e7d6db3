/**
 * Decides what an API key may do. The decision depends on names alone, so that a refusal does not
 * show whether a bucket or object exists.
 */
import { createHash } from 'node:crypto';
import { invalid, missing, ServiceError } from '../errors';
import { BUCKET_PATTERN, LIMITS, PERMISSIONS_MAX } from '../limits';
import { compareNames, prefixRange } from '../names';
import type { NameRange } from '../pages';
import type { Action, Permission, Restriction } from './ports';

export const ACTIONS: readonly Action[] = [
  'read',
  'write',
  'delete',
  'list',
  'sync',
  'sign',
  'create_bucket',
  'delete_bucket',
];

/** All actions in all buckets. */
export const ALL_PERMISSIONS: readonly Permission[] = [{ buckets: ['*'], actions: ACTIONS }];

/** The authenticated sender of a request. */
export interface Caller {
  /** The id of an API key; for an IAM principal `iam:` and its alias, which no key id can be. */
  readonly keyId: string;
  /** The generation of the secret in the request, see `ofGeneration`. Absent: 0. */
  readonly generation?: number;
  /** The tier of the key. Absent for an IAM principal, which has no rate limits. */
  readonly tier?: string;
  readonly permissions: readonly Permission[];
  /** Present for the holder of a temporary key. It is already applied to `permissions`. */
  readonly restriction?: Restriction;
}

/**
 * Names the caller to whom something belongs that a request leaves for the next one. The holders of
 * temporary keys of one key share it only if they may do the same.
 */
export function ownerOf({ keyId, restriction }: Pick<Caller, 'keyId' | 'restriction'>): string {
  if (restriction === undefined) return keyId;
  const { permissions } = restriction;
  return `${keyId}:${createHash('sha256').update(JSON.stringify(permissions)).digest('base64url')}`;
}

/** Prefix of the `keyId` of an IAM principal. */
export const PRINCIPAL = 'iam:';

/** Reports whether the caller is an IAM principal instead of the holder of an API key. */
export function isPrincipal({ keyId }: Caller): boolean {
  return keyId.startsWith(PRINCIPAL);
}

/**
 * Reports whether the pattern is the bucket's name, or a prefix of it followed by an asterisk. With
 * another pattern in place of the name, reports whether `pattern` matches every bucket that the
 * other one matches.
 */
export function matchesPattern(pattern: string, bucket: string): boolean {
  return pattern.endsWith('*') ? bucket.startsWith(pattern.slice(0, -1)) : bucket === pattern;
}

function matchesBucket(permission: Permission, bucket: string): boolean {
  return permission.buckets.some((pattern) => matchesPattern(pattern, bucket));
}

/**
 * Reports whether the caller may perform the action on the bucket as a whole. A permission for a
 * prefix does not permit it.
 */
export function mayOnBucket(caller: Caller, action: Action, bucket: string): boolean {
  return caller.permissions.some(
    (p) => p.actions.includes(action) && !p.prefix && matchesBucket(p, bucket),
  );
}

/** Reports whether the caller may perform the action on the object. */
export function mayOnObject(caller: Caller, action: Action, bucket: string, key: string): boolean {
  return caller.permissions.some(
    (p) => p.actions.includes(action) && key.startsWith(p.prefix ?? '') && matchesBucket(p, bucket),
  );
}

/**
 * Reports whether the caller may do anything in the bucket, and therefore sees the bucket itself.
 */
export function seesBucket(caller: Caller, bucket: string): boolean {
  return caller.permissions.some((p) => p.actions.length > 0 && matchesBucket(p, bucket));
}

/**
 * Reports whether the caller has a permission for the bucket as a whole, and therefore sees how
 * much the bucket holds. A caller that is confined to prefixes must not learn this.
 */
export function seesWholeBucket(caller: Caller, bucket: string): boolean {
  return caller.permissions.some(
    (p) => p.actions.length > 0 && !p.prefix && matchesBucket(p, bucket),
  );
}

/**
 * Returns the ranges of the bucket's keys beginning with `prefix` that the caller may list, sorted
 * and disjoint. An empty list means that the caller may list none.
 */
export function listableRanges(caller: Caller, bucket: string, prefix: string): NameRange[] {
  const prefixes = caller.permissions
    .filter((p) => p.actions.includes('list') && matchesBucket(p, bucket))
    .map((p) => p.prefix ?? '')
    .flatMap((granted) => narrower(granted, prefix));
  return rangesOf(prefixes);
}

/**
 * Returns the intersection of two lists of permissions: each pair that overlaps. It permits exactly
 * the actions that both lists permit.
 */
export function intersection(
  ones: readonly Permission[],
  others: readonly Permission[],
): readonly Permission[] {
  return ones.flatMap((one) => others.flatMap((other) => overlap(one, other)));
}

function overlap(one: Permission, other: Permission): Permission[] {
  const actions = one.actions.filter((action) => other.actions.includes(action));
  const [prefix] = narrower(one.prefix ?? '', other.prefix ?? '');
  const buckets = one.buckets.flatMap((a) => other.buckets.flatMap((b) => narrowerPattern(a, b)));
  if (actions.length === 0 || prefix === undefined || buckets.length === 0) return [];
  const overlapping = { buckets: [...new Set(buckets)], actions };
  return [prefix === '' ? overlapping : { ...overlapping, prefix }];
}

/** Returns the narrower of two patterns if the other one matches every name that it matches. */
function narrowerPattern(a: string, b: string): string[] {
  if (matchesPattern(b, a)) return [a];
  return matchesPattern(a, b) ? [b] : [];
}

/**
 * Returns the first of the permissions that the caller lacks, or undefined when it has them all.
 * Each must lie within a single permission of the caller.
 */
export function lacking(
  caller: Pick<Caller, 'permissions'>,
  wanted: readonly Permission[],
): { readonly action: Action; readonly bucket: string; readonly prefix: string } | undefined {
  for (const { buckets, prefix = '', actions } of wanted) {
    for (const [bucket, action] of buckets.flatMap((b) => actions.map((a) => [b, a] as const))) {
      const has = caller.permissions.some(
        (p) =>
          p.actions.includes(action) &&
          prefix.startsWith(p.prefix ?? '') &&
          matchesBucket(p, bucket),
      );
      if (!has) return { action, bucket, prefix };
    }
  }
  return undefined;
}

/** Returns the ranges of bucket names that the caller may see, sorted and disjoint. */
export function visibleBuckets(caller: Caller): NameRange[] {
  const patterns = caller.permissions.filter((p) => p.actions.length > 0).flatMap((p) => p.buckets);
  const prefixes = patterns.filter((p) => p.endsWith('*')).map((p) => p.slice(0, -1));
  const exact = patterns.filter((p) => !prefixes.some((prefix) => p.startsWith(prefix)));
  const names = [...new Set(exact)].map((name) => ({ from: name, before: `${name}\u0000` }));
  return [...rangesOf(prefixes), ...names].sort((a, b) => compareNames(a.from, b.from));
}

/** Returns the longer of two prefixes if it begins with the other, else an empty list. */
function narrower(a: string, b: string): string[] {
  if (a.startsWith(b)) return [a];
  return b.startsWith(a) ? [b] : [];
}

function rangesOf(prefixes: readonly string[]): NameRange[] {
  const widest = [...new Set(prefixes)].filter(
    (p, _, all) => !all.some((q) => q !== p && p.startsWith(q)),
  );
  return widest.sort(compareNames).map(prefixRange);
}

/** The place where a permission is missing, by names that the caller sent. */
export interface Place {
  readonly bucket: string;
  readonly key?: string;
  /** The permission is needed for every key that begins with it. */
  readonly prefix?: string;
}

/** Returns the 403 that says which permission is missing, and where. */
export function forbidden(action: Action, { bucket, key, prefix = '' }: Place): ServiceError {
  let where = `the bucket ${bucket}`;
  if (key !== undefined) where = `${bucket}/${key}`;
  else if (prefix !== '') where = `the keys of ${bucket} that begin with ${prefix}`;
  return new ServiceError('forbidden', {
    message: `the permission "${action}" is missing for ${where}`,
    details: {
      action,
      bucket,
      ...(key !== undefined && { key }),
      ...(prefix !== '' && { prefix }),
    },
  });
}

/** Parses the `permissions` of a new key. Throws invalid_request with the field. */
export function parsePermissions(value: unknown): Permission[] {
  if (value === undefined) throw missing('permissions');
  if (!Array.isArray(value) || value.length === 0 || value.length > PERMISSIONS_MAX) {
    throw invalid('permissions', `must be a list of 1 to ${PERMISSIONS_MAX} permissions`);
  }
  return value.map((item, index) => parsePermission(item, `permissions[${index}]`));
}

function parsePermission(value: unknown, field: string): Permission {
  if (typeof value !== 'object' || value === null) throw invalid(field, 'must be an object');
  const { buckets, prefix, actions, ...rest } = value as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw invalid(`${field}.${unknown}`, 'is not a known field');
  if (!isListOf(buckets, (b): b is string => typeof b === 'string' && BUCKET_PATTERN.test(b))) {
    throw invalid(
      `${field}.buckets`,
      'must be a list of bucket names, or beginnings that end in *',
    );
  }
  if (!isListOf(actions, (a): a is Action => ACTIONS.includes(a as Action))) {
    const unknown = [actions].flat().find((action) => !ACTIONS.includes(action as Action));
    const found = typeof unknown === 'string' ? `; "${unknown.slice(0, 20)}" is none of them` : '';
    throw invalid(`${field}.actions`, `must be a list of ${ACTIONS.join(', ')}${found}`);
  }
  if (prefix !== undefined && !isPrefix(prefix)) {
    throw invalid(
      `${field}.prefix`,
      `must be a string of at most ${LIMITS.keyBytes} bytes of UTF-8`,
    );
  }
  return prefix === undefined ? { buckets, actions } : { buckets, prefix, actions };
}

function isPrefix(value: unknown): value is string {
  return (
    typeof value === 'string' && value.isWellFormed() && Buffer.byteLength(value) <= LIMITS.keyBytes
  );
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= PERMISSIONS_MAX && value.every(is)
  );
}
