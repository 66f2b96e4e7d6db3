/**
 * CloudFormation's intrinsic functions.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 * Fn::ImportValue, Fn::Transform, Fn::GetAZs, Fn::Cidr, Fn::ForEach, and dynamic references except
 * those to generated secrets of the stack, are refused.
 */
import { UserError } from '../errors/user-error';
import { isRecord, type Json } from '../values/json';

/** Looks up references. Both methods throw UserError for an unknown reference. */
export interface Scope {
  /** A parameter's, pseudo parameter's or resource's value. NO_VALUE for AWS::NoValue. */
  readonly ref: (name: string) => unknown;
  readonly attribute: (logicalId: string, attribute: string) => unknown;
  readonly condition: (name: string) => boolean;
  /** The value of a dynamic reference `{{resolve:…}}`; undefined when only AWS can look it up. */
  readonly secret: (reference: string) => string | undefined;
  readonly mappings: Json;
}

/** `AWS::NoValue`: the property or list entry that contains it is omitted. */
export const NO_VALUE = Symbol('AWS::NoValue');

/** `where` is the path to the value for messages: `Logical.Property[0].Name`. */
type Evaluate = (argument: unknown, scope: Scope, where: string) => unknown;

/** Returns the value with every intrinsic function replaced by its result. */
export function resolve(value: unknown, scope: Scope, where: string): unknown {
  if (typeof value === 'string') return withSecrets(value, scope, where);
  if (Array.isArray(value)) {
    return value
      .map((entry, index) => resolve(entry, scope, `${where}[${index}]`))
      .filter((entry) => entry !== NO_VALUE);
  }
  if (!isRecord(value)) return value;
  const [name, ...others] = Object.keys(value);
  if (name !== undefined && others.length === 0 && isFunctionName(name)) {
    const evaluate = FUNCTIONS[name];
    if (evaluate === undefined) {
      throw new UserError(`${where}: the emulator does not know ${name}`);
    }
    const result = evaluate(value[name], scope, where);
    // The inner parts of a reference are resolved first, so that it is complete only here.
    return typeof result === 'string' ? withSecrets(result, scope, where) : result;
  }
  const resolved = Object.entries(value)
    .map(([key, entry]) => [key, resolve(entry, scope, `${where}.${key}`)] as const)
    .filter(([, entry]) => entry !== NO_VALUE);
  return Object.fromEntries(resolved);
}

/** A condition function, or `{Condition: name}`. */
export function resolveCondition(value: unknown, scope: Scope, where: string): boolean {
  if (isRecord(value)) {
    if (typeof value.Condition === 'string') return scope.condition(value.Condition);
    if ('Fn::Equals' in value) {
      const [left, right] = resolveList(value['Fn::Equals'], scope, where);
      return JSON.stringify(left) === JSON.stringify(right);
    }
    const all = (name: string) =>
      asList(value[name], where).map((entry) => resolveCondition(entry, scope, where));
    if ('Fn::Not' in value) return !all('Fn::Not')[0];
    if ('Fn::And' in value) return all('Fn::And').every(Boolean);
    if ('Fn::Or' in value) return all('Fn::Or').some(Boolean);
  }
  throw new UserError(`${where}: not a condition: ${JSON.stringify(value)}`);
}

function isFunctionName(name: string): boolean {
  return name === 'Ref' || name.startsWith('Fn::');
}

const DYNAMIC_REFERENCE = /\{\{resolve:[^{}]*\}\}/g;

/** Replaces references to secrets of the stack, and refuses all others. */
function withSecrets(text: string, scope: Scope, where: string): string {
  return text.replace(DYNAMIC_REFERENCE, (reference) => {
    const value = scope.secret(reference);
    if (value !== undefined) return value;
    throw new UserError(`${where}: dynamic references are not supported: ${reference}`);
  });
}

const FUNCTIONS: Readonly<Record<string, Evaluate>> = {
  Ref: (name, scope, where) => scope.ref(asString(name, where)),
  'Fn::GetAtt': (argument, scope, where) => {
    const [logicalId, ...attribute] =
      typeof argument === 'string' ? argument.split('.') : asList(argument, where);
    return scope.attribute(asString(logicalId, where), attribute.map(String).join('.'));
  },
  'Fn::Join': (argument, scope, where) => {
    const [separator, parts] = resolveList(argument, scope, where);
    return asList(parts, where)
      .map((part) => asText(part, where))
      .join(asString(separator, where));
  },
  'Fn::Sub': substitute,
  'Fn::Select': (argument, scope, where) => {
    const [index, list] = resolveList(argument, scope, where);
    const entries = asList(list, where);
    const at = Number(index);
    if (!Number.isInteger(at) || at < 0 || at >= entries.length) {
      throw new UserError(
        `${where}: Fn::Select has the index ${String(index)}, but its list has ${entries.length} entries`,
      );
    }
    return entries[at];
  },
  'Fn::Split': (argument, scope, where) => {
    const [separator, text] = resolveList(argument, scope, where);
    return asString(text, where).split(asString(separator, where));
  },
  'Fn::If': (argument, scope, where) => {
    const [condition, whenTrue, whenFalse] = asList(argument, where);
    // Evaluates only the chosen branch: the other may name a resource that does not exist.
    return resolve(
      scope.condition(asString(condition, where)) ? whenTrue : whenFalse,
      scope,
      where,
    );
  },
  'Fn::FindInMap': (argument, scope, where) => {
    const path = resolveList(argument, scope, where).map((key) => asString(key, where));
    const found = path.reduce<unknown>(
      (map, key) => (isRecord(map) && Object.hasOwn(map, key) ? map[key] : undefined),
      scope.mappings,
    );
    if (found === undefined)
      throw new UserError(`${where}: Fn::FindInMap finds no ${path.join('.')}`);
    return found;
  },
  'Fn::Base64': (argument, scope, where) =>
    Buffer.from(asText(resolve(argument, scope, where), where)).toString('base64'),
};

/** `${Name}`, `${Logical.Attribute}`, `${!Literal}`, and names of the local map. */
function substitute(argument: unknown, scope: Scope, where: string): unknown {
  const [template, variables] =
    typeof argument === 'string' ? [argument, {}] : asList(argument, where);
  const local = resolve(variables ?? {}, scope, where) as Json;
  return asString(template, where).replace(/\$\{([^}]*)\}/g, (_, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    if (Object.hasOwn(local, name)) return asText(local[name], where);
    const dot = name.indexOf('.');
    return asText(
      dot < 0 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1)),
      where,
    );
  });
}

function resolveList(argument: unknown, scope: Scope, where: string): readonly unknown[] {
  return asList(resolve(argument, scope, where), where);
}

function asList(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UserError(`${where}: not a list: ${JSON.stringify(value)}`);
  return value;
}

function asString(value: unknown, where: string): string {
  if (typeof value !== 'string') {
    throw new UserError(`${where}: not a string: ${JSON.stringify(value)}`);
  }
  return value;
}

function asText(value: unknown, where: string): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return asString(value, where);
}
