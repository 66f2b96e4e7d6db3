/** The messages that cover a run of entries. */
import { changesNotifications, resetNotification } from '../../../core/targets/notifications';
import { put, remove } from '../../support/bucket-world';
import { commitPuts } from '../../support/commits';
import { openWorld } from './target-world';

/** Entries 1 to 5: a put, a no-op entry, a commit of two puts, a delete. */
async function openLog() {
  const { deps, bucket } = await openWorld();
  await put(deps, 'a', 'x');
  const cursor = (await deps.commits.allocate(bucket)) ?? 0;
  const at = deps.clock.iso();
  await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: bucket.name, cursor, at });
  await commitPuts(deps, bucket, ['b', 'c']);
  await remove(deps, 'a');
  return { bucket, entries: await deps.changeLog.readShown(bucket.id, 0, 5) };
}

test.each([
  [
    1,
    [
      [0, 1, 'a'],
      [1, 2],
      [2, 3, 'b'],
      [3, 4, 'c'],
      [4, 5, 'a'],
    ],
  ],
  [
    2,
    [
      [0, 2, 'a'],
      [2, 4, 'b', 'c'],
      [4, 5, 'a'],
    ],
  ],
  [
    3,
    [
      [0, 2, 'a'],
      [2, 5, 'b', 'c', 'a'],
    ],
  ],
  [100, [[0, 5, 'a', 'b', 'c', 'a']]],
])('notifications of at most %j entries cover a run without a gap', async (size, expected) => {
  const { bucket, entries } = await openLog();
  const run = { from: 0, to: 5, entries, head: 9 };
  const notifications = changesNotifications(bucket, run, size);
  expect(
    notifications.map(({ from, to, changes }) => [
      from,
      to,
      ...changes.map((one) => one.object.key),
    ]),
  ).toEqual(expected);
  for (const { type, bucket: name, bucket_id, head } of notifications) {
    expect({ type, name, bucket_id, head }).toEqual({
      ...{ type: 'changes', name: bucket.name, bucket_id: bucket.id, head: 9 },
    });
  }
});

test.each([
  [9, 9],
  [2, 6],
])('a reset of a log at head %j shows the head %j', async (head, shown) => {
  const { bucket } = await openWorld();
  expect(resetNotification(bucket, 3, { oldest: 7, head })).toEqual({
    ...{ type: 'reset', bucket: bucket.name, bucket_id: bucket.id, reason: 'cursor_expired' },
    ...{ from: 3, to: 6, oldest: 7, head: shown },
  });
});
