import { createApp } from '../http/api-app';
import type { App } from '../http/carrier';
import type { ReadDeps } from '../operations/deps';
import { getObject } from '../operations/get-object';

/** GET and HEAD of an object: a function of its own, so that it may only read. */
export function createDownload(deps: ReadDeps): App {
  return createApp(deps, { object: { GET: getObject(deps) } });
}
