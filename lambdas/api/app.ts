import { admitKeys, createApp } from '../http/api-app';
import type { App } from '../http/carrier';
import type { ApiDeps } from '../operations/deps';
import { everyOperation } from '../operations/every-operation';

/**
 * Every route of the interface. GET of an object is usually answered by the download function; it is here too because
 * API Gateway may route an odd path (an empty first segment of a key) to the catch-all.
 */
export function createApi(deps: ApiDeps): App {
  return createApp(deps, everyOperation(deps), admitKeys(deps));
}
