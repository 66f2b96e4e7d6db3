import type { Operations } from '../http/dispatch';
import { createBucket, deleteBucket, getBucket, listBuckets } from './buckets';
import { deleteObject } from './delete-object';
import type { OperationDeps } from './deps';
import { getObject } from './get-object';
import { listObjects } from './list-objects';
import { putObject } from './put-object';
import { createSignedUrl } from './signed-url';
import { getSyncPage } from './sync-page';

/** Every route of the interface. */
export function everyOperation(deps: OperationDeps): Operations {
  return {
    buckets: { GET: listBuckets(deps), POST: createBucket(deps) },
    bucket: { GET: getBucket(deps), DELETE: deleteBucket(deps) },
    objects: { GET: listObjects(deps) },
    object: { GET: getObject(deps), PUT: putObject(deps), DELETE: deleteObject(deps) },
    'signed-url': { POST: createSignedUrl(deps) },
    sync: { GET: getSyncPage(deps) },
  };
}
