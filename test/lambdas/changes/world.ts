/** The changes function on the fakes, with the bucket `photos` and the key `key-1`. */
import { DEFAULT_RATES } from '../../../core/limits';
import { createChanges } from '../../../service/changes-api';
import { BUCKET, openBucket } from '../../support/bucket-world';
import { EVERYTHING, send, type TestRequest } from '../../support/requests';

export const KEY = 'key-1';

export async function setUp({ wait = DEFAULT_RATES.wait, maxWaiting = 100 } = {}) {
  const { deps, bucket } = await openBucket();
  const rateTiers = { default: { ...DEFAULT_RATES, wait } };
  const app = createChanges({ ...deps, rateTiers, maxWaiting });
  const ask = (query: Record<string, string>, request: Partial<TestRequest> = {}) =>
    send(app, { path: '/sync', query: { bucket: BUCKET, ...query }, ...request });
  const addKey = (id: string) =>
    deps.state.apiKeys.set(id, {
      id,
      name: id,
      secretHash: '',
      permissions: EVERYTHING,
      createdAt: deps.clock.iso(),
    });
  addKey(KEY);
  return { deps, bucket, app, ask, addKey };
}
