/** Serves the model server on a port of its own: channel, pages, lists and tickets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  DESCRIPTOR,
  type Incarnation,
  type LogEntry,
  type ModelConnection,
  ModelServer,
  visible,
} from './model-server';

export const KEY = 'osk_key';

export interface Opened {
  readonly socket: WebSocket;
  readonly url: string;
  /** The messages of the client. */
  readonly sent: Readonly<Record<string, unknown>>[];
}

export interface ModelService {
  readonly model: ModelServer;
  readonly baseUrl: string;
  readonly connections: Opened[];
  /** Method and path with query of each request without an upgrade. */
  readonly requests: string[];
  /** The status with which the next handshakes are refused. */
  refuseUpgrades: number | undefined;
  /** The status with which the next plain requests are refused. */
  refuseRequests: number | undefined;
  /** While it is set, messages of the client are ignored. */
  isDeaf: boolean;
  stop(): Promise<void>;
}

export async function startModelService(): Promise<ModelService> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const service: ModelService = {
    model: new ModelServer(),
    baseUrl: `http://127.0.0.1:${address.port}`,
    connections: [],
    requests: [],
    refuseUpgrades: undefined,
    refuseRequests: undefined,
    isDeaf: false,
    stop: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => respond(service, request, response));
  server.on('upgrade', (request, socket, head) => {
    const isKnown =
      request.headers.authorization === `Bearer ${KEY}` || request.url?.includes('ticket=');
    const status = service.refuseUpgrades ?? (isKnown ? undefined : 401);
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => serve(service, client, request));
  });
  return service;
}

function serve(service: ModelService, socket: WebSocket, request: IncomingMessage): void {
  const opened: Opened = { socket, url: request.url ?? '', sent: [] };
  const connection: ModelConnection = {
    subscriptions: new Map(),
    post: (message) => socket.send(JSON.stringify(message)),
  };
  service.connections.push(opened);
  service.model.connections.add(connection);
  socket.on('close', () => service.model.connections.delete(connection));
  socket.on('message', (data) => {
    opened.sent.push(JSON.parse(String(data)));
    if (!service.isDeaf) service.model.receive(connection, String(data));
  });
}

function respond(service: ModelService, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', service.baseUrl);
  service.requests.push(`${request.method} ${url.pathname}${url.search}`);
  const send = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const refuse = (status: number, code: string, details?: object) =>
    send(status, { error: { code, message: `refused: ${code}`, request_id: 'r-1', details } });
  if (service.refuseRequests !== undefined) {
    refuse(service.refuseRequests, 'unavailable');
  } else if (request.headers.authorization !== `Bearer ${KEY}`) {
    refuse(401, 'unauthorized');
  } else if (url.pathname === '/api/v2/storage/signed-url') {
    send(201, { url: `${service.baseUrl.replace('http', 'ws')}/api/v2/storage/sync?ticket=1` });
  } else if (url.pathname.startsWith('/api/v2/storage/objects/')) {
    send(200, listPage(service.model.incarnation(url.pathname.split('/').at(-1) ?? ''), url));
  } else if (!service.model.incarnations.has(url.searchParams.get('bucket') ?? '')) {
    refuse(404, 'not_found');
  } else {
    page(service.model, url, send, refuse);
  }
}

function page(
  model: ModelServer,
  { searchParams: query }: URL,
  send: (status: number, body: object) => void,
  refuse: (status: number, code: string, details?: object) => void,
): void {
  const incarnation = model.incarnation(query.get('bucket') ?? '');
  const head = incarnation.log.length;
  const from = Number(query.get('cursor') ?? head);
  const details = { oldest: incarnation.oldest, head };
  const id = query.get('bucket_id');
  if (id !== null && id !== incarnation.id) {
    refuse(410, 'cursor_expired', { ...details, reason: 'bucket_replaced' });
  } else if (from + 1 < incarnation.oldest) {
    refuse(410, 'cursor_expired', details);
  } else {
    const to = Math.min(head, from + 3);
    const { bucket, id: bucket_id } = incarnation;
    const changes = visible(incarnation, from, to, query.get('prefix') ?? '').map(
      ({ cursor, type, key }) => ({ cursor, type, object: { ...DESCRIPTOR, bucket, key, cursor } }),
    );
    send(200, { bucket, bucket_id, from, to, head, has_more: to < head, changes });
  }
}

/** Returns a page of two objects. The token contains the cursor, as the service's does. */
function listPage(incarnation: Incarnation, { searchParams: query }: URL): object {
  const [after = '', fixed] = (query.get('page_token') ?? '').split('@');
  const latest = new Map<string, LogEntry>();
  for (const entry of incarnation.log) if (entry.type !== 'noop') latest.set(entry.key, entry);
  const live = [...latest.values()]
    .filter(({ type, key }) => type === 'put' && key.startsWith(query.get('prefix') ?? ''))
    .filter(({ key }) => key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const cursor = fixed === undefined ? incarnation.log.length : Number(fixed);
  const shown = live.slice(0, 2);
  return {
    objects: shown.map(({ key, cursor: at }) => ({ bucket: incarnation.bucket, key, cursor: at })),
    prefixes: [],
    cursor,
    bucket_id: incarnation.id,
    ...(live.length > 2 && { next_page_token: `${shown[1]?.key}@${cursor}` }),
  };
}
