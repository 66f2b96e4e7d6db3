/** Opens a channel: authorizes the handshake before the upgrade. */
import { authenticate, bearerToken, MISTYPED_KEY } from '../access/authentication';
import { claimOf } from '../access/key-claim';
import { forbidden } from '../access/permissions';
import type { ApiKeyRecord, Restriction } from '../access/ports';
import type { RateLimiter } from '../access/rate-limiter';
import { restricted, TemporaryKeySecret } from '../access/temporary-keys';
import { ServiceError } from '../errors';
import { type RateTiers, ratesOf } from '../limits';
import type { ServiceState } from '../service-state';
import type { Clock, Log } from '../system';
import { type AccessDeps, mayConnectionFollow, usableKey } from './access';
import { parseConsumer, parseSubscribeQuery, type SubscribeRequest } from './actions';
import { type ConnectionSlotsDeps, takeConnectionSlot, undoConnection } from './connection-slots';
import type { Connection, DeferredTasks, Subscriptions } from './ports';
import { ticketId } from './tickets';

export interface HandshakeDeps extends AccessDeps, ConnectionSlotsDeps {
  readonly subscriptions: Pick<Subscriptions, 'open' | 'close' | 'ticket' | 'redeemTicket'>;
  readonly deferredTasks: DeferredTasks;
  readonly limiter: Pick<RateLimiter, 'takeToken'>;
  readonly rateTiers: RateTiers;
  /** Holds the secret of temporary keys. */
  readonly serviceState: Pick<ServiceState, 'load' | 'once'>;
  /** Origins of web pages that may open a channel; `*` = any. */
  readonly allowedOrigins: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

export interface Handshake {
  readonly connectionId: string;
  readonly authorization?: string;
  readonly origin?: string;
  /** Returns a decoded parameter; throws invalid_request when it is repeated. */
  readonly query: (name: string) => string | undefined;
}

/**
 * Opens the connection. A subscription in the request becomes a deferred task, because nothing can
 * be posted before the upgrade. A ticket is used up last, so that a refusal leaves it valid. Throws
 * unauthorized, rate_limited, forbidden, invalid_request. AWS calls: 2 GetItem, 2 PutItem, and
 * those of RateLimiter.takeToken and takeConnectionSlot; 1 GetItem and 1 DeleteItem more with a
 * ticket; 1 SendMessage more with a subscription.
 */
export async function openChannel(deps: HandshakeDeps, handshake: Handshake): Promise<void> {
  requireOrigin(deps, handshake.origin);
  const wanted = subscriptionIn(handshake.query);
  const { key, generation, restriction, scope, redeem } = await credentialsOf(deps, handshake);
  await deps.limiter.takeToken(claimOf(key, generation, deps.clock.now()), 'connect');
  const connection = {
    id: handshake.connectionId,
    keyId: key.id,
    generation,
    ...(restriction && { restriction }),
    connectedAt: deps.clock.now(),
    ...(scope && { scope }),
  };
  if (wanted && !mayConnectionFollow(key, connection, wanted)) {
    const { bucket, prefix } = wanted;
    throw forbidden('sync', { bucket, prefix });
  }
  const limit = ratesOf(deps.rateTiers, key.tier).connect.concurrent;
  await takeConnectionSlot(deps, connection, limit);
  try {
    await redeem?.();
    await deps.subscriptions.open(connection);
    // A revocation that was processed before the connection was stored did not see the connection.
    if (!(await usableKey(deps, connection))) throw unauthorized();
    if (wanted)
      await deps.deferredTasks.add({ begin: { connectionId: connection.id, ...wanted } }, 0);
  } catch (error) {
    await undoConnection(deps, connection);
    throw error;
  }
}

/** Returns the subscription in the query, if there is one. Throws invalid_request. */
function subscriptionIn(query: Handshake['query']): SubscribeRequest | undefined {
  const isAsked = ['bucket', 'cursor', 'prefix', 'bucket_id', 'consumer'].some(
    (name) => query(name) !== undefined,
  );
  return isAsked
    ? { ...parseSubscribeQuery(query), ...parseConsumer(query('consumer')) }
    : undefined;
}

/**
 * Throws forbidden for an origin that is not allowed. A browser sends the origin of the page that
 * opens a socket (RFC 6455 §10.2); other clients send none.
 */
function requireOrigin(deps: Pick<HandshakeDeps, 'allowedOrigins'>, origin?: string): void {
  if (origin === undefined || deps.allowedOrigins.includes('*')) return;
  if (deps.allowedOrigins.includes(origin)) return;
  throw new ServiceError('forbidden', {
    message: 'origin not allowed; add it to allowedOrigins of the deployment',
    details: { origin: origin.slice(0, 200) },
  });
}

interface Credentials {
  readonly key: ApiKeyRecord;
  readonly generation: number;
  readonly restriction?: Restriction;
  readonly scope?: Connection['scope'];
  /** Uses the ticket up. Throws unauthorized when another handshake has used it. */
  readonly redeem?: () => Promise<void>;
}

async function credentialsOf(deps: HandshakeDeps, handshake: Handshake): Promise<Credentials> {
  const ticket = handshake.query('ticket');
  const { authorization } = handshake;
  if (authorization !== undefined) {
    const token = bearerToken(authorization);
    const secret = secretOf(deps);
    const found = await authenticate(deps.apiKeys, token, deps.clock.now(), secret);
    if (found.key) return { ...found, key: restricted(found.key, found.restriction) };
    if ('id' in found) deps.log.info('key_refused', { keyId: found.id });
    if (found.isMistyped) throw unauthorized(MISTYPED_KEY);
  } else if (ticket !== undefined) {
    const id = ticketId(ticket);
    const found = id && (await deps.subscriptions.ticket(id, deps.clock.now()));
    const key = found && (await usableKey(deps, found));
    if (id === undefined || !key) throw unauthorized(NO_TICKET);
    const { generation = 0, restriction, bucket, prefix } = found;
    const redeem = async () => {
      if (!(await deps.subscriptions.redeemTicket(id))) throw unauthorized(NO_TICKET);
    };
    return { key, generation, restriction, scope: { bucket, prefix }, redeem };
  }
  throw unauthorized();
}

const secrets = new WeakMap<HandshakeDeps['serviceState'], TemporaryKeySecret>();

function secretOf({ serviceState, clock }: HandshakeDeps): TemporaryKeySecret {
  const known = secrets.get(serviceState) ?? new TemporaryKeySecret(serviceState, clock);
  secrets.set(serviceState, known);
  return known;
}

const NO_TICKET = 'the ticket is unknown, was used or has expired; make another one';

function unauthorized(message?: string): ServiceError {
  return new ServiceError('unauthorized', { message });
}
