/**
 * The AWS calls of publishing to channels, of reviewing them, and of pages of changes, as
 * scripts/cost/calls.ts and the comments state them.
 */

import { changesPage } from '../../../core/channel/changes-page';
import { LongPoll, NEVER_WAITS } from '../../../core/channel/long-poll';
import { publishChanges } from '../../../core/log/publish';
import { createFanout } from '../../../lambdas/fanout/app';
import { createRevocation } from '../../../lambdas/revocation/app';
import { callsOf } from '../../../scripts/cost/calls';
import { cost, LOG, setUp, useCountedService } from './counted-service';

useCountedService();

describe('fanout', () => {
  const wake = (bucket: string) => ({
    Records: [
      {
        eventName: 'INSERT' as const,
        dynamodb: { SequenceNumber: '1', NewImage: { bucket: { S: bucket } } },
      },
    ],
  });

  test.each([1, 3, 40])(
    'costs one post for each of %d subscribers, and everything else once',
    async (subscribers) => {
      const { deps, name, follow, write } = await setUp();
      for (let n = 0; n < subscribers; n++) await follow();
      await write(LOG);
      const fanout = createFanout(deps);
      const posts = Array.from({ length: subscribers }, () => 'post' as const);
      expect(await cost(() => fanout(wake(name)))).toEqual(
        callsOf(
          'publishSeveral',
          'pushLease',
          ...(subscribers < 10 ? [] : (['pushPause'] as const)),
          ...posts,
        ),
      );
      // Published entries are not published again.
      expect(await cost(() => fanout(wake(name)))).toEqual({ GetItem: 3 });
    },
  );

  test('costs 1 Query of the log for one change, not 8', async () => {
    const { deps, name, follow, write } = await setUp();
    await follow();
    await write(1);
    const counted = await cost(() => createFanout(deps)(wake(name)));
    expect(counted).toEqual(callsOf('publishOne', 'pushLease', 'post'));
  });

  test('costs one SendMessage more when it stops at a gap', async () => {
    const { deps, name, follow, write } = await setUp();
    await follow();
    await write(4);
    const record = await deps.buckets.get(name);
    await deps.commits.allocate({ name, id: record?.id ?? '' });
    await write(4);
    expect(await cost(() => createFanout(deps)(wake(name)))).toEqual({
      GetItem: 4,
      Query: 13,
      UpdateItem: 2,
      PostToConnection: 1,
      SendMessage: 1,
    });
  });

  test('costs no lease without subscribers', async () => {
    const { deps, name, write } = await setUp();
    await write(LOG);
    expect(await cost(() => createFanout(deps)(wake(name)))).toEqual(callsOf('publishSeveral'));
  });

  test('costs 2 GetItem and 1 SendMessage while another instance pushes', async () => {
    const { deps, name, follow, write } = await setUp();
    await follow();
    await write(LOG);
    const record = await deps.buckets.get(name);
    const now = deps.clock.now();
    const lease = { holder: 'other', until: now + 5_000, now, published: 0 };
    await deps.buckets.acquirePushLease({ name, id: record?.id ?? '' }, lease);
    expect(await cost(() => createFanout(deps)(wake(name)))).toEqual({
      GetItem: 2,
      SendMessage: 1,
    });
  });
});

test('a change of a key costs one review per channel, and a revocation its closing', async () => {
  const { deps, key, putKey, clock, follow } = await setUp();
  await follow();
  await follow();
  const revocation = createRevocation(deps);
  const dynamodb = { Keys: { id: { S: key.id } }, SequenceNumber: '1' };
  const event = { Records: [{ eventName: 'MODIFY' as const, dynamodb }] };
  // Each channel is reviewed and stays open; its subscription gets the key's expiry.
  expect(await cost(() => revocation(event))).toEqual({ UpdateItem: 3, GetItem: 3, Query: 1 });
  await putKey({ revokedAt: clock.iso() });
  // The rows of both channels go together: the subscriptions first, then the other ones.
  expect(await cost(() => revocation(event))).toEqual({
    UpdateItem: 1,
    GetItem: 1,
    BatchGetItem: 1,
    Query: 1,
    PostToConnection: 2,
    DeleteConnection: 2,
    BatchWriteItem: 2,
  });
});

test('a page costs 2 GetItem at the head, and 8 Query more for entries', async () => {
  const { deps, name, write } = await setUp();
  await write(LOG);
  await publishChanges(deps, name);
  const page = { bucket: name, prefix: '', limit: 500, wait: 0 };
  const costOf = (cursor?: number) =>
    cost(() => changesPage(deps, { ...page, cursor }, NEVER_WAITS));
  expect(await costOf()).toEqual({ GetItem: 2 });
  expect(await costOf(LOG)).toEqual({ GetItem: 2 });
  expect(await costOf(0)).toEqual({ GetItem: 2, Query: 8 });
});

describe('a long poll', () => {
  const pollOf = async (limits: { key: number; service: number }) => {
    const { deps, name, key, write } = await setUp();
    await write(LOG);
    await publishChanges(deps, name);
    const request = { bucket: name, prefix: '', limit: 500, wait: 20, cursor: LOG };
    const poll = (keyId = key.id) =>
      changesPage(deps, request, new LongPoll(deps, { ...request, keyId, limits }));
    return { deps, key, poll };
  };

  test('costs 23 GetItem for 20 s, 1 to read the key again, and 4 UpdateItem for its slots', async () => {
    const { poll } = await pollOf({ key: 5, service: 1000 });
    // The first poll of a key creates the item of its slots.
    await poll();
    // 2 at first, and 1 for each look at the bucket.
    expect(await cost(poll)).toEqual(callsOf('page', 'waitForChanges'));
    expect(callsOf('page', 'waitForChanges')).toEqual({ GetItem: 2 + 23 + 1, UpdateItem: 4 });
  });

  test('costs 1 UpdateItem when its key has no slot, and 3 when the service has none', async () => {
    const { deps, key, poll } = await pollOf({ key: 1, service: 1 });
    await poll();
    const taken = { holder: 'other', limit: 1, now: deps.clock.now() };
    for (const [owner, updates] of [
      [key.id, 1],
      ['*', 3],
    ] as const) {
      const until = deps.clock.now() + 60_000;
      await deps.slots.take(owner, 'wait', { ...taken, until });
      expect(await cost(poll)).toEqual({ GetItem: 2, UpdateItem: updates });
      await deps.slots.release(owner, 'wait', taken.holder);
    }
  });
});

test('a page with more than 500 cursors costs 16 Query and 2 GetItem', async () => {
  const { deps, clock, name } = await setUp();
  const bucket = await deps.buckets.get(name);
  if (!bucket) throw new Error('no bucket');
  const at = clock.iso();
  for (let n = 0; n < 600; n += 50) {
    // 50 at a time, because one after the other takes seconds.
    const cursors = await Promise.all(
      Array.from({ length: 50 }, () => deps.commits.allocate(bucket)),
    );
    await Promise.all(
      cursors.map(async (cursor = 0) => {
        await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: name, cursor, at });
      }),
    );
  }
  const page = { bucket: name, prefix: '', limit: 1000, wait: 0, cursor: 0 };
  expect(await cost(() => changesPage(deps, page, NEVER_WAITS))).toEqual({
    GetItem: 2,
    Query: 16,
  });
});
