/**
 * Verifies the access tokens of administrators: signed by the issuer, for this service's client,
 * with the claim that makes a person an administrator.
 */
import { JwtVerifier } from 'aws-jwt-verify';
import { FetchError, JwksValidationError, JwkValidationError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { Administrator, Verify } from '../../core/access/administrators';
import { ServiceError, unavailable } from '../../core/errors';
import type { Clock, Log } from '../../core/system';
import { fetchKeySet } from './key-set';

export interface IssuerSettings {
  /** The issuer, as in the claim `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** Address of its public keys. Absent: `{issuer}/.well-known/jwks.json`, as of Cognito. */
  readonly jwksUri?: string;
  /**
   * Required claim `aud`. Absent: the token itself must state that it is an access token (claim
   * `token_use`, or header `typ` of RFC 9068).
   */
  readonly audience?: string;
  /** The claim that makes a person an administrator, and its value. */
  readonly claim: string;
  readonly value: string;
}

/** A key that the issuer has withdrawn is trusted at most this much longer. */
const KEY_SET_MILLISECONDS = 3_600_000;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Fetches the issuer's keys with the first token, and again for an unknown key id, at most every
 * 10 s.
 */
export function createVerify(
  settings: IssuerSettings,
  deps: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Verify {
  let verifier = createVerifier(settings);
  let createdAt = deps.clock.now();
  return async (token) => {
    if (token === undefined) throw unauthorized();
    const now = deps.clock.now();
    if (now - createdAt > KEY_SET_MILLISECONDS) {
      verifier = createVerifier(settings);
      createdAt = now;
    }
    const claims = await verifier.verify(token).catch((error: unknown) => {
      if (isOfKeySet(error)) throw unavailable(error);
      const reason = error instanceof Error ? error.name : 'unknown';
      deps.log.info('token_refused', { reason });
      throw unauthorized();
    });
    if (!mayAdminister(claims, settings)) throw forbidden(settings);
    return administratorOf(claims);
  };
}

/** The library supports only algorithms with public keys: neither `none` nor HMAC. */
function createVerifier(settings: IssuerSettings) {
  const { issuer, audience, clientId } = settings;
  const jwksUri = settings.jwksUri ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  return JwtVerifier.create(
    {
      issuer,
      jwksUri,
      audience: audience ?? null,
      customJwtCheck: ({ header, payload }) => {
        const claims: Claims = payload;
        // RFC 7515 §4.1.11: a token with an extension that is not understood must be refused. This
        // function understands none.
        if (Object.hasOwn(header, 'crit')) throw new Refused('critical header');
        const client = claims.client_id ?? claims.azp ?? claims.cid;
        if (client !== clientId) throw new Refused('client');
        if (audience === undefined && !saysAccessToken(header.typ, claims)) {
          throw new Refused('token kind');
        }
        if (typeof claims.exp !== 'number') throw new Refused('no expiry');
        if (typeof claims.sub !== 'string' || claims.sub === '') throw new Refused('no subject');
      },
    },
    { jwksCache: new SimpleJwksCache({ fetcher: { fetch: fetchKeySet } }) },
  );
}

/** A token with a valid signature that is refused; its name is logged. */
class Refused extends Error {
  constructor(what: string) {
    super(what);
    this.name = `Refused: ${what}`;
  }
}

/** Cognito marks access tokens by `token_use`, others by `typ` (RFC 9068 §2.1). */
function saysAccessToken(type: unknown, { token_use: use }: Claims): boolean {
  if (use !== undefined) return use === 'access';
  return typeof type === 'string' && /^(application\/)?at\+jwt$/i.test(type);
}

/** Reports whether the keys could not be read: the token itself may be valid. */
function isOfKeySet(error: unknown): boolean {
  return [FetchError, JwksValidationError, JwkValidationError].some(
    (kind) => error instanceof kind,
  );
}

function mayAdminister(claims: Claims, { claim, value }: IssuerSettings): boolean {
  const held = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return Array.isArray(held) ? held.includes(value) : held === value;
}

/** Claims in which issuers name a person, the best first. */
const NAMES = ['username', 'preferred_username', 'email', 'name', 'sub'];

function administratorOf(claims: Claims): Administrator {
  const names = NAMES.map((claim) => claims[claim]);
  const name = names.find((held) => typeof held === 'string' && held !== '');
  return {
    id: String(claims.sub),
    name: String(name).slice(0, 256),
    until: Number(claims.exp) * 1000,
  };
}

/** Has the same message for every reason, so that it reveals none. */
export function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', {
    message: 'sign in, and send the access token as Authorization: Bearer <token>',
  });
}

function forbidden({ claim, value }: IssuerSettings): ServiceError {
  return new ServiceError('forbidden', {
    message: `this account is not an administrator: its claim ${claim} lacks "${value}"`,
  });
}
