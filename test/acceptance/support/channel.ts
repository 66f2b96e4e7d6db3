/**
 * A WebSocket client of the change channel. Messages may arrive repeatedly and out of order, so
 * tests wait for one that fits.
 */
import { WebSocket } from 'ws';
import { isJson } from './responses';
import { apiKey, syncUrl } from './target';

/** The time limit of every wait on a channel. */
const PATIENCE_MILLISECONDS = 30_000;

export type Message = Readonly<Record<string, unknown>>;

export interface Channel {
  send(message: unknown): void;
  /** Sends a binary message. */
  sendBytes(bytes: Uint8Array): void;
  /** Waits for a message that fits, or returns one received earlier; returns each once. */
  next(what: string, fits: (message: Message) => boolean): Promise<Message>;
  /** Waits for the end of the connection. */
  readonly closed: Promise<number>;
  close(): void;
  /** The messages received so far. */
  readonly messages: readonly Message[];
}

export interface Refusal {
  readonly status: number;
  readonly body: string;
}

export interface Opening {
  readonly query?: Readonly<Record<string, string>>;
  /** The key with every permission when absent; `null`: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of SYNC_URL: a ticket's. */
  readonly url?: string;
}

function addressOf({ query = {}, url }: Opening): string {
  const address = new URL(url ?? syncUrl());
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

function socketOf(opening: Opening): WebSocket {
  const { key, headers = {}, url } = opening;
  const needsKey = key !== null && url === undefined;
  const authorization: Record<string, string> = needsKey
    ? { authorization: `Bearer ${key ?? apiKey()}` }
    : {};
  const options = { headers: { ...authorization, ...headers }, handshakeTimeout: 20_000 };
  return new WebSocket(addressOf(opening), options);
}

const open = new Set<WebSocket>();

/** Closes the channels that the tests of a file left open: call it in `afterAll`. */
export function closeChannels(): void {
  for (const socket of open) socket.terminate();
}

/** Opens a channel. Returns the refused handshake when it does not open. */
export function tryChannel(opening: Opening = {}): Promise<Channel | Refusal> {
  const socket = socketOf(opening);
  open.add(socket);
  const messages: Message[] = [];
  const taken = new Set<Message>();
  const waiting = new Set<() => void>();
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      open.delete(socket);
      resolve(code);
    });
  });
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data));
    if (!isJson(message)) return;
    messages.push(message);
    for (const look of waiting) look();
  });
  const next = (what: string, fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const look = () => {
        const found = messages.find((message) => !taken.has(message) && fits(message));
        if (found === undefined) return;
        taken.add(found);
        end();
        resolve(found);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`timed out waiting for ${what}; received: ${JSON.stringify(messages)}`));
      }, PATIENCE_MILLISECONDS);
      const end = () => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  const channel: Channel = {
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    sendBytes: (bytes) => socket.send(bytes),
    next,
    closed,
    close: () => socket.close(),
    messages,
  };
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(channel));
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    socket.on('error', reject);
  });
}

/** Opens a channel, which must succeed. */
export async function openChannel(opening: Opening = {}): Promise<Channel> {
  const channel = await tryChannel(opening);
  if ('status' in channel) throw new Error(`refused: ${channel.status} ${channel.body}`);
  return channel;
}

export const ofType = (type: string) => (message: Message) => message.type === type;

/**
 * Waits until messages cover the numbers from `position` to `end` without a gap; answers their
 * changes, by the client's rule.
 */
export async function followTo(channel: Channel, position: number, end: number) {
  const changes: { cursor: number; type: string; object: Record<string, unknown> }[] = [];
  let at = position;
  while (at < end) {
    const message = await channel.next(
      `changes from ${at} on`,
      (each) => each.type === 'changes' && Number(each.from) <= at && Number(each.to) > at,
    );
    for (const change of message.changes as typeof changes) {
      if (change.cursor > at) changes.push(change);
    }
    at = Number(message.to);
  }
  return changes;
}
