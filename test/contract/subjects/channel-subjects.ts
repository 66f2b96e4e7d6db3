/** What the Channels contract runs on: the fake, and the adapter on the local WebSocket API. */

import { GatewayChannels } from '../../../adapters/websocket/channels';
import type { Channels } from '../../../core/channel/ports';
import { serve } from '../../../emulator/test/websocket/service';
import { createConnectionsClient } from '../../../lambdas/runtime/aws-clients';
import { createFakes } from '../../support/fakes/fakes';

export interface ChannelClient {
  readonly connectionId: string;
  /** Messages so far. */
  readonly received: readonly string[];
  /** Resolves when the connection ends. */
  readonly closed: Promise<unknown>;
  /** Goes away; resolves when the gateway knows. */
  leave(): Promise<void>;
  /** Stops or resumes reading. */
  read(reads: boolean): void;
}

export interface ChannelsSubject {
  readonly channels: Channels;
  connect(): Promise<ChannelClient>;
  /** What `use` returns while the connection is not open yet, as in $connect. */
  whileConnecting<T>(use: (connectionId: string) => Promise<T>): Promise<T>;
  close(): void;
}

export type OpenChannels = () => Promise<ChannelsSubject>;

/** [name, open] of each. */
export const channelSubjects: readonly (readonly [string, OpenChannels])[] = [
  ['fake', openFake],
  ['adapter on the local WebSocket API', openLocal],
];

async function openFake(): Promise<ChannelsSubject> {
  const { channels, gateway } = createFakes();
  let connections = 0;
  const nextId = () => {
    connections += 1;
    return `${String(connections).padStart(15, '0')}=`;
  };
  return {
    channels,
    connect: async () => {
      const connectionId = nextId();
      const received: string[] = [];
      const closed = new Promise<void>((resolve) => {
        gateway.open(connectionId, (message) => received.push(message), resolve);
      });
      return {
        connectionId,
        received,
        closed,
        leave: async () => gateway.close(connectionId),
        read: (reads) => gateway.setBusy(connectionId, !reads),
      };
    },
    whileConnecting: (use) => use(nextId()),
    close: () => {},
  };
}

async function openLocal(): Promise<ChannelsSubject> {
  let onConnect = async (_connectionId: string): Promise<unknown> => undefined;
  const service = await serve(async ({ requestContext: { eventType, connectionId } }) => {
    if (eventType === 'CONNECT') await onConnect(connectionId);
    return { statusCode: 200 };
  });
  // The client is the functions' own, which finds its gateway in the environment.
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: service.api.endpoint,
    AWS_REGION: service.stack.region,
    AWS_ACCESS_KEY_ID: service.iam.root.accessKeyId,
    AWS_SECRET_ACCESS_KEY: service.iam.root.secretAccessKey,
  });
  const client = createConnectionsClient('https://api.execute-api.us-east-1.amazonaws.com/sync');
  const channels = new GatewayChannels(client);
  return {
    channels,
    connect: async () => {
      const { socket, connectionId, received, closed } = await service.connect();
      return {
        connectionId,
        received,
        closed,
        leave: async () => {
          socket.close();
          await closed;
        },
        read: (reads) => (reads ? socket.resume() : socket.pause()),
      };
    },
    whileConnecting: async <T>(use: (connectionId: string) => Promise<T>) => {
      const response = new Promise<T>((resolve, reject) => {
        onConnect = (connectionId) => use(connectionId).then(resolve, reject);
      });
      await service.connect();
      return response;
    },
    close: () => {},
  };
}
