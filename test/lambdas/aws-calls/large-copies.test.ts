/** The AWS calls of copies of more than 5 GiB are those of scripts/cost/calls.ts. */
import { copyObjects } from '../../../core/maintenance/copy-objects';
import { NEVER_STOP } from '../../../core/stop-signal';
import { ingestBlob } from '../../../core/uploads/uploads';
import { callsOf } from '../../../scripts/cost/calls';
import { createApi } from '../../../service/storage-api';
import { send, type TestRequest } from '../../support/requests';
import { type Service, startService } from '../../support/service';
import { bucketWithFilm, copyRequest, lowerLimits } from '../copies/world';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
lowerLimits();

test('a large copy, and a run that finds none, make the documented AWS calls', async () => {
  const { bucket, clock, deps, keyId } = await bucketWithFilm(service);
  let calls: string[] = [];
  const counted = service.open({
    clock,
    watch: async (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });
  const counts = () => {
    const found: Record<string, number> = {};
    for (const name of calls) found[name] = (found[name] ?? 0) + 1;
    calls = [];
    return found;
  };
  const app = createApi(counted);
  const ask = (request: TestRequest) => send(app, { keyId, ...request });
  // The instance knows the bucket's id, and has leased tokens.
  for (let n = 0; n < 2; n++) await ask({ method: 'DELETE', path: `/objects/${bucket}/nothing` });
  counts();

  const { upload_id: id } = (await ask(copyRequest(bucket))).json();
  expect(counts()).toEqual(callsOf('beginCopy'));

  await copyObjects(counted, NEVER_STOP);
  const first = counts();
  const { blob = '' } = (await deps.uploads.get(String(id))) ?? {};
  await ingestBlob(deps, blob);
  await copyObjects(counted, NEVER_STOP);
  const second = counts();
  const both: Record<string, number> = { ...first };
  for (const [name, count] of Object.entries(second)) both[name] = (both[name] ?? 0) + count;
  expect(both).toEqual(callsOf('copyParts'));

  await copyObjects(counted, NEVER_STOP);
  expect(counts()).toEqual(callsOf('copyNothing'));
});
