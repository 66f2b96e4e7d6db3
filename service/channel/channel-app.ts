/**
 * The channel of one service, on any transport: a handshake has an HTTP response, every other
 * response is posted to the connection.
 */
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
import { type Handshake, type HandshakeDeps, openChannel } from '../../core/channel/handshake';
import { errorMessage } from '../../core/channel/messages';
import { ServiceError } from '../../core/errors';
import { knownError } from '../http/known-error';
import { errorResponse, type HttpResponse } from '../http/response';

export type ChannelAppDeps = Omit<ChannelDeps & HandshakeDeps, 'limiter'> & RateLimiterDeps;

export interface ChannelMessage {
  readonly connectionId: string;
  readonly requestId: string;
  readonly body: string;
}

export interface ChannelApp {
  /**
   * Opens a channel, and returns the response that refuses it, or undefined when it is open. AWS
   * calls: those of `openChannel`.
   */
  connect(handshake: Handshake & { readonly requestId: string }): Promise<HttpResponse | undefined>;
  /**
   * Performs what a message asks for. AWS calls: 1 UpdateItem (2 in a burst), 1 GetItem, those of
   * RateLimiter.takeToken and of its action.
   */
  receive(message: ChannelMessage): Promise<void>;
  /** Ends what the connection had. AWS calls: those of endConnection. */
  disconnect(connectionId: string): Promise<void>;
}

/** Messages of one connection: 20 a second, in bursts of up to 50. */
const RATE = { interval: 50, burst: 50 };

/** Refused messages after which the connection is closed. */
const MAX_REFUSALS = 100;

export function createChannelApp(given: ChannelAppDeps): ChannelApp {
  const deps = { ...given, limiter: new RateLimiter(given) };
  return {
    connect: async ({ requestId, ...handshake }) => {
      try {
        await openChannel(deps, handshake);
        return undefined;
      } catch (error) {
        const known = knownError(error);
        if (known.status >= 500) deps.log.error('handshake_failed', { requestId, error });
        return errorResponse(known, requestId);
      }
    },
    receive: (message) => receive(deps, message),
    disconnect: (connectionId) => endConnection(deps, connectionId),
  };
}

async function receive(
  deps: ChannelDeps,
  { connectionId, requestId, body }: ChannelMessage,
): Promise<void> {
  const admission = await deps.subscriptions.admitMessage(connectionId, deps.clock.now(), RATE);
  // Its rows are gone: it was closed, or the event of its end came first.
  if (!admission) return deps.channels.disconnect(connectionId);
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
