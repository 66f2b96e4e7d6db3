/**
 * What the grants of ObjectStorage allow, as the permissions of an API key would say it:
 * docs/api.md, "Permissions".
 */
import { Token } from 'aws-cdk-lib';
import { BUCKET_PATTERN, LIMITS, PERMISSIONS_MAX } from '../../core/limits';

/** What a grant is narrowed to. */
export interface AccessOptions {
  /**
   * Buckets of this service by name, or by a beginning that ends in `*`, such as `photos` and
   * `team-*`.
   *
   * @default - all, also those that do not exist yet
   */
  readonly buckets?: readonly string[];

  /**
   * Only keys that begin with it.
   *
   * @default - all keys
   */
  readonly prefix?: string;
}

export type Authority = 'read' | 'write' | 'sync' | 'manageBuckets';

/** Of each, the permissions of an API key. A signed URL needs `sign` and what it does. */
const ACTIONS: Readonly<Record<Authority, readonly string[]>> = {
  read: ['read', 'list', 'sign'],
  write: ['write', 'delete', 'sign'],
  // Following begins with a list, and again when history does not reach back.
  sync: ['sync', 'list'],
  manageBuckets: ['create_bucket', 'delete_bucket'],
};

/** `Permission` of core, which reads it. */
export interface GrantedPermission {
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly actions: readonly string[];
}

/**
 * Grants add up; those for the same buckets and prefix become one permission. Throws an Error that
 * names what is wrong.
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
      `buckets must name 1 to ${PERMISSIONS_MAX}, got ${buckets.length}: leave it out for all`,
    );
  }
  for (const name of buckets) {
    if (Token.isUnresolved(name)) {
      throw new Error(
        `buckets must be known at synthesis: they are buckets of this service, not of S3, got ${name}`,
      );
    }
    if (!BUCKET_PATTERN.test(name)) {
      throw new Error(
        `buckets must be names such as photos, or beginnings such as team-*, got '${name}'`,
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
