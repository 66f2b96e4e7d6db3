/** The api function on the fakes, for signed URLs of the bucket `photos`. */
import type { ApiDeps } from '../../../service/operations/deps';
import { setUp } from '../../lambdas/api/world';
import type { TestRequest } from '../../support/requests';

export async function open(responseMode: ApiDeps['responseMode'] = 'stream') {
  const world = await setUp({ responseMode });
  const { ask, deps } = world;
  const { id: bucketId = '' } = (await deps.buckets.get('photos')) ?? {};
  const sign = (fields: object, more: Partial<TestRequest> = {}) => {
    const body = JSON.stringify({ bucket: 'photos', key: 'a', ...fields });
    return ask({ method: 'POST', path: '/signed-url', body, ...more });
  };
  const inSeconds = (seconds: number) => new Date(deps.clock.now() + seconds * 1000).toISOString();
  const rowOf = async (id: unknown) => deps.uploads.get(String(id));
  return { ...world, bucketId, sign, inSeconds, rowOf };
}

export type Signed = { readonly url: string; readonly upload_id: string };
