/**
 * A proxy in front of the deployed APIs, as CloudFront is in AWS: one origin, no stage in the path;
 * requests go to the REST API, upgrades to the WebSocket API. It works around three differences of
 * MiniStack's gateway (ministack.md), so that the acceptance suite can test what lies behind them:
 * it encodes the path once more, because `event.path` arrives decoded; it adds `Accept` for any
 * type where there is none, because base64 responses are decoded only then; and it adds the default
 * Content-Type to a body without one, which MiniStack would read as text. It changes no response.
 */
import { readFileSync } from 'node:fs';
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  STATUS_CODES,
} from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { MiniStack } from './ministack';

/** Paths of the deployed stages below MiniStack's endpoint. */
export interface Stages {
  readonly rest: string;
  readonly sync: string;
}

export interface Edge {
  /** Origin without a final slash. */
  readonly url: string;
  stop(): void;
}

export async function startEdge(ministack: MiniStack, stages: Stages): Promise<Edge> {
  const ca = readFileSync(ministack.certificate);
  const agent = new Agent({ ca, keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const target = `${ministack.endpoint}${stages.rest}`;
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(
      target,
      {
        method,
        agent,
        path: new URL(target).pathname + encodedPath(url),
        headers: completed(headers),
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        pipeline(response, outgoing, () => undefined);
      },
    );
    forwarded.on('error', (error) => {
      console.error(`edge: ${method} ${url}: ${error.message}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    pipeline(incoming, forwarded, () => undefined);
  });
  const channels = new Set<Duplex>();
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    channels.add(socket.on('close', () => channels.delete(socket)));
    const { search } = new URL(incoming.url ?? '/', ministack.endpoint);
    const { host: _, ...headers } = incoming.headers;
    upgrade(
      request(ministack.endpoint + stages.sync + search, { ca, agent: false, headers }),
      socket,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
      for (const channel of channels) channel.destroy();
      agent.destroy();
    },
  };
}

/** Joins the client's socket with the socket of the upgrade, or forwards the refusal. */
function upgrade(asked: ClientRequest, socket: Duplex): void {
  asked.on('upgrade', (response, behind, head) => {
    socket.write(headOf(response));
    socket.write(head);
    pipeline(socket, behind, socket, () => undefined);
  });
  asked.on('response', (response) => {
    socket.write(headOf(response));
    pipeline(response, socket, () => undefined);
  });
  asked.on('error', () => socket.destroy());
  socket.on('error', () => asked.destroy());
  asked.end();
}

function headOf({ statusCode = 502, rawHeaders }: IncomingMessage): string {
  const pairs = rawHeaders.flatMap((name, i) => (i % 2 ? [] : [`${name}: ${rawHeaders[i + 1]}`]));
  return [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`, ...pairs, '', ''].join('\r\n');
}

/** The path with each `%` encoded; the query as it is. */
function encodedPath(url: string): string {
  const [path = '/', ...query] = url.split('?');
  return [path.replaceAll('%', '%25'), ...query].join('?');
}

function completed(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { host: _, ...rest } = headers;
  const hasBody = rest['content-length'] !== undefined || rest['transfer-encoding'] !== undefined;
  return {
    accept: '*/*',
    ...(hasBody && { 'content-type': 'application/octet-stream' }),
    ...rest,
  };
}
