/** The change channel through the edge, and its pages. */

import { globalWebSocket } from '../../../../client/channel/web-socket';
import type { OpenWebSocket } from '../../../../client/index';
import { isRecord } from '../../../../client/resources';
import { webSocket } from '../../../shared/web-socket';
import { type Check, reported, saw } from '../check';
import { demand, json, requireStatus, shown } from '../demand';
import type { Service } from '../service';
import { shakeHands } from '../wire';

/** Time after which a missing message counts as lost. */
const PATIENCE_MS = 20_000;

type Message = Readonly<Record<string, unknown>>;

export const CHANGE_CHECKS: readonly Check[] = [
  {
    assumption: 'a page of changes waits for a change',
    run: async (service) => {
      const started = Date.now();
      const { to } = json(await service.call('GET', `/sync?bucket=${service.bucket}`));
      const path = `/sync?bucket=${service.bucket}&cursor=${to}&wait=2`;
      const reply = await service.call('GET', path);
      requireStatus(reply, 200);
      const seconds = (Date.now() - started) / 1000;
      demand(seconds >= 1.5, `an empty page after ${seconds.toFixed(1)} s instead of 2 s`);
      return saw(`an empty page after ${seconds.toFixed(1)} s`);
    },
  },
  {
    assumption: 'a handshake without a key is refused',
    run: async (service) => {
      const reply = await shakeHands(`${service.target.baseUrl}/api/v2/storage/sync`);
      requireStatus(reply, 401);
      return saw(shown(reply));
    },
  },
  {
    assumption: 'a ticket opens a channel, on which a change and a pong arrive',
    run: async (service) => {
      const url = await newTicket(service);
      const channel = await openChannel(`${url}&cursor=0`);
      try {
        await channel.next('subscribed', ({ type }) => type === 'subscribed');
        const { cursor } = await service.put('followed', 'a change');
        const sent = Date.now();
        await channel.next('the change', ({ type, to }) => type === 'changes' && to === cursor);
        const milliseconds = Date.now() - sent;
        channel.send({ action: 'ping', cursors: { [service.bucket]: cursor } });
        await channel.next('pong', ({ type }) => type === 'pong');
        return saw(`the change after ${milliseconds} ms, at ${new URL(url).host}`);
      } finally {
        channel.close();
      }
    },
  },
  {
    assumption: 'a ticket works once',
    run: async (service) => {
      const url = await newTicket(service);
      requireStatus(await shakeHands(url), 101);
      const second = await shakeHands(url);
      requireStatus(second, 401, 403);
      return saw(`a second use: ${shown(second)}`);
    },
  },
  {
    assumption: 'a GET with the key of a handshake is no handshake',
    run: async (service) => {
      const headers = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      return reported(shown(await service.call('GET', '/sync', { headers })));
    },
  },
];

async function newTicket(service: Service): Promise<string> {
  const { url } = await service.sign({ method: 'SYNC' });
  demand(typeof url === 'string', 'a ticket without url');
  return url;
}

interface Channel {
  send(message: Message): void;
  /** Waits for a matching message. Throws when none arrives in time. */
  next(what: string, fits: (message: Message) => boolean): Promise<Message>;
  close(): void;
}

async function openChannel(url: string): Promise<Channel> {
  const open: OpenWebSocket | undefined = (await webSocket()) ?? globalWebSocket();
  demand(open !== undefined, 'no WebSocket here: use Node.js 22 or later, or install ws');
  const socket = open(url, {});
  const messages: Message[] = [];
  let ended: string | undefined;
  let look = () => {};
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (isRecord(message)) messages.push(message);
    look();
  });
  for (const type of ['error', 'close'] as const) {
    socket.addEventListener(type, ({ code }) => {
      ended ??= `the connection ended${code === undefined ? '' : ` with ${code}`}`;
      look();
    });
  }
  const next = (what: string, fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new Error(`no message "${what}": ${reason}; received ${JSON.stringify(messages)}`));
      const timer = setTimeout(() => fail(`${PATIENCE_MS / 1000} s passed`), PATIENCE_MS);
      look = () => {
        const found = messages.find(fits);
        if (found === undefined && ended === undefined) return;
        clearTimeout(timer);
        if (found === undefined) fail(String(ended));
        else resolve(found);
      };
      look();
    });
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    next,
    close: () => socket.close(),
  };
}
