import { type Caller, forbidden, mayOnObject } from '../../core/access/permissions';
import { parseSubscribeQuery, type SubscribeRequest } from '../../core/channel/actions';
import { changesPage, type PageDeps, pageText } from '../../core/channel/changes-page';
import type { Waiting } from '../../core/channel/long-poll';
import { invalid } from '../../core/errors';
import { evaluateConditions } from '../../core/http/conditions';
import { parseLimit } from '../../core/http/pagination';
import { LIMITS } from '../../core/limits';
import { jsonText } from '../http/response';
import type { StorageOperation } from './deps';

const CHANGES_LIMIT = { initial: LIMITS.changesDefault, max: LIMITS.changesMax };

/** How a request of the caller for these changes may wait. */
export type WaitingOf = (caller: Caller, wanted: SubscribeRequest) => Waiting;

/** GET /sync: returns a page of changes. AWS calls: those of core's changesPage. */
export const handleReadChanges =
  (deps: PageDeps, waitingOf: WaitingOf): StorageOperation<'sync'> =>
  async (request) => {
    const wanted = parseSubscribeQuery(request.query);
    const { bucket, prefix } = wanted;
    if (!mayOnObject(request.caller, 'sync', bucket, prefix)) {
      throw forbidden('sync', { bucket, prefix });
    }
    const known = (head: number) => {
      const validators = { etag: String(head), updatedAt: '' };
      const header = (name: string) =>
        name === 'if-none-match' ? request.header(name) : undefined;
      return evaluateConditions(header, validators, true) === 'not_modified';
    };
    const limit = parseLimit(request.query('limit'), CHANGES_LIMIT);
    const wait = parseWait(request.query('wait'));
    const waiting = waitingOf(request.caller, wanted);
    const { head, page, retryAfter } = await changesPage(
      deps,
      { ...wanted, limit, wait, known },
      waiting,
    );
    const headers = {
      ETag: `"${head}"`,
      'Cache-Control': 'no-store',
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    };
    return page ? jsonText(200, pageText(page), headers) : { status: 304, headers };
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
