/**
 * Stands before the deployed REST API, as CloudFront does in AWS: one origin, no stage in the path. On its way it makes
 * up for three gaps of MiniStack's gateway (ministack.md), so that the acceptance suite can look behind them:
 * the path is encoded once more, because `event.path` arrives decoded; a missing Accept becomes any type, because
 * base64 answers are decoded only then; and a body without Content-Type gets the default one, because it would be read
 * as text. Nothing of an answer is changed.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { MiniStack } from './ministack';

export interface Edge {
  /** Origin without a final slash. */
  readonly url: string;
  stop(): void;
}

/** `stage` is the path of the deployed stage below MiniStack's endpoint. */
export async function startEdge(ministack: MiniStack, stage: string): Promise<Edge> {
  const agent = new Agent({ ca: readFileSync(ministack.certificate), keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const target = `${ministack.endpoint}${stage}`;
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(
      target,
      {
        method,
        agent,
        path: new URL(target).pathname + encodedPath(url),
        headers: completed(headers),
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, outgoing, () => undefined);
      },
    );
    forwarded.on('error', (error) => {
      console.error(`edge: ${method} ${url}: ${error.message}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    pipeline(incoming, forwarded, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
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
