import { UserError } from '../errors/user-error';
import type { ResolvedResource, ResolvedStack } from './model';

/** Returns the resources of one type, in the order of the template. */
export function resourcesOfType(stack: ResolvedStack, type: string): readonly ResolvedResource[] {
  return [...stack.resources.values()].filter((resource) => resource.type === type);
}

/**
 * Reads a property as text; a number is converted, as by CloudFormation. Throws UserError when it
 * is missing.
 */
export function textProperty(resource: ResolvedResource, name: string): string {
  const value = optionalText(resource, name);
  if (value === undefined) throw new UserError(`${resource.logicalId}.${name} is missing`);
  return value;
}

export function optionalText(resource: ResolvedResource, name: string): string | undefined {
  const value = resource.properties[name];
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new UserError(`${resource.logicalId}.${name} must be a string`);
}

/** Reads a property as a number; returns `initial` when it is absent. */
export function numberProperty(resource: ResolvedResource, name: string, initial: number): number {
  const value = optionalText(resource, name);
  if (value === undefined) return initial;
  const number = Number(value);
  if (!Number.isFinite(number))
    throw new UserError(`${resource.logicalId}.${name} must be a number`);
  return number;
}

/** Reads a property as an integer within bounds. Throws UserError with the bounds otherwise. */
export function integerProperty(
  resource: ResolvedResource,
  name: string,
  { initial, least, most }: { initial: number; least: number; most: number },
): number {
  const value = numberProperty(resource, name, initial);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UserError(`${resource.logicalId}.${name} must be an integer from ${least} to ${most}`);
}

/** Reads a property as a list, which is empty when the property is absent. */
export function listProperty(resource: ResolvedResource, name: string): readonly unknown[] {
  const value = resource.properties[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
