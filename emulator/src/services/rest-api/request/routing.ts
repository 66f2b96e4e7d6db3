/**
 * Finds the route of a path and a method. A literal part precedes `{parameter}`, which precedes
 * `{greedy+}`.
 */
import type { Route } from '../model/methods';

export interface Match {
  readonly route: Route;
  /** With percent-escapes as sent; null when the resource has no parameters. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

interface Node {
  readonly literals: Map<string, Node>;
  /** `{name}`; AWS allows one per level. */
  parameter?: Node;
  greedy?: Node;
  /** Routes by method. A resource without methods never matches. */
  readonly methods: Map<string, Route>;
  /** Names of the parameters from the root to here. */
  readonly names: readonly string[];
}

export type Router = (method: string, path: string) => Match | undefined;

export function createRouter(routes: readonly Route[]): Router {
  const root = node([]);
  for (const route of routes) {
    let at = root;
    for (const part of route.resourcePath.split('/').slice(1)) {
      if (part !== '') at = child(at, part);
    }
    at.methods.set(route.httpMethod, route);
  }
  return (method, path) => {
    // One trailing slash is ignored; empty parts elsewhere are significant.
    const bare = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
    const parts = bare === '' ? [] : bare.split('/');
    const values: string[] = [];
    const found = walk(root, parts, 0, values);
    const route = found?.methods.get(method) ?? anyOf(found, method);
    if (found === undefined || route === undefined) return undefined;
    return { route, pathParameters: parametersOf(found.names, values) };
  };
}

const ANY_METHODS = /^(?:DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT)$/;

function anyOf(found: Node | undefined, method: string): Route | undefined {
  return ANY_METHODS.test(method) ? found?.methods.get('ANY') : undefined;
}

function node(names: readonly string[]): Node {
  return { literals: new Map(), methods: new Map(), names };
}

function child(at: Node, part: string): Node {
  const name = /^\{(.+?)(\+?)\}$/.exec(part);
  if (name === null) {
    const next = at.literals.get(part) ?? node(at.names);
    at.literals.set(part, next);
    return next;
  }
  const kind = name[2] === '+' ? 'greedy' : 'parameter';
  at[kind] ??= node([...at.names, name[1] ?? '']);
  return at[kind];
}

/**
 * Chooses the resource by the path alone. Each node is visited at most once, so a hostile path
 * costs little.
 */
function walk(at: Node, parts: readonly string[], i: number, values: string[]): Node | undefined {
  const part = parts[i];
  if (part === undefined) return at.methods.size > 0 ? at : undefined;
  const literal = at.literals.get(part);
  const found = literal && walk(literal, parts, i + 1, values);
  if (found) return found;
  if (at.parameter && part !== '') {
    values.push(part);
    const matched = walk(at.parameter, parts, i + 1, values);
    if (matched) return matched;
    values.pop();
  }
  if (at.greedy === undefined || at.greedy.methods.size === 0) return undefined;
  const rest = parts.slice(i).join('/');
  if (rest === '') return undefined;
  values.push(rest);
  return at.greedy;
}

function parametersOf(
  names: readonly string[],
  values: readonly string[],
): Record<string, string> | null {
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}
