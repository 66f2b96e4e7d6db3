/** A channel at the level of WebSocket messages, without the TypeScript client. */
import { WebSocket } from 'ws';
import { until } from '../../support/until';

export interface Message {
  readonly type: string;
  readonly bucket?: string;
  readonly code?: number;
  readonly error?: { readonly code: string };
  readonly changes?: readonly { readonly cursor: number }[];
}

export type WireChannel = Awaited<ReturnType<typeof openWireChannel>>;

/**
 * Opens a channel with an API key; returns when it is open or its handshake was refused. `polite`:
 * closes the connection with the code of a `goodbye`, as a client should.
 */
export async function openWireChannel(
  baseUrl: string,
  key: string,
  { query = '', polite = false } = {},
) {
  const url = `${baseUrl.replace('http', 'ws')}/api/v2/storage/sync${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const messages: Message[] = [];
  let closedAt: number | undefined;
  let refused: number | undefined;
  let isOpen = false;
  socket.on('open', () => {
    isOpen = true;
  });
  socket.on('unexpected-response', (request, { statusCode }) => {
    refused = statusCode;
    request.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closedAt = Date.now();
  });
  socket.on('message', (text) => {
    const message: Message = JSON.parse(String(text));
    messages.push(message);
    if (polite && message.type === 'goodbye') socket.close(message.code);
  });
  await until('the channel opens or is refused', () => isOpen || refused !== undefined);
  return {
    messages,
    /** The HTTP status of a refused handshake. */
    get refused() {
      return refused;
    },
    get closedAt() {
      return closedAt;
    },
    of: (type: string) => messages.filter((message) => message.type === type),
    send: (message: unknown) => socket.send(JSON.stringify(message)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => socket.terminate(),
  };
}
