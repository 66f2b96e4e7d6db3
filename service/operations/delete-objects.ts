import { forbidden, mayOnObject, ownerOf } from '../../core/access/permissions';
import { deletePrefix } from '../../core/commits/delete-prefix';
import { invalid } from '../../core/errors';
import { openToken, sealToken } from '../../core/http/pagination';
import { parsePrefix } from '../../core/names';
import { jsonResponse } from '../http/response';
import { takingTokens } from './commit-tokens';
import type { OperationDeps, StorageOperation } from './deps';
import { tokenSecret } from './list-objects';

/** Content of a page token. */
interface DeleteState {
  readonly bucketId: string;
  /** Where the next call continues. */
  readonly start: string;
}

/**
 * Deletes objects by prefix. Takes a token of the rate limit for each object, and ends early when
 * there is none left. AWS calls: 1 GetItem, those of core's deletePrefix; every five minutes of an
 * instance 1 for the secret of page tokens.
 */
export const handleDeleteObjects =
  (deps: OperationDeps): StorageOperation<'objects'> =>
  async (request, { bucket }) => {
    const { caller } = request;
    const given = request.query('prefix');
    const prefix = given === undefined ? undefined : parsePrefix(given);
    if (!mayOnObject(caller, 'delete', bucket, prefix ?? '')) {
      throw forbidden('delete', { bucket, prefix });
    }
    if (prefix === undefined) {
      throw invalid('prefix', 'is required; an empty one deletes every object of the bucket');
    }
    if (request.header('idempotency-key') !== undefined) {
      throw invalid('Idempotency-Key', 'cannot be used here: a repeated call deletes what is left');
    }
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const context = ['delete', bucket, prefix, ownerOf(caller)];
    const opened = token === undefined ? undefined : openToken(secret, context, token);
    const state = opened as DeleteState | undefined;
    const ref = await deps.bucketIds.refresh(bucket);
    if (state && state.bucketId !== ref.id) throw invalid('page_token', 'is of a deleted bucket');
    const beforeCommit = takingTokens(request);
    const done = await deps.bucketIds.runWrite(bucket, (present) =>
      deletePrefix(deps, present, {
        prefix,
        by: caller.keyId,
        start: state?.start ?? prefix,
        beforeCommit,
      }),
    );
    const { deleted, from, to, next } = done;
    const rest = { bucketId: ref.id, start: next };
    return jsonResponse(200, {
      ...{ bucket, deleted, from, to, has_more: next !== undefined },
      ...(next !== undefined && { next_page_token: sealToken(secret, context, rest) }),
    });
  };
