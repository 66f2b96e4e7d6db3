/**
 * Opens links, for callers without an API key. Whatever keeps a link from being opened looks the
 * same from outside: a link that somebody made up, one that was revoked, and one whose object is
 * gone.
 */
import type { ApiKeys } from '../access/ports';
import { mayStillSign } from '../access/signer';
import { ServiceError } from '../errors';
import { named } from '../http/content-disposition';
import { LIMITS, LINK_LIMITS } from '../limits';
import { findVersion } from '../log/history';
import type { ChangeLog } from '../log/ports';
import { servedAs } from '../objects/object-headers';
import type { Blobs } from '../store/blobs';
import type { Buckets } from '../store/buckets';
import type { LiveObject, Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Clock } from '../system';
import { linkOpenedBy } from './link-secret';
import { passwordMatches } from './password';
import type { Link, Links } from './ports';

export interface OpenLinkDeps {
  readonly links: Pick<Links, 'get' | 'use' | 'attempt'>;
  readonly buckets: Pick<Buckets, 'get'>;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
  readonly apiKeys: ApiKeys;
  readonly blobs: Pick<Blobs, 'presignGet'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface OpenableLink {
  readonly link: Link;
  readonly object: LiveObject;
}

/** Actions that a key needs to make a link to an object, and for as long as the link works. */
export const LINK_ACTIONS = ['sign', 'read'] as const;

/**
 * The link of that name and the object that it leads to, at this moment, or undefined when it
 * cannot be opened. Uses nothing up. AWS calls: 3 GetItem, 2 for a link that was made in a session;
 * none when the secret is not that of the name, 1 when there is no such link; with a version 1 and
 * those of findVersion more.
 */
export async function findLink(
  deps: OpenLinkDeps,
  { name, secret }: { readonly name: string; readonly secret: string | undefined },
): Promise<OpenableLink | undefined> {
  const id = linkOpenedBy(name, secret);
  const link = id && (await deps.links.get(id));
  if (!link || !isOpen(link, deps.clock.now())) return undefined;
  const [object, isPermitted] = await Promise.all([
    objectOf(deps, link),
    link.signer === undefined || mayStillSign(deps.apiKeys, link.signer, LINK_ACTIONS, link),
  ]);
  return object && isPermitted ? { link, object } : undefined;
}

/**
 * Uses the link up once, and returns the URL of the bytes, for a minute. Returns undefined when the
 * link can no longer be opened. Throws forbidden without the right password, rate_limited after too
 * many attempts. AWS calls: 1 UpdateItem, with a password 1 or 2 more.
 */
export async function openLink(
  deps: OpenLinkDeps,
  { link, object }: OpenableLink,
  password: string | undefined,
): Promise<string | undefined> {
  if (link.password !== undefined) await requirePassword(deps, link, password);
  const { url } = await deps.blobs.presignGet(object.blob, {
    expiresIn: LIMITS.redirectSeconds,
    ...servedAs(object),
    contentDisposition: link.disposition ?? named('attachment', fileNameOf(object.key)),
    cacheControl: 'private, no-store',
  });
  return (await deps.links.use(link, deps.clock.now())) ? url : undefined;
}

/** An attempt is counted before the password is compared, so that attempts at once count too. */
async function requirePassword(
  deps: OpenLinkDeps,
  link: Link,
  password: string | undefined,
): Promise<void> {
  if (password === undefined || password === '') throw passwordNeeded();
  const { attemptBurst: burst, attemptSeconds } = LINK_LIMITS;
  const limit = { burst, intervalMs: attemptSeconds * 1000 };
  if (!(await deps.links.attempt(link, deps.clock.now(), limit))) {
    throw new ServiceError('rate_limited', {
      message: 'too many attempts at the password of this link; wait for Retry-After seconds',
      headers: { 'Retry-After': String(attemptSeconds) },
    });
  }
  const isRight =
    [...password.normalize('NFC')].length <= LINK_LIMITS.passwordCharacters &&
    (await passwordMatches(password, link.password ?? ''));
  if (!isRight) throw passwordNeeded('the password of this link is another one');
}

function passwordNeeded(
  message = 'this link needs its password: send it as the form field password, by POST',
): ServiceError {
  return new ServiceError('forbidden', { message });
}

/** A link that has expired, or has no use left, is not open; the table may hold it for a while. */
export function isOpen({ expiresAt, maxUses, uses }: Link, now: number): boolean {
  return Date.parse(expiresAt) > now && (maxUses === undefined || uses < maxUses);
}

/**
 * The object in the bucket's incarnation of the link. A deleted bucket holds none, but its log
 * keeps versions until the log is purged.
 */
async function objectOf(deps: OpenLinkDeps, link: Link): Promise<LiveObject | undefined> {
  const { bucketId, version, cursor } = link;
  const current = await deps.objects.get(bucketId, link.key);
  if (version === undefined || current === undefined) return liveOf(current);
  const bucket = await deps.buckets.get(link.bucket);
  if (bucket?.id !== bucketId) return undefined;
  const found = await findVersion(deps.changeLog, bucketId, current, version);
  return found?.cursor === cursor ? found : undefined;
}

/** The last segment of the key that is not empty. */
export function fileNameOf(key: string): string {
  return key.split('/').findLast((segment) => segment !== '') ?? key;
}
