/**
 * Finds the route of a path and a method. A literal part precedes `{parameter}`, which precedes
 * `{greedy+}`; a resource that lacks the method gives way to the next one that has it, as measured
 * on API Gateway: the catch-all serves what a more specific resource does not.
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
  /** Routes by method. */
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
    const search: Search = { parts, method, values: [] };
    const found = walk(root, search, 0);
    if (found === undefined) return undefined;
    return { route: found.route, pathParameters: parametersOf(found.names, search.values) };
  };
}

const ANY_METHODS = /^(?:DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT)$/;

/** The node with its route of the method, or of ANY. */
function serving({ methods, names }: Node, method: string): Found | undefined {
  const route = methods.get(method) ?? (ANY_METHODS.test(method) ? methods.get('ANY') : undefined);
  return route && { route, names };
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

interface Search {
  readonly parts: readonly string[];
  readonly method: string;
  /** Of the parameters from the root to the node that is visited. */
  readonly values: string[];
}

interface Found {
  readonly route: Route;
  readonly names: readonly string[];
}

/** Each node is visited at most once, so a hostile path costs little. */
function walk(at: Node, search: Search, i: number): Found | undefined {
  const { parts, method, values } = search;
  const part = parts[i];
  if (part === undefined) return serving(at, method);
  const literal = at.literals.get(part);
  const found = literal && walk(literal, search, i + 1);
  if (found) return found;
  if (at.parameter && part !== '') {
    values.push(part);
    const matched = walk(at.parameter, search, i + 1);
    if (matched) return matched;
    values.pop();
  }
  const greedy = at.greedy && serving(at.greedy, method);
  const rest = parts.slice(i).join('/');
  if (greedy === undefined || rest === '') return undefined;
  values.push(rest);
  return greedy;
}

function parametersOf(
  names: readonly string[],
  values: readonly string[],
): Record<string, string> | null {
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
}
