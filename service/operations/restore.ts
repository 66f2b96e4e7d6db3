import { forbidden, mayOnObject, ownerOf } from '../../core/access/permissions';
import type { Action } from '../../core/access/ports';
import { StaleBucketRef } from '../../core/bucket-ref';
import { invalid, missing, unavailable } from '../../core/errors';
import { isWholeNumber, onlyFields } from '../../core/http/json';
import { openToken, sealToken } from '../../core/http/pagination';
import { parseBucketName, parsePrefix } from '../../core/names';
import { openAsOf } from '../../core/versions/as-of';
import type { Difference } from '../../core/versions/differences';
import { type Restored, restoreObjects } from '../../core/versions/restore-objects';
import { jsonBody } from '../http/request';
import { jsonResponse } from '../http/response';
import { takingTokens } from './commit-tokens';
import type { OperationDeps, StorageOperation } from './deps';
import { tokenSecret } from './list-objects';

/** Content of a page token. */
interface RestoreState {
  readonly bucketId: string;
  /** The cursor of the state, as openAsOf has returned it for the first call. */
  readonly asOf: number;
  /** Where the next call continues. */
  readonly start: string;
}

/** A dry run names keys, and says what they are and were. */
const NEEDED: readonly Action[] = ['list', 'read', 'write', 'delete'];

/**
 * Restores the keys with a prefix. Takes a token of the rate limit for each change, and for each
 * LIMITS.asOfRecordsPerToken keys that it looks up in the log. Ends early when there is none left.
 * AWS calls: 3 GetItem (1 with a page token), those of core's restoreObjects; every five minutes of
 * an instance 1 for the secret of page tokens.
 */
export const handleRestore =
  (deps: OperationDeps): StorageOperation<'restore'> =>
  async (request) => {
    const { caller } = request;
    const { bucket: name, prefix, asOf, isDryRun, token } = parseRestore(jsonBody(request));
    for (const action of NEEDED) {
      if (!mayOnObject(caller, action, name, prefix))
        throw forbidden(action, { bucket: name, prefix });
    }
    if (asOf === undefined) throw missing('as_of');
    if (request.header('idempotency-key') !== undefined) {
      throw invalid(
        'Idempotency-Key',
        'cannot be used here: a repeated call restores what is left',
      );
    }
    const secret = await tokenSecret(deps);
    const context = ['restore', name, prefix, asOf, isDryRun, ownerOf(caller)];
    const open = token && (() => openToken(secret, context, token) as RestoreState);
    const { bucket, ...from } = open
      ? await continued(deps, name, open)
      : { ...(await openAsOf(deps, name, asOf)), start: prefix };
    const done = await restoreObjects(
      deps,
      { bucket, by: caller.keyId },
      {
        ...{ prefix, isDryRun, asOf: from.asOf, start: from.start },
        beforeCommit: takingTokens(request),
        takeTokensUpTo: request.takeTokensUpTo,
      },
    ).catch((error: unknown) => {
      // The bucket is being deleted. Another one of its name has no such past.
      throw error instanceof StaleBucketRef ? unavailable(error) : error;
    });
    const rest = { bucketId: bucket.id, asOf: from.asOf, start: done.next };
    return jsonResponse(200, {
      ...{ bucket: name, as_of: from.asOf, ...viewOf(done, isDryRun) },
      has_more: done.next !== undefined,
      ...(done.next !== undefined && { next_page_token: sealToken(secret, context, rest) }),
    });
  };

function parseRestore(body: Record<string, unknown>) {
  onlyFields(body, ['bucket', 'prefix', 'as_of', 'dry_run', 'page_token']);
  const { as_of: asOf, dry_run: isDryRun = false, page_token: token } = body;
  if (asOf !== undefined && !isWholeNumber(asOf, 0)) {
    throw invalid('as_of', 'must be a cursor, 0 or more');
  }
  if (typeof isDryRun !== 'boolean') throw invalid('dry_run', 'must be true or false');
  if (token !== undefined && (typeof token !== 'string' || token === '')) {
    throw invalid('page_token', 'must be a text that is not empty');
  }
  return {
    bucket: parseBucketName(body.bucket, 'bucket'),
    prefix: body.prefix === undefined ? '' : parsePrefix(body.prefix),
    asOf: asOf === undefined ? undefined : Number(asOf),
    isDryRun,
    token,
  };
}

/** Where a call with a page token begins. A missing bucket is 404, whatever the token. */
async function continued(deps: OperationDeps, name: string, open: () => RestoreState) {
  const bucket = await deps.bucketIds.refresh(name);
  const { bucketId, asOf, start } = open();
  if (bucket.id !== bucketId) throw invalid('page_token', 'belongs to a deleted bucket');
  return { bucket, asOf, start };
}

function viewOf(done: Restored, isDryRun: boolean) {
  const { restored, deleted, unchanged, from, to, failed, differences } = done;
  return {
    ...{ restored, deleted, unchanged, from, to },
    ...(failed.length > 0 && { failed }),
    ...(isDryRun && { dry_run: true, changes: differences.map(changeOf) }),
  };
}

function changeOf({ key, was }: Difference) {
  if (was === undefined) return { key, type: 'delete' };
  return { key, type: 'put', version: was.version, size: was.size };
}
