/**
 * The routes of the WebSocket API. Responses to messages are posted to the connection; only the
 * handshake has an HTTP response.
 */
import type { APIGatewayProxyResult } from 'aws-lambda';
import { claimOf } from '../../core/access/key-claim';
import { RateLimiter, type RateLimiterDeps } from '../../core/access/rate-limiter';
import { usableKey } from '../../core/channel/access';
import { type ChannelAction, messageId, parseAction } from '../../core/channel/actions';
import {
  type ChannelDeps,
  ping,
  type Sender,
  subscribe,
  unsubscribe,
} from '../../core/channel/channel';
import { closeChannel, closeUnauthorized, postWithRetries } from '../../core/channel/closing';
import { endConnection } from '../../core/channel/connection-slots';
import { type HandshakeDeps, openChannel } from '../../core/channel/handshake';
import { errorMessage } from '../../core/channel/messages';
import { ServiceError } from '../../core/errors';
import { knownError } from '../../service/http/known-error';
import { singleQuery } from '../../service/http/query';
import { errorResponse } from '../../service/http/response';

export type ChannelFunctionDeps = Omit<ChannelDeps & HandshakeDeps, 'limiter'> & RateLimiterDeps;

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

/** Messages of one connection: 20 a second, in bursts of up to 50. */
const RATE = { interval: 50, burst: 50 };

/** Refused messages after which the connection is closed. */
const MAX_REFUSALS = 100;

/**
 * AWS calls: those of `openChannel` for a handshake; for a message 1 UpdateItem (2 in a burst), 1
 * GetItem, those of RateLimiter.takeToken and of its action; for the end of a connection those of
 * endConnection.
 */
export function createChannel(given: ChannelFunctionDeps) {
  const deps = { ...given, limiter: new RateLimiter(given) };
  return async (event: ChannelEvent): Promise<APIGatewayProxyResult> => {
    const { connectionId, eventType } = event.requestContext;
    if (eventType === 'CONNECT') return connect(deps, event);
    if (eventType === 'DISCONNECT') await endConnection(deps, connectionId);
    else await receive(deps, event);
    return { statusCode: 200, body: '' };
  };
}

async function connect(
  deps: ChannelDeps & HandshakeDeps,
  event: ChannelEvent,
): Promise<APIGatewayProxyResult> {
  const { connectionId, requestId } = event.requestContext;
  const header = (wanted: string) =>
    Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1];
  try {
    await openChannel(deps, {
      connectionId,
      authorization: header('authorization'),
      origin: header('origin'),
      query: singleQuery(event.multiValueQueryStringParameters ?? {}),
    });
    return { statusCode: 200, body: '' };
  } catch (error) {
    const known = knownError(error);
    if (known.status >= 500) deps.log.error('handshake_failed', { requestId, error });
    const { status, headers, body } = errorResponse(known, requestId);
    return { statusCode: status, headers: { ...headers }, body: String(body) };
  }
}

async function receive(deps: ChannelDeps, event: ChannelEvent): Promise<void> {
  const { connectionId, requestId } = event.requestContext;
  const admission = await deps.subscriptions.admitMessage(connectionId, deps.clock.now(), RATE);
  // Its rows are gone: it was closed, or the event of its end came first.
  if (!admission) return deps.channels.disconnect(connectionId);
  const body = event.body ?? '';
  const id = messageId(body);
  if (admission.wait !== undefined) return slowDown(deps, connectionId, { ...admission, id });
  const { connection } = admission;
  try {
    const key = await usableKey(deps, connection);
    if (!key) return await closeUnauthorized(deps, connectionId);
    const claim = claimOf(key, connection.generation ?? 0, deps.clock.now());
    await deps.limiter.takeToken(claim, 'read');
    await perform(deps, { connection, key, messageId: id }, parseAction(body));
  } catch (error) {
    const known = knownError(error);
    if (known.status >= 500) deps.log.error('message_failed', { requestId, connectionId, error });
    await postWithRetries(deps, connectionId, errorMessage(known, { id }));
  }
}

function perform(deps: ChannelDeps, sender: Sender, action: ChannelAction): Promise<void> {
  switch (action.action) {
    case 'subscribe':
      return subscribe(deps, sender, action);
    case 'unsubscribe':
      return unsubscribe(deps, sender, action.bucket, action.consumed);
    case 'ping':
      return ping(deps, sender, action);
  }
}

async function slowDown(
  deps: ChannelDeps,
  connectionId: string,
  {
    wait,
    refusals,
    id,
  }: { readonly wait: number; readonly refusals: number; readonly id?: string },
): Promise<void> {
  if (refusals > MAX_REFUSALS) {
    return closeChannel(deps, connectionId, 4429, 'far too many messages; send them more slowly');
  }
  const details = { retry_after: wait };
  const message = `at most ${1000 / RATE.interval} messages a second`;
  const error = new ServiceError('rate_limited', { message, details });
  await postWithRetries(deps, connectionId, errorMessage(error, { id }));
}
