import { type Caller, forbidden, mayOnObject } from '../../core/access/permissions';
import type { Action } from '../../core/access/ports';
import { mayStillUpload, signerOf } from '../../core/access/signer';
import { commitObjects } from '../../core/commits/commit-objects';
import {
  type ChangeTarget,
  entriesOf,
  parseCommit,
  type RequestedChange,
} from '../../core/commits/commit-request';
import { beginCopy } from '../../core/commits/large-copy';
import { requireConditions } from '../../core/http/conditions';
import { LIMITS } from '../../core/limits';
import type { CommittedChange } from '../../core/log/commit';
import type { Upload } from '../../core/store/uploads';
import { requireFuture } from '../../core/times';
import { deletedView, descriptorOf } from '../../core/views';
import { jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently } from './idempotency';

/**
 * Commits several changes of a bucket, all or nothing. Takes a token of the rate limit for each log
 * entry. AWS calls: those of core's commitObjects, 1 GetItem for each staged upload that an
 * API key signed, those of beginCopy for a LargeCopy, and those of `idempotently`.
 */
export const handleCommit =
  (deps: OperationDeps): StorageOperation<'commits'> =>
  async (request) => {
    const { caller } = request;
    const commit = parseCommit(jsonBody(request, LIMITS.commitBodyBytes), (target) =>
      requireMayChange(caller, target),
    );
    const { bucket } = commit;
    const entries = commit.changes.reduce((sum, change) => sum + entriesOf(change), 0);
    await request.takeTokens(entries - 1);
    return idempotently(deps, request, async (recordOf) => {
      requireFutures(commit.changes, deps.clock.now());
      const outcome = await commitObjects(deps, commit, {
        by: caller.keyId,
        mayCommit: (upload) => mayCommit(deps, upload),
        conditions: (change, current) => {
          const mayRead = mayOnObject(caller, 'read', bucket, change.key);
          requireConditions((name) => conditionOf(change, name), current, mayRead);
        },
        ...(recordOf && { idempotency: (changes) => recordOf(responseOf(bucket, changes)) }),
      });
      if (outcome.result === 'large') {
        const record = recordOf && ((upload: Upload) => recordOf(pendingView(upload)));
        const upload = await beginCopy(deps, outcome, signerOf(caller), record);
        return upload && pendingView(upload);
      }
      return outcome.result === 'committed' ? responseOf(bucket, outcome.changes) : undefined;
    });
  };

function requireFutures(changes: readonly RequestedChange[], now: number): void {
  for (const [index, change] of changes.entries()) {
    if (!('content' in change)) continue;
    requireFuture(change.content.expiresAt, now, `changes[${index}].expires_at`);
  }
}

/** Principals of the account cannot read keys, so they commit what they have signed themselves. */
async function mayCommit({ linksAndKeys }: OperationDeps, { signer, ...upload }: Upload) {
  if (signer === undefined) return true;
  return linksAndKeys !== undefined && mayStillUpload(linksAndKeys.apiKeys, signer, upload);
}

/** A patch returns what it leaves as it is, so it reads; so does a copy, of its source. */
const NEEDED: Readonly<Record<ChangeTarget['op'], readonly Action[]>> = {
  put: ['write'],
  copy: ['write'],
  move: ['write'],
  patch: ['write', 'read'],
  delete: ['delete'],
};

function requireMayChange(caller: Caller, { op, bucket, key, from }: ChangeTarget): void {
  const needed = NEEDED[op].map((action) => ({ action, bucket, key }));
  if (from) needed.push({ action: 'read', ...from });
  if (from && op === 'move') needed.push({ action: 'delete', ...from });
  for (const { action, ...place } of needed) {
    if (!mayOnObject(caller, action, place.bucket, place.key)) throw forbidden(action, place);
  }
}

function conditionOf(change: RequestedChange, header: string): string | undefined {
  if (header === 'if-match') return change.ifMatch;
  return header === 'if-none-match' ? change.ifNoneMatch : undefined;
}

/** As GET /uploads/{upload_id} returns it. */
function pendingView({ id, bucket, key, state }: Upload): HttpResponse {
  return jsonResponse(202, { upload_id: id, bucket, key, state });
}

function responseOf(bucket: string, changes: readonly CommittedChange[]): HttpResponse {
  const views = changes.map(({ object }) =>
    object.state === 'live' ? descriptorOf(object) : deletedView(object),
  );
  const [from, to] = [views[0]?.cursor, views.at(-1)?.cursor];
  const body = { bucket, from, to, changes: views };
  return to === undefined
    ? jsonResponse(201, body)
    : jsonResponse(201, body, { 'x-object-cursor': String(to) });
}
