/**
 * Temporary keys: `ost_<claims>.<mac>`. A key makes them without a write, each for a part of its
 * own permissions, and they end with it. The claims are signed with a secret of the service and
 * with the hash of the maker's secret. So neither table alone is enough to forge a temporary key,
 * and a temporary key ends with the secret that made it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { API_TOKEN, TEMPORARY_KEY_LIMITS } from '../limits';
import type { ServiceState } from '../service-state';
import type { Clock } from '../system';
import { earlier } from '../times';
import { isApiKeyId } from './api-key';
import { intersection, parsePermissions } from './permissions';
import type { ApiKeyRecord, Restriction, Signer } from './ports';

/** Parsed text of a temporary key. The signature is not checked yet. */
export interface TemporaryKey {
  readonly maker: Signer;
  readonly restriction: Restriction;
  /** The signed text, and its signature. */
  readonly claims: string;
  readonly mac: string;
}

const FORM = new RegExp(`^${API_TOKEN}$`);

/**
 * Returns undefined when the text does not have the form of a temporary key. The signature is not
 * checked: the key may be forged.
 */
export function parseTemporaryKey(text: string): TemporaryKey | undefined {
  if (!FORM.test(text)) return undefined;
  const [claims = '', mac = ''] = text.slice('ost_'.length).split('.');
  try {
    const [keyId, generation, expires, permissions] = JSON.parse(
      Buffer.from(claims, 'base64url').toString(),
    );
    if (typeof keyId !== 'string' || !isApiKeyId(keyId)) return undefined;
    if (!Number.isSafeInteger(generation) || !Number.isSafeInteger(expires)) return undefined;
    const expiresAt = new Date(expires * 1000).toISOString();
    const restriction = { permissions: parsePermissions(permissions), expiresAt };
    return { maker: { keyId, generation }, restriction, claims, mac };
  } catch {
    return undefined;
  }
}

/** Returns the text of a temporary key of that maker. */
export function newTemporaryKey(
  secret: string,
  maker: ApiKeyRecord,
  { generation }: Pick<Signer, 'generation'>,
  { permissions, expiresAt }: Restriction,
): string {
  const expires = Math.floor(Date.parse(expiresAt) / 1000);
  const content = JSON.stringify([maker.id, generation, expires, permissions]);
  const claims = Buffer.from(content).toString('base64url');
  return `ost_${claims}.${macOf(secret, maker, generation, claims)}`;
}

/** Reports whether `maker` made the temporary key. Compares in constant time. */
export function wasMadeBy(secret: string, maker: ApiKeyRecord, key: TemporaryKey): boolean {
  const expected = Buffer.from(macOf(secret, maker, key.maker.generation, key.claims));
  const actual = Buffer.from(key.mac);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function macOf(secret: string, maker: ApiKeyRecord, generation: number, claims: string): string {
  const isCurrent = generation === (maker.generation ?? 0);
  const hash = isCurrent ? maker.secretHash : (maker.previousSecretHash ?? '');
  return createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${claims}.${hash}`)
    .digest('base64url');
}

/**
 * Returns the key as the holder of a temporary key may use it: with the permissions that both have,
 * until the earlier expiry.
 */
export function restricted(key: ApiKeyRecord, restriction: Restriction | undefined): ApiKeyRecord {
  if (restriction === undefined) return key;
  const { expiresAt = restriction.expiresAt } = key;
  return {
    ...key,
    permissions: intersection(key.permissions, restriction.permissions),
    expiresAt: earlier(expiresAt, restriction.expiresAt),
  };
}

/** Reports whether the temporary key has expired at `now` (epoch milliseconds). */
export function isOver(restriction: Restriction | undefined, now: number): boolean {
  return restriction !== undefined && Date.parse(restriction.expiresAt) <= now;
}

const NAME = 'temporary-key-secret';

/** The service's secret for temporary keys, which an instance remembers for a while. */
export class TemporaryKeySecret {
  private known?: { readonly secret: string; readonly until: number };

  constructor(
    private readonly state: Pick<ServiceState, 'load' | 'once'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /**
   * Returns the secret, and creates it if there is none. AWS calls: none, or 1 GetItem; 1 PutItem
   * more the first time.
   */
  async toMake(): Promise<string> {
    return (
      this.remembered() ??
      this.remember(await this.state.once(NAME, randomBytes(32).toString('base64')))
    );
  }

  /**
   * Returns the secret, or undefined when no temporary key was ever made. AWS calls: none, or 1
   * GetItem.
   */
  async toCheck(): Promise<string | undefined> {
    const remembered = this.remembered();
    if (remembered !== undefined) return remembered;
    const secret = await this.state.load(NAME);
    return secret === undefined ? undefined : this.remember(secret);
  }

  private remembered(): string | undefined {
    const { known } = this;
    return known !== undefined && known.until > this.clock.now() ? known.secret : undefined;
  }

  private remember(secret: string): string {
    const until = this.clock.now() + TEMPORARY_KEY_LIMITS.secretCachedSeconds * 1000;
    this.known = { secret, until };
    return secret;
  }
}
