import { admitKeys, createApp } from '../shared/http/dispatch';
import type { App } from '../shared/http/response-transport';
import type { ApiDeps } from '../shared/operations/deps';
import { everyOperation } from '../shared/operations/every-operation';

/**
 * Every route of the interface. GET of an object is usually answered by the download function; it
 * is here too because API Gateway may route an odd path (an empty first segment of a key) to the
 * catch-all.
 */
export function createApi(deps: ApiDeps): App {
  return createApp(deps, everyOperation(deps), admitKeys(deps));
}
