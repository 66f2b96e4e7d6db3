/** A subscription with fake sockets and an unavailable service. */
import type { SubscriptionEvent } from '../../../client';
import {
  type FollowedBuckets,
  Subscription,
  type SubscriptionDeps,
  type SubscriptionOptions,
} from '../../../client/channel/subscription';
import { httpOf } from '../http/requests-of-http';
import { FakeSocket } from './fake-sockets';
import { ID } from './open-channel';
import { pass } from './transport-world';

export interface World extends Partial<SubscriptionDeps>, SubscriptionOptions {
  readonly follow?: FollowedBuckets;
}

const busy = () => new Response('', { status: 503 });

export function subscriptionWorld({ follow = { photos: { cursor: 5 } }, ...options }: World = {}) {
  const sockets: FakeSocket[] = [];
  const { http, sent } = httpOf(busy);
  const deps = {
    http,
    openWebSocket: (url: string, headers: Readonly<Record<string, string>>) => {
      const socket = new FakeSocket(url, headers);
      sockets.push(socket);
      return socket;
    },
    ...{ canPoll: true, ticket: undefined, now: Date.now, random: () => 0.5 },
    ...options,
  };
  const subscription = new Subscription(follow, options, deps);
  return { subscription, sockets, sent };
}

/** A subscription whose socket is open, and the events that were read so far. */
export async function reading(options?: World) {
  const { subscription, sockets, sent } = subscriptionWorld(options);
  const seen: SubscriptionEvent[] = [];
  const ended = (async () => {
    for await (const event of subscription.events()) seen.push(event);
  })();
  ended.catch(() => undefined);
  await pass();
  const [socket] = sockets;
  if (!socket) throw new Error('no socket');
  socket.fire('open');
  await pass();
  return { subscription, sockets, socket, sent, seen, ended };
}

export const at = (bucket: string, cursor: number, head = cursor) => ({
  type: 'subscribed',
  bucket,
  bucket_id: ID,
  cursor,
  head,
});

/** A message with one put for each cursor of (from, to]. */
export function puts(from: number, to: number, head = to) {
  const cursors = Array.from({ length: to - from }, (_, n) => from + 1 + n);
  const changes = cursors.map((cursor) => ({ cursor, type: 'put', object: { key: `k${cursor}` } }));
  return { type: 'changes', bucket: 'photos', bucket_id: ID, from, to, head, changes };
}
