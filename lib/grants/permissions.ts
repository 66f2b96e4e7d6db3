/**
 * The grants of ObjectStorage as permissions of an API key: docs/api.md, "Permissions".
 */
import { Token } from 'aws-cdk-lib';
import { BUCKET_PATTERN, LIMITS, PERMISSIONS_MAX } from '../../core/limits';

/** The buckets and keys to which a grant is limited. */
export interface AccessOptions {
  /**
   * Buckets of this service: names such as `photos`, or prefixes followed by `*` such as `team-*`.
   *
   * @default - all, including those that do not exist yet
   */
  readonly buckets?: readonly string[];

  /**
   * Only keys with this prefix.
   *
   * @default - all keys
   */
  readonly prefix?: string;
}

export type Authority = 'read' | 'write' | 'sync' | 'manageBuckets';

/** The actions of each grant. A signed URL needs `sign` and the action that it allows. */
const ACTIONS: Readonly<Record<Authority, readonly string[]>> = {
  read: ['read', 'list', 'sign'],
  write: ['write', 'delete', 'sign'],
  // A follower lists objects first, and again when its cursor has been trimmed.
  sync: ['sync', 'list'],
  manageBuckets: ['create_bucket', 'delete_bucket'],
};

/** The same as `Permission` in core, which parses it. */
export interface GrantedPermission {
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly actions: readonly string[];
}

/**
 * The permissions with one more grant. Grants for the same buckets and prefix become one
 * permission. Throws an Error for grants that are not valid, or too many.
 */
export function addGrant(
  permissions: readonly GrantedPermission[],
  authority: Authority,
  options: AccessOptions,
): readonly GrantedPermission[] {
  const { prefix } = options;
  const buckets = [...new Set(options.buckets ?? ['*'])].sort();
  checkBuckets(buckets);
  if (prefix !== undefined) checkPrefix(prefix);
  const isThere = (one: GrantedPermission) =>
    one.prefix === prefix && one.buckets.join() === buckets.join();
  const earlier = permissions.find(isThere)?.actions ?? [];
  const actions = [...new Set([...earlier, ...ACTIONS[authority]])];
  const others = permissions.filter((one) => !isThere(one));
  if (others.length >= PERMISSIONS_MAX) {
    throw new Error(
      `one principal takes at most ${PERMISSIONS_MAX} grants of different buckets and prefixes: name several buckets in one grant`,
    );
  }
  return [...others, { buckets, ...(prefix !== undefined && { prefix }), actions }];
}

function checkBuckets(buckets: readonly string[]): void {
  if (buckets.length === 0 || buckets.length > PERMISSIONS_MAX) {
    throw new Error(
      `buckets must name 1 to ${PERMISSIONS_MAX} buckets, got ${buckets.length}: leave it out for all`,
    );
  }
  for (const name of buckets) {
    if (Token.isUnresolved(name)) {
      throw new Error(
        `buckets must be known at synthesis, because they are buckets of this service and not of S3, got ${name}`,
      );
    }
    if (!BUCKET_PATTERN.test(name)) {
      throw new Error(
        `buckets must be names such as photos, or prefixes such as team-*, got '${name}'`,
      );
    }
  }
}

function checkPrefix(prefix: string): void {
  if (Token.isUnresolved(prefix) || prefix === '' || Buffer.byteLength(prefix) > LIMITS.keyBytes) {
    throw new Error(
      `prefix must be 1 to ${LIMITS.keyBytes} bytes, known at synthesis, got '${prefix}': leave it out for all keys`,
    );
  }
}
