import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiGatewayManagementApi } from '@aws-sdk/client-apigatewaymanagementapi';
import WebSocket from 'ws';
import type { Iam } from '../../src/iam/iam';
import { createStackIam } from '../../src/iam/stack-iam';
import { FunctionPermissions } from '../../src/services/lambda/function-permissions';
import { type Invoker, LambdaServiceError } from '../../src/services/lambda/invoker';
import {
  startWebSocketApi,
  type WebSocketApi,
  type WebSocketOptions,
} from '../../src/services/websocket/websocket-api';
import type { ResolvedStack } from '../../src/template/model';
import { afterTest } from '../support/clean-up';
import { type Resources, stackOf } from './stack';

export interface Event {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly requestContext: {
    readonly eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT';
    readonly connectionId: string;
    readonly routeKey: string;
    readonly disconnectStatusCode?: number;
    readonly disconnectReason?: string;
  };
}

/** The function of the stack, which runs in this process. An exception is a function error. */
export type Handler = (event: Event) => unknown;

export interface Client {
  readonly socket: WebSocket;
  readonly connectionId: string;
  /** The messages received so far. */
  readonly received: string[];
  /** Resolves with the code when the connection ends. */
  readonly closed: Promise<number>;
}

export interface Service {
  readonly api: WebSocketApi;
  readonly url: string;
  readonly port: number;
  readonly iam: Iam;
  readonly stack: ResolvedStack;
  readonly events: Event[];
  readonly log: string[];
  eventsOf(type: Event['requestContext']['eventType']): readonly Event[];
  /** Opens a connection. */
  connect(options?: WebSocket.ClientOptions): Promise<Client>;
  /** Returns the status and body of a refused handshake. */
  refused(
    path?: string,
    options?: WebSocket.ClientOptions,
  ): Promise<{ status: number; body: string }>;
  /** Returns a client with the credentials of a role of the stack, by default the developer's. */
  management(role?: string): ApiGatewayManagementApi;
}

export const PATH = '/apps/chat/live';
const OK = { statusCode: 200 };

export async function serve(
  handler: Handler = () => OK,
  options: Partial<WebSocketOptions> & { readonly resources?: Resources } = {},
): Promise<Service> {
  const { resources, ...rest } = options;
  const stack = stackOf(resources);
  const iam = createStackIam(stack, 'seed');
  const events: Event[] = [];
  const log: string[] = [];
  const invoker = invokerOf(stack, events, handler);
  const executionLog = (line: string) => log.push(line);
  const api = await startWebSocketApi({ stack, iam, invoker, executionLog, path: PATH, ...rest });
  if (api === undefined) throw new Error('the stack has no WebSocket API');
  afterTest(() => api.stop());
  const port = await listen(createServer().on('upgrade', api.upgrade));
  const url = `ws://127.0.0.1:${port}${PATH}`;
  return {
    api,
    url,
    port,
    iam,
    stack,
    events,
    log,
    eventsOf: (type) => events.filter(({ requestContext: { eventType } }) => eventType === type),
    connect: async (clientOptions) => {
      const client = new WebSocket(url, clientOptions);
      afterTest(() => client.terminate());
      const received: string[] = [];
      client.on('message', (data) => received.push(String(data)));
      const closed = new Promise<number>((resolve) => client.once('close', resolve));
      const before = new Set(events);
      await once(client, 'open');
      client.on('error', () => {});
      const connected = events.find(
        (event) => !before.has(event) && event.requestContext.eventType === 'CONNECT',
      );
      const connectionId = connected?.requestContext.connectionId ?? '';
      return { socket: client, connectionId, received, closed };
    },
    refused: (path = PATH, clientOptions) =>
      refusal(`ws://127.0.0.1:${port}${path}`, clientOptions),
    management: (role) => {
      const arn = role && stack.resources.get(role)?.arn;
      const client = new ApiGatewayManagementApi({
        endpoint: api.endpoint,
        region: stack.region,
        credentials: arn ? iam.credentialsForRole(arn) : iam.root,
        maxAttempts: 1,
      });
      afterTest(() => client.destroy());
      return client;
    },
  };
}

function invokerOf(stack: ResolvedStack, events: Event[], handler: Handler): Invoker {
  const permissions = new FunctionPermissions(stack);
  const unused = async () => {
    throw new Error('a WebSocket API invokes nothing else');
  };
  return {
    invoke: async (arn, payload, source) => {
      if (source === undefined || !permissions.allow([arn], source)) {
        throw new LambdaServiceError('AccessDeniedException', `not for ${source?.arn}`);
      }
      const event = JSON.parse(String(payload)) as Event;
      events.push(event);
      try {
        return { payload: JSON.stringify((await handler(event)) ?? null) };
      } catch (error) {
        const errorMessage = error instanceof Error ? error.message : String(error);
        return { payload: JSON.stringify({ errorMessage }), functionError: 'Unhandled' };
      }
    },
    invokeStream: unused,
    invokeAsync: unused,
  };
}

async function listen(server: Server): Promise<number> {
  afterTest(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function refusal(url: string, options?: WebSocket.ClientOptions) {
  const client = new WebSocket(url, options);
  client.on('error', () => {});
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    client.once('open', () => {
      client.terminate();
      reject(new Error('the handshake was accepted'));
    });
    client.once('unexpected-response', async (_, response) => {
      const chunks: Buffer[] = await response.toArray();
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    });
  });
}
