import { createApp } from '../http/api-app';
import type { App } from '../http/carrier';
import { createBucket, deleteBucket, getBucket, listBuckets } from '../operations/buckets';
import { deleteObject } from '../operations/delete-object';
import type { ApiDeps } from '../operations/deps';
import { getObject } from '../operations/get-object';
import { listObjects } from '../operations/list-objects';
import { putObject } from '../operations/put-object';
import { createSignedUrl } from '../operations/signed-url';
import { getSyncPage } from '../operations/sync-page';

/**
 * Every route of the interface. GET of an object is usually answered by the download function; it is here too because
 * API Gateway may route an odd path (an empty first segment of a key) to the catch-all.
 */
export function createApi(deps: ApiDeps): App {
  return createApp(deps, {
    buckets: { GET: listBuckets(deps), POST: createBucket(deps) },
    bucket: { GET: getBucket(deps), DELETE: deleteBucket(deps) },
    objects: { GET: listObjects(deps) },
    object: { GET: getObject(deps), PUT: putObject(deps), DELETE: deleteObject(deps) },
    'signed-url': { POST: createSignedUrl(deps) },
    sync: { GET: getSyncPage(deps) },
  });
}
