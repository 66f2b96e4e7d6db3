/** Who may invoke the function, by the alias that the stack made for each, and what for. */
import { parsePermissions } from '../../core/access/permissions';
import type { Permission } from '../../core/access/ports';
import { ENV } from '../shared/env';

/** By the name of an alias. */
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
 * `arn:aws:lambda:{region}:{account}:function:{name}:{alias}` -> the alias. Lambda itself says by
 * which ARN it was asked, and IAM has let nobody name another than was granted to him. undefined:
 * the function was invoked without an alias.
 */
export function aliasIn(invokedFunctionArn: string): string | undefined {
  const [, , , , , , , qualifier, ...more] = invokedFunctionArn.split(':');
  return more.length === 0 ? qualifier : undefined;
}
