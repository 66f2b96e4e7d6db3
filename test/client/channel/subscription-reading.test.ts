/** How a subscription is read, also by readers that are slow, leave, or have a consumer. */
import type { Change } from '../../../client';
import { httpOf } from '../http/requests-of-http';
import { at, puts, reading, subscriptionWorld as world } from './subscription-world';
import { pass, startFakeTimers } from './transport-world';

beforeEach(startFakeTimers);
afterEach(() => jest.useRealTimers());

test('a subscription can be read once', async () => {
  const { subscription } = world();
  subscription.close();
  expect(await subscription.events().next()).toMatchObject({ done: true });
  await expect(subscription.events().next()).rejects.toThrow();
});

test('a loop over a subscription gets only changes, and throws when a bucket is reset', async () => {
  const { subscription, sockets } = world();
  const seen: Change[] = [];
  const ended = (async () => {
    for await (const change of subscription) seen.push(change);
  })();
  const failed = expect(ended).rejects.toMatchObject({
    ...{ code: 'cursor_expired', status: 410 },
    details: { bucket: 'photos', reason: 'bucket_replaced', oldest: 1, head: 2 },
  });
  await pass();
  sockets[0]?.fire('open');
  sockets[0]?.tell(at('photos', 5));
  const gone = { cursor: 7, type: 'delete', object: { key: 'k6' } };
  sockets[0]?.tell({ ...puts(5, 6), to: 7, changes: [...puts(5, 6).changes, gone] });
  await pass();
  sockets[0]?.fire('close', {});
  await pass(250);
  sockets[1]?.fire('open');
  const reset = { bucket: 'photos', reason: 'bucket_replaced', oldest: 1, head: 2 };
  sockets[1]?.tell({ type: 'reset', ...reset });
  await failed;
  expect(seen.map(({ type, cursor }) => [type, cursor])).toEqual([
    ['put', 6],
    ['delete', 7],
  ]);
});

test('a subscription drops changes for which a slow reader has no room, and requests them later', async () => {
  const { subscription, sockets } = world({ maxBuffered: 5 });
  const events = subscription.events();
  const first = events.next();
  await pass();
  const [socket] = sockets;
  socket?.fire('open');
  await first;
  socket?.tell(at('photos', 5));
  for (let from = 5; from < 9; from++) socket?.tell(puts(from, from + 1));
  // The cursor of the beginning, two puts with their cursors: full.
  expect(subscription.progress('photos').head).toBe(9);
  expect(socket?.sent).toHaveLength(1);
  const read = async (count: number) => {
    const seen: unknown[] = [];
    for (let n = 0; n < count; n++) {
      const { value } = await events.next();
      if (value && 'cursor' in value) seen.push(`${value.type} ${value.cursor}`);
    }
    return seen;
  };
  expect(await read(2)).toEqual(['cursor 5', 'put 6']);
  expect(socket?.sent).toHaveLength(1);
  expect(await read(1)).toEqual(['cursor 6']);
  expect(socket?.sent.slice(1)).toMatchObject([{ action: 'subscribe', cursor: 7 }]);
  // It becomes full once more.
  for (let from = 7; from < 10; from++) socket?.tell(puts(from, from + 1));
  expect(await read(4)).toEqual(['put 7', 'cursor 7', 'put 8', 'cursor 8']);
  expect(socket?.sent.slice(2)).toMatchObject([{ action: 'subscribe', cursor: 9 }]);
  subscription.close();
});

test('a subscription that polls requests nothing while its reader has no room', async () => {
  const { http, sent } = httpOf((_, count) => {
    const { type: _type, ...page } = puts(4 + count, 5 + count, 99);
    return Response.json({ ...page, has_more: true });
  });
  const { subscription } = world({ http, transport: 'poll', maxBuffered: 0 });
  const events = subscription.events();
  await events.next();
  await pass(60_000);
  // `status`, read, and one page.
  expect(sent).toHaveLength(1);
  await events.next();
  await pass(60_000);
  expect(sent).toHaveLength(1);
  await events.next();
  await pass(60_000);
  expect(sent).toHaveLength(2);
  subscription.close();
});

test('a subscription opens one channel for each bucket with tickets', async () => {
  const ticket = async ({ bucket }: { bucket: string }) => `wss://files.example/${bucket}`;
  const follow = { photos: { cursor: 5 }, films: { cursor: 1 } };
  const { sockets, seen, ended } = await reading({ ticket, follow });
  expect(sockets.map(({ url }) => url)).toEqual([
    'wss://files.example/photos',
    'wss://files.example/films',
  ]);
  const error = { code: 'not_found', message: 'none' };
  sockets[0]?.tell({ type: 'error', bucket: 'photos', error });
  sockets[1]?.fire('open');
  sockets[1]?.tell(at('films', 1));
  await pass();
  expect(seen.at(-1)).toMatchObject({ type: 'cursor', bucket: 'films' });
  sockets[1]?.tell({ type: 'error', bucket: 'films', error });
  await ended;
  expect(seen.filter(({ type }) => type === 'ended')).toHaveLength(2);
});

test('a subscription ends all channels when its key is refused on one', async () => {
  const ticket = async () => 'wss://files.example/t';
  const follow = { photos: { cursor: 5 }, films: { cursor: 1 } };
  const { sockets, ended } = await reading({ ticket, follow });
  const failed = expect(ended).rejects.toMatchObject({ code: 'unauthorized' });
  sockets[0]?.tell({ type: 'goodbye', code: 4401, reason: 'revoked' });
  await failed;
  expect(sockets[1]?.closes).toHaveLength(1);
});

test.each(['aborted', 'closed'])('a subscription that is %s closes its socket', async (how) => {
  const stop = new AbortController();
  const { subscription, socket, ended } = await reading({ signal: stop.signal });
  if (how === 'aborted') stop.abort();
  else subscription.close();
  await ended;
  expect(socket.closes).toMatchObject([[1000, expect.any(String)]]);
});

test('a subscription whose signal was aborted before opens nothing', async () => {
  const { subscription, sockets, sent } = world({ signal: AbortSignal.abort() });
  expect(await subscription.events().next()).toMatchObject({ done: true });
  expect([sockets, sent]).toEqual([[], []]);
});

/** The reader leaves when it is done with 7. Returns the requests for the consumer. */
async function leave(canPoll: boolean) {
  const follow = { photos: { consumer: 'indexer' } };
  const { subscription, sent, socket, seen, ended } = await reading({ follow, canPoll });
  socket.tell(at('photos', 5));
  socket.tell(puts(5, 7));
  await pass();
  expect(seen.at(-1)).toMatchObject({ type: 'cursor', cursor: 7 });
  subscription.close();
  await ended;
  return sent.map(({ url }) => url.replace(/^.*storage./, ''));
}

test('a subscription with a key stores how far its reader is when it ends', async () => {
  expect(await leave(true)).toEqual(['buckets/photos/consumers/indexer']);
  expect(await leave(false)).toEqual([]);
});
