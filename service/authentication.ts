/** Turns the Authorization header of a request into the claim of its API key. */
import { createHash } from 'node:crypto';
import { authenticate, bearerToken } from '../core/access/authentication';
import { claimOf, type KeyClaim } from '../core/access/key-claim';
import type { ApiKeys } from '../core/access/ports';
import type { TemporaryKeySecret } from '../core/access/temporary-keys';
import type { Clock, Log } from '../core/system';

export interface AuthenticationDeps {
  readonly apiKeys: ApiKeys;
  /** Absent: temporary keys are refused. */
  readonly secret?: Pick<TemporaryKeySecret, 'toCheck'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Absent: keys that are refused are not logged. */
  readonly log?: Pick<Log, 'info'>;
}

/** Returns undefined when the key is not usable. AWS calls: those of `authenticate`. */
export async function claimIn(
  { apiKeys, secret, clock, log }: AuthenticationDeps,
  authorization: string,
): Promise<KeyClaim | undefined> {
  const readAt = clock.now();
  const found = await authenticate(apiKeys, bearerToken(authorization), readAt, secret);
  if (!found.key) {
    if (found.id !== undefined) log?.info('key_refused', { keyId: found.id });
    return undefined;
  }
  const { key, generation, restriction } = found;
  return { ...claimOf(key, generation, readAt), ...(restriction && { restriction }) };
}

/**
 * How long the result of an authentication is used, as API Gateway uses that of the authorizer. A
 * changed key takes effect earlier: see RateLimiter.
 */
const CLAIM_MS = 300_000;

/** Keys whose authentication an instance remembers. */
const MAX_CLAIMS = 2_000;

/** Remembers the claims of keys that were authenticated. */
export class KnownClaims {
  /** By a hash, so that no secret stays in memory. */
  private readonly known = new Map<string, { readonly claim: KeyClaim; readonly until: number }>();

  constructor(private readonly deps: AuthenticationDeps) {}

  /** As `claimIn`. AWS calls: none for a key that was authenticated within five minutes. */
  async of(authorization: string): Promise<KeyClaim | undefined> {
    const hash = createHash('sha256').update(authorization).digest('base64');
    const now = this.deps.clock.now();
    const known = this.known.get(hash);
    if (known !== undefined && known.until > now) return known.claim;
    this.known.delete(hash);
    const claim = await claimIn(this.deps, authorization);
    if (claim === undefined) return undefined;
    const [oldest] = this.known.keys();
    if (this.known.size >= MAX_CLAIMS && oldest !== undefined) this.known.delete(oldest);
    this.known.set(hash, { claim, until: now + CLAIM_MS });
    return claim;
  }

  /** Forgets a key that has changed. */
  forget(keyId: string): void {
    for (const [hash, { claim }] of this.known) {
      if (claim.keyId === keyId) this.known.delete(hash);
    }
  }
}
