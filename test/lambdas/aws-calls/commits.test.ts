/** The AWS calls of a commit, counted on the real adapters: those of the comments of core/log. */

import { LIMITS } from '../../../core/limits';
import type { CommitIntent } from '../../../core/log/commit';
import { commitChanges } from '../../../core/log/commit';
import { deleteIntent, keysNamed, putIntent } from '../../support/commits';
import { newBucket } from '../../support/samples';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A bucket, whose calls are counted, with the intents to put 32 objects. */
async function openBucket() {
  const deps = service.open({
    watch: (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });
  const bucket = newBucket();
  await deps.buckets.create(bucket);
  const keys = keysNamed('k', LIMITS.commitChanges);
  const puts = await Promise.all(keys.map((key) => putIntent(deps, bucket, key, key)));
  const commit = async (intent: Omit<CommitIntent, 'bucket'>) => {
    calls = [];
    const wanted = intent.intents.map(({ key }) => key);
    const found = await deps.objects.getMany(bucket.id, wanted);
    const reads = wanted.map((key) => found.find((record) => record.key === key));
    expect(await commitChanges(deps, { bucket, ...intent }, reads)).toMatchObject({
      result: 'committed',
    });
    return calls;
  };
  return { deps, bucket, keys, puts, commit };
}

const COMMIT = ['BatchGetItem', 'UpdateItem', 'TransactWriteItems'];

test('a commit of as many changes as there may be makes three calls', async () => {
  const { bucket, keys, puts, commit } = await openBucket();
  expect(await commit({ intents: puts })).toEqual(COMMIT);
  expect(await commit({ intents: keys.map((key) => deleteIntent(bucket, key)) })).toEqual(COMMIT);
});

test('a commit with if_cursor makes the same calls when the counter is there', async () => {
  const { puts, commit } = await openBucket();
  expect(await commit({ intents: puts.slice(0, 2), ifCursor: 0 })).toEqual(COMMIT);
});

test('a commit with if_cursor reads what is after the cursor', async () => {
  const { bucket, deps, puts, commit } = await openBucket();
  await deps.commits.allocate(bucket);
  const at = new Date().toISOString();
  await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: bucket.name, cursor: 1, at });

  const [read, refused, ...rest] = await commit({ intents: puts.slice(0, 2), ifCursor: 0 });

  expect([read, refused]).toEqual(['BatchGetItem', 'UpdateItem']);
  // One entry is in one shard.
  expect(rest).toEqual(['GetItem', 'GetItem', 'Query', 'UpdateItem', 'TransactWriteItems']);
});
