/**
 * The AWS calls of publishing to channels, of reviewing them, and of pages of changes, as
 * scripts/cost/calls.ts and the comments state them.
 */

import { changesPage } from '../../../core/channel/changes-page';
import { LongPoll, NEVER_WAITS } from '../../../core/channel/long-poll';
import { publishChanges } from '../../../core/log/publish';
import { createFanout } from '../../../lambdas/fanout/app';
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

test('a wait of 20 s costs 23 GetItem, 1 to read the key again, and 4 UpdateItem for its slots', async () => {
  const { deps, name, key, write } = await setUp();
  await write(LOG);
  await publishChanges(deps, name);
  const request = { bucket: name, prefix: '', limit: 500, wait: 20, cursor: LOG };
  const limits = { key: 5, service: 1000 };
  const poll = () =>
    changesPage(deps, request, new LongPoll(deps, { ...request, keyId: key.id, limits }));
  // The first poll of a key creates the item of its slots.
  await poll();
  expect(await cost(poll)).toEqual(callsOf('page', 'waitForChanges'));
});
