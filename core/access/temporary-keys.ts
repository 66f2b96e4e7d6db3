/**
 * Temporary keys: `ost_<claims>.<mac>`. A key makes them without a write, each for a part of its
 * own permissions, and they end with it. What is in one is signed with a secret of the service and
 * with the hash of the secret that made it, so that neither table alone is enough to forge one, and
 * the end of that secret is the end of its temporary keys.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { API_TOKEN, TEMPORARY_KEY_LIMITS } from '../limits';
import type { ServiceState } from '../service-state';
import type { Clock } from '../system';
import { isApiKeyId } from './api-key';
import { intersection, parsePermissions } from './permissions';
import type { ApiKeyRecord, Restriction, Signer } from './ports';

/** What a temporary key says. The signature is not checked yet. */
export interface TemporaryKey {
  readonly maker: Signer;
  readonly restriction: Restriction;
  /** What is signed, and the signature. */
  readonly claims: string;
  readonly mac: string;
}

const FORM = new RegExp(`^${API_TOKEN}$`);

/** undefined: the text is no temporary key. One that somebody made up may be returned. */
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

/** The text of a temporary key of that maker. */
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

/** Whether that key made it. Compares in constant time. */
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
 * The key as the holder of a temporary key may use it: with the permissions that both have, until
 * the earlier end.
 */
export function restricted(key: ApiKeyRecord, restriction: Restriction | undefined): ApiKeyRecord {
  if (restriction === undefined) return key;
  const { expiresAt = restriction.expiresAt } = key;
  return {
    ...key,
    permissions: intersection(key.permissions, restriction.permissions),
    // ISO 8601 in UTC sorts by time.
    expiresAt: expiresAt < restriction.expiresAt ? expiresAt : restriction.expiresAt,
  };
}

/** Whether the end of the temporary key has come at `now` (epoch milliseconds). */
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

  /** Creates it if there is none. AWS calls: none, or 1 GetItem, 1 PutItem more the first time. */
  async toMake(): Promise<string> {
    return (
      this.remembered() ??
      this.remember(await this.state.once(NAME, randomBytes(32).toString('base64')))
    );
  }

  /** undefined: no key has ever made a temporary one. AWS calls: none, or 1 GetItem. */
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
