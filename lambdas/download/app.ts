import { admitKeys, createApp } from '../http/api-app';
import type { App } from '../http/carrier';
import type { DownloadDeps } from '../operations/deps';
import { getObject } from '../operations/get-object';

/** GET and HEAD of an object: a function of its own, so that it may only read. */
export function createDownload(deps: DownloadDeps): App {
  return createApp(deps, { object: { GET: getObject(deps) } }, admitKeys(deps));
}
