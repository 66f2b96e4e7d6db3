/** The routes of the WebSocket API. */
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type ChannelAppDeps, createChannelApp } from '../../service/channel/channel-app';
import { singleQuery } from '../../service/http/query';

export type ChannelFunctionDeps = ChannelAppDeps;

/** The fields of API Gateway's WebSocket events that are read. */
export interface ChannelEvent {
  readonly requestContext: {
    readonly connectionId: string;
    readonly requestId: string;
    readonly eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT';
  };
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueQueryStringParameters?: Readonly<Record<string, string[] | undefined>> | null;
  readonly body?: string | null;
}

/** AWS calls: those of ChannelApp. */
export function createChannel(deps: ChannelFunctionDeps) {
  const channel = createChannelApp(deps);
  return async (event: ChannelEvent): Promise<APIGatewayProxyResult> => {
    const { connectionId, requestId, eventType } = event.requestContext;
    if (eventType === 'DISCONNECT') await channel.disconnect(connectionId);
    if (eventType === 'MESSAGE') {
      await channel.receive({ connectionId, requestId, body: event.body ?? '' });
    }
    if (eventType !== 'CONNECT') return { statusCode: 200, body: '' };
    const header = (wanted: string) =>
      Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1];
    const refusal = await channel.connect({
      connectionId,
      requestId,
      authorization: header('authorization'),
      origin: header('origin'),
      query: singleQuery(event.multiValueQueryStringParameters ?? {}),
    });
    if (refusal === undefined) return { statusCode: 200, body: '' };
    const { status, headers, body } = refusal;
    return { statusCode: status, headers: { ...headers }, body: String(body) };
  };
}
