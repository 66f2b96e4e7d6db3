/** Links: URLs that open an object for everybody who has them, until they are revoked. */
import {
  type Caller,
  forbidden,
  isPrincipal,
  mayOnObject,
  ownerOf,
} from '../../core/access/permissions';
import { signerOf } from '../../core/access/signer';
import { ServiceError } from '../../core/errors';
import { openToken, parseLimit, sealToken } from '../../core/http/pagination';
import { type LinkRequest, parseLinkRequest } from '../../core/links/link-request';
import { linkName, linkNamed, newLink } from '../../core/links/link-secret';
import { isOpen, LINK_ACTIONS } from '../../core/links/open-link';
import { hashPassword } from '../../core/links/password';
import type { Link, LinkId } from '../../core/links/ports';
import { findVersion } from '../../core/log/history';
import { parseBucketName } from '../../core/names';
import { objectNotFound, versionNotFound } from '../../core/not-found';
import { type Listing, visiblePage } from '../../core/pages';
import { liveOf } from '../../core/store/objects';
import { type ApiRequest, jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import { LINK_PATH, LINK_SECRET } from '../routes/routes';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently, type RecordOf, untilExpiry } from './idempotency';
import { tokenSecret } from './list-objects';

/**
 * Makes a link. AWS calls: 3 GetItem, 1 PutItem; with a version those of findVersion more; with
 * Idempotency-Key 1 GetItem more, and 1 TransactWriteItems in place of PutItem.
 */
export const handleCreateLink =
  (deps: OperationDeps): StorageOperation<'links'> =>
  async (request) => {
    const wanted = parseLinkRequest(jsonBody(request), (place) => {
      for (const action of LINK_ACTIONS) requireMay(request.caller, action, place);
    });
    // The saved response holds the URL, and its fingerprint the password.
    const secret = await tokenSecret(deps);
    return idempotently(
      deps,
      request,
      (recordOf) => createLink(deps, request.caller, wanted, recordOf),
      secret,
    );
  };

async function createLink(
  deps: OperationDeps,
  caller: Caller,
  wanted: LinkRequest,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const { links, baseUrl } = linksAndKeysOf(deps);
  const { bucket, key, version, expiresIn, password, ...settings } = wanted;
  const { id: bucketId } = await deps.bucketIds.refresh(bucket);
  const cursor = await requireObject(deps, { bucketId, bucket, key, version });
  const now = deps.clock.now();
  const { secret, hash } = newLink(bucketId);
  const link: Link = {
    ...{ bucketId, hash, bucket, key, uses: 0, ...settings },
    ...(version !== undefined && { version, cursor }),
    ...(password !== undefined && { password: await hashPassword(password) }),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + expiresIn * 1000).toISOString(),
    ...(await makerOf(deps, caller)),
  };
  const opened = `${LINK_PATH.slice(1)}${linkName(link)}?${LINK_SECRET}=${secret}`;
  const url = new URL(opened, baseUrl).href;
  const response = jsonResponse(201, { ...linkView(link), url });
  const record = untilExpiry(recordOf, link.expiresAt)?.(response);
  return (await links.create(link, record)) === 'created' ? response : undefined;
}

/** The cursor of the object. Throws not_found. */
async function requireObject(
  deps: OperationDeps,
  { bucketId, bucket, key, version }: Pick<Link, 'bucketId' | 'bucket' | 'key' | 'version'>,
): Promise<number> {
  const newest = await deps.objects.get(bucketId, key);
  if (!newest || (version === undefined && !liveOf(newest))) throw objectNotFound(bucket, key);
  if (version === undefined) return newest.cursor;
  const found = await findVersion(deps.changeLog, bucketId, newest, version);
  if (!found) throw versionNotFound(newest, version);
  return found.cursor;
}

/**
 * A link ends with the key that made it. One that a person makes in a session of the dashboard does
 * not: the session's key is revoked when the person signs out.
 */
async function makerOf(
  deps: OperationDeps,
  caller: Caller,
): Promise<Pick<Link, 'signer' | 'createdBy'>> {
  const record = await linksAndKeysOf(deps).apiKeys.get(caller.keyId);
  if (record?.kind === 'session') return { createdBy: record.createdBy ?? record.name };
  const signer = signerOf(caller);
  return { ...(signer && { signer }), createdBy: caller.keyId };
}

/**
 * Lists the links of a bucket to the keys that the caller may sign. AWS calls: 1 GetItem, 1 Query
 * (up to 10 where others are passed over); every five minutes of an instance 1 for the secret.
 */
export const handleListLinks =
  (deps: OperationDeps): StorageOperation<'links'> =>
  async (request) => {
    const { links } = linksAndKeysOf(deps);
    const bucket = parseBucketName(request.query('bucket'));
    if (!maySignAnything(request.caller, bucket)) throw forbidden('sign', { bucket });
    const limit = parseLimit(request.query('limit'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const { id: bucketId } = await deps.bucketIds.refresh(bucket);
    const context = ['links', bucketId, ownerOf(request.caller)];
    const after = token === undefined ? undefined : (openToken(secret, context, token) as string);
    const now = deps.clock.now();
    const listing: Listing<Link> = {
      read: (count, from) => links.list(bucketId, count, from),
      nameOf: ({ hash }) => hash,
      isVisible: (link) =>
        isOpen(link, now) && mayOnObject(request.caller, 'sign', bucket, link.key),
    };
    const { items, next } = await visiblePage(listing, limit, after);
    return jsonResponse(200, {
      links: items.map(linkView),
      ...(next !== undefined && { next_page_token: sealToken(secret, context, next) }),
    });
  };

/**
 * Revokes a link. 404 for a link that the caller may not revoke, as for one that does not exist.
 * AWS calls: 1 GetItem, 1 DeleteItem; with Idempotency-Key 1 GetItem more, and 1 TransactWriteItems
 * in place of DeleteItem.
 */
export const handleDeleteLink =
  (deps: OperationDeps): StorageOperation<'link'> =>
  async (request, { id }) => {
    const { links } = linksAndKeysOf(deps);
    const found = linkNamed(id);
    if (found === undefined) throw noSuchLink();
    return idempotently(deps, request, async (recordOf) => {
      await requireMayRevoke(deps, request, found);
      const response = { status: 204, headers: {} };
      const outcome = await links.remove(found, recordOf?.(response));
      if (outcome === 'absent') throw noSuchLink();
      return outcome === 'removed' ? response : undefined;
    });
  };

async function requireMayRevoke(
  deps: OperationDeps,
  { caller }: ApiRequest<Caller>,
  id: LinkId,
): Promise<void> {
  const link = await linksAndKeysOf(deps).links.get(id);
  if (!link || !mayOnObject(caller, 'sign', link.bucket, link.key)) throw noSuchLink();
}

function linkView(link: Link) {
  const { bucket, key, version, createdAt, expiresAt, maxUses, uses } = link;
  const { password, disposition, note, createdBy } = link;
  return {
    id: linkName(link),
    ...{ bucket, key, version },
    created_at: createdAt,
    created_by: createdBy,
    expires_at: expiresAt,
    max_uses: maxUses,
    uses,
    has_password: password !== undefined,
    ...{ disposition, note },
  };
}

function requireMay(
  caller: Caller,
  action: 'sign' | 'read',
  place: { readonly bucket: string; readonly key: string },
): void {
  if (isPrincipal(caller)) throw keyNeeded();
  if (!mayOnObject(caller, action, place.bucket, place.key)) throw forbidden(action, place);
}

/** Reports whether there may be a key of the bucket that the caller may sign. */
function maySignAnything(caller: Caller, bucket: string): boolean {
  return caller.permissions.some(({ prefix = '' }) => mayOnObject(caller, 'sign', bucket, prefix));
}

function linksAndKeysOf({
  linksAndKeys,
}: OperationDeps): NonNullable<OperationDeps['linksAndKeys']> {
  if (!linksAndKeys) throw keyNeeded();
  return linksAndKeys;
}

function keyNeeded(): ServiceError {
  return new ServiceError('forbidden', { message: 'links need an API key, with which they end' });
}

function noSuchLink(): ServiceError {
  return new ServiceError('not_found', { message: 'there is no link with this id' });
}
