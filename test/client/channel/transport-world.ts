/** A WebSocket transport with fake sockets and a fake service, on Jest's clock. */

import type { SubscriptionEvent } from '../../../client/channel/events';
import { LogPosition } from '../../../client/channel/log-position';
import {
  WebSocketTransport,
  type WebSocketTransportDeps,
} from '../../../client/channel/web-socket-transport';
import { Http } from '../../../client/http';
import { FakeSocket } from './fake-sockets';
import type { Follow } from './open-channel';

export interface WorldOptions extends Partial<WebSocketTransportDeps> {
  readonly baseUrl?: string;
  readonly follow?: Follow;
  readonly respond?: (url: URL) => Promise<Response> | Response;
  /** Sockets accept no code, as browsers do with some. */
  readonly refusesCode?: boolean;
}

export const startFakeTimers = () =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });

/** Lets everything happen that is due within this time. */
export const pass = (milliseconds = 0) => jest.advanceTimersByTimeAsync(milliseconds);

export function transportWorld(options: WorldOptions = {}) {
  const { respond = () => new Response('', { status: 503 }), ...more } = options;
  const { baseUrl = 'https://files.example', follow = { photos: { cursor: 5 } } } = options;
  const sockets: FakeSocket[] = [];
  const requests: string[] = [];
  const events: SubscriptionEvent[] = [];
  const finished: unknown[] = [];
  const positions = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  const fetch = async (url: string) => {
    requests.push(url.replace(/^.*[/]storage[/]/, ''));
    return respond(new URL(url));
  };
  const stop = new AbortController();
  const transport = new WebSocketTransport(positions, {
    http: new Http({ baseUrl, apiKey: 'osk_1', fetch }),
    signal: stop.signal,
    emit: (event) => events.push(event),
    waitForRoom: async () => undefined,
    now: Date.now,
    random: () => 0.5,
    openWebSocket: (url, headers) => {
      const socket = new FakeSocket(url, headers, options.refusesCode);
      sockets.push(socket);
      return socket;
    },
    ...{ canPoll: true, pollsWhileRefused: false, ticket: undefined },
    finished: (...error) => finished.push(error),
    ...more,
  });
  const socketAt = (index: number) => {
    const socket = sockets[index];
    if (!socket) throw new Error(`there are ${sockets.length} sockets`);
    return socket;
  };
  return { transport, sockets, socketAt, requests, events, finished, positions, stop };
}

/** The transport has started, and its first socket is open. */
export async function openTransport(options?: WorldOptions) {
  const world = transportWorld(options);
  world.transport.start();
  await pass();
  const socket = world.socketAt(0);
  socket.fire('open');
  return { ...world, socket };
}
