import { forbidden, mayOnObject } from '../../../core/access/permissions';
import { parseSubscribeQuery } from '../../../core/channel/actions';
import { changesPage } from '../../../core/channel/page';
import { invalid } from '../../../core/errors';
import { evaluateConditions } from '../../../core/http/conditions';
import { parseLimit } from '../../../core/http/pagination';
import { LIMITS } from '../../../core/limits';
import { jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';

const CHANGES_LIMIT = { initial: LIMITS.changesDefault, max: LIMITS.changesMax };

/** GET /sync: returns a page of changes. AWS calls: those of core's changesPage. */
export const handleReadChanges =
  (
    deps: Pick<OperationDeps, 'buckets' | 'changeLog' | 'clock' | 'meter'>,
  ): StorageOperation<'sync'> =>
  async (request) => {
    const wanted = parseSubscribeQuery(request.query);
    const { bucket, prefix } = wanted;
    if (!mayOnObject(request.caller, 'sync', bucket, prefix)) {
      throw forbidden('sync', { bucket, prefix });
    }
    const page = await changesPage(deps, {
      ...wanted,
      limit: parseLimit(request.query('limit'), CHANGES_LIMIT),
      wait: parseWait(request.query('wait')),
      known: (head) => {
        const validators = { etag: String(head), updatedAt: '' };
        const header = (name: string) =>
          name === 'if-none-match' ? request.header(name) : undefined;
        return evaluateConditions(header, validators, true) === 'not_modified';
      },
    });
    const headers = { ETag: `"${page.head}"`, 'Cache-Control': 'no-store' };
    return page.changes ? jsonResponse(200, page, headers) : { status: 304, headers };
  };

/** Seconds. Throws invalid_request. */
function parseWait(value: string | undefined): number {
  if (value === undefined) return 0;
  const wait = /^\d{1,2}$/.test(value) ? Number(value) : -1;
  if (wait < 0 || wait > LIMITS.waitMaxSeconds) {
    throw invalid('wait', `must be a whole number of seconds from 0 to ${LIMITS.waitMaxSeconds}`);
  }
  return wait;
}
