import { UserError } from '../errors/user-error';
import { isRecord } from '../values/json';
import type { ResolvedResource } from './model';

/**
 * Reads the properties of a resource with their types. Refuses, with the logical id and the
 * property path, what is missing, has another type, or is not emulated.
 */
export class Properties {
  constructor(
    readonly resource: ResolvedResource,
    readonly values: Readonly<Record<string, unknown>> = resource.properties,
    private readonly path = 'Properties',
  ) {}

  /** Throws UserError for the property, or for the object itself when no name is given. */
  refuse(reason: string, name?: string): never {
    const path = name === undefined ? this.path : `${this.path}.${name}`;
    throw new UserError(`${this.resource.logicalId} (${this.resource.type}): ${path} ${reason}`);
  }

  /** Refuses every property but these. */
  only(...names: readonly string[]): this {
    for (const [name, value] of Object.entries(this.values)) {
      if (value !== undefined && !names.includes(name)) {
        this.refuse('is not emulated', name);
      }
    }
    return this;
  }

  optionalString(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined || typeof value === 'string') return value;
    return this.refuse(`must be a string, not ${JSON.stringify(value)}`, name);
  }

  string(name: string): string {
    return this.optionalString(name) ?? this.refuse('is missing', name);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = allowed.find((candidate) => candidate === this.values[name]);
    return value ?? this.refuse(`must be one of ${allowed.join(', ')}`, name);
  }

  /** CloudFormation accepts `300` and `"300"`. */
  number(name: string, fallback: number): number {
    const value = this.values[name];
    if (value === undefined) return fallback;
    const parsed = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof parsed === 'number' && Number.isInteger(parsed)) return parsed;
    return this.refuse(`must be a whole number, not ${JSON.stringify(value)}`, name);
  }

  /** CloudFormation accepts `true` and `"true"`. */
  boolean(name: string): boolean {
    const value = this.values[name];
    if (value === undefined) return false;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    return this.refuse(`must be true or false, not ${JSON.stringify(value)}`, name);
  }

  /** Refuses the property unless it is absent or false. */
  mustBeOff(...names: readonly string[]): this {
    for (const name of names) {
      if (this.boolean(name)) this.refuse('is not emulated', name);
    }
    return this;
  }

  strings(name: string): readonly string[] {
    const value = this.values[name] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    return this.refuse(`must be a list of strings, not ${JSON.stringify(value)}`, name);
  }

  object(name: string): Properties | undefined {
    const value = this.values[name];
    if (value === undefined) return undefined;
    if (!isRecord(value)) return this.refuse('must be an object', name);
    return new Properties(this.resource, value, `${this.path}.${name}`);
  }

  objects(name: string): readonly Properties[] {
    const value = this.values[name] ?? [];
    if (!Array.isArray(value)) return this.refuse('must be a list', name);
    return value.map((item, index) => {
      const path = `${name}[${index}]`;
      if (!isRecord(item)) return this.refuse('must be an object', path);
      return new Properties(this.resource, item, `${this.path}.${path}`);
    });
  }

  /** A map of strings; undefined when absent. */
  stringMap(name: string): Readonly<Record<string, string>> | undefined {
    const map = this.object(name);
    if (map === undefined) return undefined;
    return Object.fromEntries(Object.keys(map.values).map((key) => [key, map.string(key)]));
  }
}
