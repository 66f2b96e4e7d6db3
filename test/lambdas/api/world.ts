/** The api function on the fakes, with the bucket `photos`. */
import { BucketIds } from '../../../core/buckets/bucket-ids';
import type { ApiDeps } from '../../../service/operations/deps';
import { createApi } from '../../../service/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import { send, type TestRequest } from '../../support/requests';

export async function setUp(change: Partial<Pick<ApiDeps, 'responseMode' | 'rateTiers'>> = {}) {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream' as ApiDeps['responseMode'],
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://sync.example/sync' },
    linksAndKeys: { ...fakes, baseUrl: 'https://files.example/' },
    ...change,
  };
  const app = createApi(deps);
  const ask = (request: TestRequest) => send(app, request);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  return { deps, ask };
}

export const put = { method: 'PUT', path: '/objects/photos/a', body: 'one' };
