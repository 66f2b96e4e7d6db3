import { admitKeys } from './admit-keys';
import { type App, createApp } from './http/app';
import type { DownloadDeps } from './operations/deps';
import { handleGetObject } from './operations/get-object';
import { STORAGE_ROUTES } from './routes/routes';

/** GET and HEAD of an object for callers with API keys, in a function that may only read. */
export function createDownload(deps: DownloadDeps): App {
  const operations = { object: { GET: handleGetObject(deps) } };
  return createApp(deps, { routes: STORAGE_ROUTES, operations, admit: admitKeys(deps) });
}
