/** The permissions of each principal, by the alias that the stack created for it. */
import { parsePermissions } from '../../core/access/permissions';
import type { Permission } from '../../core/access/ports';
import { ENV } from '../runtime/env';

/** Permissions by the name of an alias. */
export type Grants = ReadonlyMap<string, readonly Permission[]>;

/** Throws at cold start when the variable does not hold permissions by alias. */
export function parseGrants(value: string): Grants {
  const grants: unknown = JSON.parse(value);
  if (typeof grants !== 'object' || grants === null || Array.isArray(grants)) {
    throw new Error(`${ENV.grants} must be a JSON object, got ${value}`);
  }
  return new Map(
    Object.entries(grants).map(([alias, permissions]) => [alias, parsePermissions(permissions)]),
  );
}

/**
 * `arn:aws:lambda:{region}:{account}:function:{name}:{alias}` -> the alias, or undefined when the
 * function was invoked without one. Lambda sets the ARN, and IAM allows a principal only the alias
 * that was granted to it.
 */
export function aliasIn(invokedFunctionArn: string): string | undefined {
  const [, , , , , , , qualifier, ...more] = invokedFunctionArn.split(':');
  return more.length === 0 ? qualifier : undefined;
}
