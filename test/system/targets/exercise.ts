/**
 * Makes the AWS calls of the notifier that no target causes within a minute: runs its code here, in
 * its role, as test/grants/exercise.ts does.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoTargetCursors } from '../../../adapters/dynamodb/target-cursors';
import { NEVER_STOP } from '../../../core/stop-signal';
import { notifyTarget } from '../../../core/targets/notify';
import type { Target } from '../../../core/targets/ports';
import { sweep } from '../../../core/targets/sweep';
import { createStackIam } from '../../../emulator/src/iam/stack-iam';
import { loadStack } from '../../../emulator/src/template/assembly';
import { resolveStack } from '../../../emulator/src/template/resolve-stack';
import type { Client } from '../support/client';
import { openStores } from '../support/local-service';

/** The janitor of the running service may fill one gap first, but hardly three. */
const GAPS = 3;
const BUCKET = 'exercise';

/** `folder` is the data of the running service, `cdkOut` has its template. */
export async function exerciseNotifier(client: Client, folder: string, cdkOut: string) {
  const { outputs } = JSON.parse(readFileSync(path.join(folder, 'endpoints.json'), 'utf8'));
  const stack = resolveStack(loadStack(cdkOut, 'targets'));
  const iam = createStackIam(stack, readFileSync(path.join(folder, 'seed'), 'utf8'));
  const role = [...stack.resources.values()].find(({ logicalId }) =>
    /^StorageTargetsNotifierRole[0-9A-F]{8}$/.test(logicalId),
  );
  const operator = openStores(folder);
  const stores = openStores(folder, iam.credentialsForRole(role?.arn ?? ''));
  const targetCursors = new DynamoTargetCursors(stores.dynamo, outputs.CursorsTableName);
  const deps = { ...stores, targetCursors, targetTasks: { send: async () => undefined } };
  const target: Target = {
    id: 'Exercise',
    buckets: [BUCKET],
    startFrom: 'oldest',
    maxBatchSize: 100,
    timeoutMs: 1000,
    send: async (messages) => messages.length,
  };
  await client.send('POST', '/buckets', JSON.stringify({ name: BUCKET }));
  const bucket = await operator.buckets.get(BUCKET);
  if (!bucket) throw new Error('no bucket');
  for (let gap = 0; gap < GAPS; gap++) {
    await operator.commits.allocate(bucket);
    await client.change(BUCKET, 'x', 'behind a gap');
    await notifyTarget(deps, target, bucket, NEVER_STOP);
  }
  await client.change(BUCKET, 'x', 'not yet notified');
  // The first sweep registers the target, the second finds it behind.
  for (let n = 0; n < 2; n++) await sweep(deps, [target], NEVER_STOP);
  await targetCursors.remove(target.id, bucket.id);
  operator.close();
  stores.close();
}
