import { lookUp } from '../rest-api/gateway-responses/variables';
import type { Route, WebSocketModel } from './model';

/** Clients cannot address these routes by a message. */
const RESERVED = new Set(['$connect', '$disconnect', '$default']);

/** Returns a function from a client's message to its route; undefined: the API has none for it. */
export function createSelection(model: WebSocketModel): (body: string) => Route | undefined {
  const fallback = model.routes.get('$default');
  const named = [...model.routes.keys()].some((routeKey) => !RESERVED.has(routeKey));
  if (!named) return () => fallback;
  return (body) => {
    const routeKey = keyOf(body, model.selection);
    const reserved = routeKey === undefined || RESERVED.has(routeKey);
    return (reserved ? undefined : model.routes.get(routeKey)) ?? fallback;
  };
}

function keyOf(body: string, selection: readonly string[]): string | undefined {
  try {
    const key = lookUp(JSON.parse(body), selection);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
