/** The storage API: its routes, and the operation of each. */
import type { Caller } from '../core/access/permissions';
import { NEVER_WAITS } from '../core/channel/long-poll';
import { admitKeys } from './admit-keys';
import { type App, createApp, type Operations } from './http/app';
import {
  handleCreateBucket,
  handleDeleteBucket,
  handleGetBucket,
  handleListBuckets,
  handleUpdateBucket,
} from './operations/buckets';
import { handleCommit } from './operations/commits';
import {
  handleDeleteConsumer,
  handleGetConsumer,
  handleListConsumers,
  handlePutConsumer,
} from './operations/consumers';
import { handleDeleteObject } from './operations/delete-object';
import { handleDeleteObjects } from './operations/delete-objects';
import type { ApiDeps, OperationDeps } from './operations/deps';
import { handleGetObject } from './operations/get-object';
import { handleGetUpload } from './operations/get-upload';
import { handleCreateLink, handleDeleteLink, handleListLinks } from './operations/links';
import { handleListObjects } from './operations/list-objects';
import { handlePutObject } from './operations/put-object';
import { handleReadChanges, type WaitingOf } from './operations/read-changes';
import { handleRestore } from './operations/restore';
import { handleSignUrl } from './operations/signed-url';
import { handleCreateToken } from './operations/tokens';
import { type Resource, STORAGE_ROUTES } from './routes/routes';

/**
 * Every operation of the interface. The download function usually serves GET of an object; it is
 * here too because API Gateway may route an unusual path, such as a key with an empty first
 * segment, to the catch-all. The same is true of function changes and pages of changes.
 */
export function storageOperations(
  deps: OperationDeps,
  waitingOf: WaitingOf,
): Operations<Resource, Caller> {
  return {
    buckets: { GET: handleListBuckets(deps), POST: handleCreateBucket(deps) },
    bucket: {
      GET: handleGetBucket(deps),
      PATCH: handleUpdateBucket(deps),
      DELETE: handleDeleteBucket(deps),
    },
    consumers: { GET: handleListConsumers(deps) },
    consumer: {
      GET: handleGetConsumer(deps),
      PUT: handlePutConsumer(deps),
      DELETE: handleDeleteConsumer(deps),
    },
    objects: { GET: handleListObjects(deps), DELETE: handleDeleteObjects(deps) },
    object: {
      GET: handleGetObject(deps),
      PUT: handlePutObject(deps),
      DELETE: handleDeleteObject(deps),
    },
    commits: { POST: handleCommit(deps) },
    restore: { POST: handleRestore(deps) },
    'signed-url': { POST: handleSignUrl(deps) },
    upload: { GET: handleGetUpload(deps) },
    links: { GET: handleListLinks(deps), POST: handleCreateLink(deps) },
    link: { DELETE: handleDeleteLink(deps) },
    tokens: { POST: handleCreateToken(deps) },
    sync: { GET: handleReadChanges(deps, waitingOf) },
  };
}

/** The storage API for callers with API keys. No request waits here: that is for changes. */
export function createApi(deps: ApiDeps): App {
  const operations = storageOperations(deps, () => NEVER_WAITS);
  return createApp(deps, { routes: STORAGE_ROUTES, operations, admit: admitKeys(deps) });
}
