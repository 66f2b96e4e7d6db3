/** The options of a subscription, its transport, and the progress of its reader. */
import type { FollowedBuckets } from '../../../client/channel/subscription';
import { ID } from './open-channel';
import { at, puts, subscriptionWorld as world } from './subscription-world';
import { pass, startFakeTimers } from './transport-world';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

test.each<[string, FollowedBuckets]>([
  ['no bucket', {}],
  ['51 buckets', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`b${n}`, {}]))],
  ['a cursor below 0', { photos: { cursor: -1 } }],
  ['half a cursor', { photos: { cursor: 0.5 } }],
  ['a cursor that is a text', { photos: { cursor: '5' as never } }],
])('a subscription with %s throws a RangeError', (_what, follow) => {
  expect(() => world({ follow })).toThrow(RangeError);
});

test('a subscription follows up to 50 buckets, from cursor 0 or from now', () => {
  const names = Array.from({ length: 50 }, (_, n) => `b${n}`);
  const follow = Object.fromEntries(names.map((name) => [name, { cursor: 0 }]));
  expect(world({ follow }).subscription.buckets).toEqual(names);
  expect(world({ follow: { photos: {} } }).subscription.buckets).toEqual(['photos']);
});

test('a subscription with the transport websocket throws a TypeError where there is none', () => {
  const openWebSocket = undefined;
  expect(() => world({ openWebSocket, transport: 'websocket' })).toThrow(TypeError);
  expect(() => world({ openWebSocket })).not.toThrow();
  expect(() => world({ transport: 'websocket' })).not.toThrow();
});

test.each([
  ['auto', true, 'poll'],
  ['auto', false, undefined],
  ['websocket', true, 'websocket'],
] as const)(
  'a refused subscription with the transport %s (may poll: %s) reports the status of %s',
  async (by, canPoll, status) => {
    const { subscription, sockets } = world({ transport: by, canPoll });
    const events = subscription.events();
    const first = events.next();
    await pass();
    sockets[0]?.fire('error');
    await pass(100);
    subscription.close();
    expect((await first).value).toEqual(
      status && expect.objectContaining({ status: 'disconnected', transport: status }),
    );
  },
);

test('progress returns how far the reader is, not what was received', async () => {
  const { subscription, sockets } = world();
  const progress = () => subscription.progress('photos');
  expect(progress()).toEqual({ bucketId: undefined, cursor: 5, head: 5, lag: 0 });
  const changes = subscription[Symbol.asyncIterator]();
  const first = changes.next();
  await pass();
  sockets[0]?.fire('open');
  sockets[0]?.tell(at('photos', 5, 9));
  sockets[0]?.tell(puts(5, 7, 9));
  expect((await first).value).toMatchObject({ type: 'put', cursor: 6 });
  expect(progress()).toEqual({ bucketId: ID, cursor: 6, head: 9, lag: 3 });
  await changes.next();
  void changes.next();
  await pass();
  expect(progress()).toMatchObject({ cursor: 7, lag: 2 });
  expect(() => subscription.progress('films')).toThrow(RangeError);
  subscription.close();
});

test('progress of a subscription from now has no lag before it begins', () => {
  const { subscription } = world({ follow: { photos: { bucketId: ID } } });
  const progress = { bucketId: ID, cursor: undefined, head: 0, lag: 0 };
  expect(subscription.progress('photos')).toEqual(progress);
});

test('progress counts deletes and cursors, and stays when the bucket ends', async () => {
  const { subscription, sockets } = world();
  const events = subscription.events();
  const first = events.next();
  await pass();
  sockets[0]?.fire('open');
  await first;
  const next = async () => {
    const { value } = await events.next();
    const { bucketId, cursor } = subscription.progress('photos');
    return [value?.type, bucketId, cursor];
  };
  sockets[0]?.tell(at('photos', 5, 9));
  expect(await next()).toEqual(['cursor', ID, 5]);
  const gone = { cursor: 7, type: 'delete', object: { key: 'k7' } };
  sockets[0]?.tell({ ...puts(5, 8, 9), changes: [gone] });
  expect([await next(), await next()]).toEqual([
    ['delete', ID, 7],
    ['cursor', ID, 8],
  ]);
  sockets[0]?.tell({
    type: 'error',
    bucket: 'photos',
    error: { code: 'forbidden', message: 'no' },
  });
  expect(await next()).toEqual(['ended', ID, 8]);
  subscription.close();
});
