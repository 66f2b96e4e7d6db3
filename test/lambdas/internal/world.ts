/** The internal function on the fakes, with some aliases. */
import type { Permission } from '../../../core/access/ports';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createInternal } from '../../../lambdas/internal/app';
import { createFakes } from '../../support/fakes/fakes';
import { invoke } from '../../support/invocations';
import { EVERYTHING, type TestRequest } from '../../support/requests';

const READ: Permission[] = [{ buckets: ['*'], actions: ['read', 'list', 'sign'] }];
const GRANTS = new Map<string, readonly Permission[]>([
  ['all', EVERYTHING],
  ['read', READ],
  ['photos', [{ buckets: ['photos'], prefix: 'public/', actions: ['read', 'list', 'write'] }]],
  ['sync', [{ buckets: ['photos'], actions: ['sync', 'list', 'sign'] }]],
]);

export function openWorld() {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'buffered' as const,
  };
  return { deps, internal: createInternal(deps, GRANTS) };
}

/** A world with the bucket `photos` and an object `a`. */
export async function setUp() {
  const { deps, internal } = openWorld();
  const as = (alias: string) => (request: TestRequest) => invoke(internal, alias, request);
  const all = as('all');
  await all({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await all({ method: 'PUT', path: '/objects/photos/a', body: 'one' });
  return { deps, internal, as, all };
}
