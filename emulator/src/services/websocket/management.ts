/**
 * The @connections endpoint, through which functions send messages to clients.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Iam } from '../../iam/iam';
import { Authenticator, SignatureError } from '../../iam/signature';
import { close, listen, readBody } from '../server';
import type { Connection } from './connection';
import { isId } from './event';
import { QUOTAS } from './limits';
import { sourceArn, type WebSocketModel } from './model';

export interface ManagementOptions {
  readonly model: WebSocketModel;
  readonly iam: Iam;
  readonly find: (connectionId: string) => Connection | undefined;
  /** False: the client's buffer is full. */
  readonly post: (connection: Connection, data: Buffer) => boolean;
}

class ManagementError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message = '',
  ) {
    super(message);
    this.name = 'ManagementError';
  }
}

interface Reply {
  readonly status: number;
  readonly code?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const METHODS = ['DELETE', 'GET', 'POST'];

/** Calls handled in one turn of the event loop. */
const CALLS_PER_TURN = 4;

export class Management {
  private readonly authenticator: Authenticator;
  private readonly prefix: string;
  private readonly server: Server;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: ManagementOptions) {
    const { iam, model } = options;
    this.authenticator = new Authenticator(iam, model.region, 'execute-api');
    this.prefix = `/${model.stage}/@connections/`;
    this.server = createServer((request, response) => void this.handle(request, response));
    // Longer than the idle time of clients, because closing first would race with their requests.
    this.server.keepAliveTimeout = 600_000;
  }

  /**
   * Resolves with the local URL of
   * `https://{api id}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  async listen(): Promise<string> {
    return `${await listen(this.server, 0, '@connections')}/${this.options.model.stage}`;
  }

  close(graceMs: number): Promise<void> {
    return close(this.server, graceMs);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, QUOTAS.messageBytes);
    if (body === 'aborted') return void response.destroy();
    await this.turn();
    const { status, code, body: content } = await this.reply(request, body);
    const text = content === undefined ? '' : JSON.stringify(content);
    // While the service stops, clients must not send another request on this connection.
    if (!this.server.listening) response.shouldKeepAlive = false;
    response.writeHead(status, {
      'x-amzn-RequestId': randomUUID(),
      ...(code !== undefined && { 'x-amzn-ErrorType': code }),
      ...(status !== 204 && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      }),
    });
    response.end(text);
  }

  /**
   * A function posts to many connections at once. The thread that handles these posts serves every
   * other call too, which would otherwise wait for all of them.
   */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.next());
    });
  }

  private next(): void {
    for (const begin of this.waiting.splice(0, CALLS_PER_TURN)) begin();
    if (this.waiting.length > 0) setImmediate(() => this.next());
  }

  private async reply(request: IncomingMessage, body: Buffer | 'too large'): Promise<Reply> {
    try {
      return await this.execute(request, body);
    } catch (error) {
      if (error instanceof SignatureError) {
        return { status: 403, code: error.code, body: { message: error.message } };
      }
      if (error instanceof ManagementError) {
        const { status, code, message } = error;
        return { status, code, ...(message && { body: { message } }) };
      }
      process.stderr.write(`websocket: ${error instanceof Error ? error.stack : String(error)}\n`);
      const message = 'Internal server error';
      return { status: 500, code: 'InternalServerErrorException', body: { message } };
    }
  }

  private async execute(request: IncomingMessage, body: Buffer | 'too large'): Promise<Reply> {
    const { method = '', url = '', headers } = request;
    const escapedId = url.startsWith(this.prefix) ? url.slice(this.prefix.length) : '';
    if (!METHODS.includes(method) || !/^[^/?]+$/.test(escapedId)) {
      throw new ManagementError(403, 'ForbiddenException', 'Forbidden');
    }
    if (body === 'too large') throw new ManagementError(413, 'PayloadTooLargeException');
    const principal = this.authenticator.authenticate({ method, path: url, headers, body });
    const id = decode(escapedId);
    const resource = sourceArn(this.options.model, `${method}/@connections/${id}`);
    const action = 'execute-api:ManageConnections';
    const denial = this.options.iam.denial(principal, { action, resource });
    if (denial !== undefined) throw new ManagementError(403, 'AccessDeniedException', denial);
    if (!isId(id)) {
      throw new ManagementError(400, 'BadRequestException', `Invalid connectionId: ${id}`);
    }
    const connection = this.options.find(id);
    if (connection === undefined) throw new ManagementError(410, 'GoneException');
    return this.perform(method, connection, body);
  }

  private perform(method: string, connection: Connection, body: Buffer): Reply {
    if (method === 'GET') return { status: 200, body: describe(connection) };
    if (method === 'DELETE') {
      connection.close({ code: 1000, reason: '' });
      return { status: 204 };
    }
    // Clients get text frames, which must be UTF-8 (RFC 6455, 8.1).
    if (!isUtf8(body)) throw new ManagementError(400, 'BadRequestException', 'Data is not UTF-8');
    if (this.options.post(connection, body)) return { status: 200 };
    throw new ManagementError(429, 'LimitExceededException', 'the buffer of the client is full');
  }
}

function describe({ peer, lastActiveAt }: Connection) {
  return {
    connectedAt: new Date(peer.connectedAt).toISOString(),
    identity: peer.identity,
    lastActiveAt: new Date(lastActiveAt).toISOString(),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ManagementError(400, 'BadRequestException', `Invalid connectionId: ${text}`);
  }
}
