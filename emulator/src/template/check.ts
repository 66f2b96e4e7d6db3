import { UserError } from '../errors/user-error';
import { isRecord } from '../values/json';
import type { ResolvedStack } from './model';
import { RESOURCE_TYPES, type Support } from './supported';

/** Throws UserError that lists every resource type and property that is not supported. */
export function refuseUnsupported(stack: ResolvedStack): void {
  const problems: string[] = [];
  for (const { logicalId, type, properties } of stack.resources.values()) {
    const support = Object.hasOwn(RESOURCE_TYPES, type) ? RESOURCE_TYPES[type] : undefined;
    if (support === undefined) problems.push(`${logicalId}: type ${type}`);
    else problems.push(...unsupported(properties, support, logicalId).map((p) => `${p} (${type})`));
  }
  if (problems.length > 0) {
    throw new UserError(`the emulator does not support ${problems.join('; ')}`);
  }
}

/** Returns the paths of the values that `support` does not list. Lists are checked per entry. */
function unsupported(value: unknown, support: Support, path: string): readonly string[] {
  if (typeof support === 'string') return [];
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => unsupported(entry, support, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [`${path}: must be an object`];
  return Object.entries(value).flatMap(([property, inner]) => {
    const known = Object.hasOwn(support, property) ? support[property] : undefined;
    const at = `${path}.${property}`;
    return known === undefined ? [at] : unsupported(inner, known, at);
  });
}
