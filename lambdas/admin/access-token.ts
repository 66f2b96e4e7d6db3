/**
 * Who may administer: the holder of an access token that the issuer signed for this service's
 * client and group.
 */
import { JwtVerifier } from 'aws-jwt-verify';
import { FetchError, JwksValidationError, JwkValidationError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import type { Actor } from '../../core/access/keys';
import { ServiceError, unavailable } from '../../core/errors';
import type { Clock, Log } from '../../core/system';
import { fetchKeySet } from './key-set';

export interface IssuerSettings {
  /** As in the `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /**
   * Where its public keys are; absent: `{issuer}/.well-known/jwks.json`, where Cognito has them.
   */
  readonly jwksUri?: string;
  /**
   * `aud` of its access tokens. Absent: the token itself must say that it is one (`token_use`, or
   * `typ` of RFC 9068).
   */
  readonly audience?: string;
  /** The claim, and the value that it holds for those who may administer. */
  readonly claim: string;
  readonly value: string;
}

export interface Administrator extends Actor {
  /** When the token expires; epoch milliseconds. */
  readonly until: number;
}

/** Throws unauthorized, forbidden, and unavailable when the issuer's keys cannot be fetched. */
export type Verify = (token: string | undefined) => Promise<Administrator>;

/** A key that the issuer has withdrawn is trusted at most that much longer. */
const KEY_SET_MILLISECONDS = 3_600_000;

type Claims = Readonly<Record<string, unknown>>;

/**
 * The issuer's keys are fetched with the first token, and again for a key id that is not among
 * them, at most every 10 s.
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

/** Algorithms are those with public keys; `none` and HMAC are no part of the library. */
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

/** Why a token that is signed well is no good. */
class Refused extends Error {
  constructor(what: string) {
    super(what);
    this.name = `Refused: ${what}`;
  }
}

/** Cognito's way of telling its tokens apart, or that of RFC 9068 §2.1. */
function saysAccessToken(type: unknown, { token_use: use }: Claims): boolean {
  if (use !== undefined) return use === 'access';
  return typeof type === 'string' && /^(application\/)?at\+jwt$/i.test(type);
}

/** Then the token may well be good. */
function isOfKeySet(error: unknown): boolean {
  return [FetchError, JwksValidationError, JwkValidationError].some(
    (kind) => error instanceof kind,
  );
}

function mayAdminister(claims: Claims, { claim, value }: IssuerSettings): boolean {
  const held = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return Array.isArray(held) ? held.includes(value) : held === value;
}

/** Issuers name people in one of these claims. */
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

/** The same words for every reason. */
export function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', {
    message: 'sign in, and send the access token as Authorization: Bearer <token>',
  });
}

function forbidden({ claim, value }: IssuerSettings): ServiceError {
  return new ServiceError('forbidden', {
    message: `whoever signed in may not administer: that takes "${value}" in ${claim}`,
  });
}
