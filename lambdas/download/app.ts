import { admitKeys, createApp } from '../shared/http/dispatch';
import type { App } from '../shared/http/response-transport';
import type { DownloadDeps } from '../shared/operations/deps';
import { getObject } from '../shared/operations/get-object';

/** GET and HEAD of an object: a function of its own, so that it may only read. */
export function createDownload(deps: DownloadDeps): App {
  return createApp(deps, { object: { GET: getObject(deps) } }, admitKeys(deps));
}
