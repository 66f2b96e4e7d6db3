import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** One response of the script; `reset` breaks the connection, `silence` sends nothing. */
export type ScriptedResponse =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | 'reset'
  | 'silence';

export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedServer {
  readonly endpoint: string;
  readonly received: readonly Received[];
  stop(): Promise<void>;
}

/**
 * Simulates an AWS service that fails in ways that no engine can be made to fail. Responds to each
 * request with the next entry of the script, and to all further ones with its last entry.
 */
export async function startScriptedServer(
  script: readonly ScriptedResponse[],
): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const next = script[Math.min(received.length, script.length - 1)];
      received.push({ method, path: url, headers, body });
      send(next, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    received,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(next: ScriptedResponse | undefined, response: ServerResponse): void {
  if (next === undefined || next === 'reset') {
    response.socket?.destroy();
  } else if (next !== 'silence') {
    const { status, headers, body } = next;
    response.writeHead(status, headers);
    response.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  }
}

/** An error response of DynamoDB. */
export function dynamoError(name: string, fields: object = {}, status = 400): ScriptedResponse {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...fields };
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}

/** A transaction that was cancelled for these reasons, in the order of its writes. */
export function cancelled(...reasons: readonly (string | object)[]): ScriptedResponse {
  const CancellationReasons = reasons.map((reason) =>
    typeof reason === 'string' ? { Code: reason, Message: reason } : reason,
  );
  return dynamoError('TransactionCanceledException', { CancellationReasons });
}

export function dynamoResponse(body: object = {}): ScriptedResponse {
  return { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}
