import { invalid } from '../../core/errors';
import { parseLimit } from '../../core/http/pagination';
import { LIMITS } from '../../core/limits';
import { listVersions } from '../../core/log/history';
import { objectNotFound } from '../../core/not-found';
import type { ObjectName } from '../../core/objects/objects';
import { versionView } from '../../core/views';
import type { ApiRequest } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { ReadDeps } from './deps';
import { paidItems } from './work-tokens';

/**
 * GET of an object with view=versions: a page of its versions, newest first. The tokens of the rate
 * limit bound the page. AWS calls: 2 GetItem, and those of core's listVersions.
 */
export async function versionsResponse(
  deps: ReadDeps,
  request: Pick<ApiRequest<unknown>, 'query' | 'takeTokensUpTo'>,
  { bucket, key }: ObjectName,
): Promise<HttpResponse> {
  const asked = parseLimit(request.query('limit'));
  const before = parseBefore(request.query('before'));
  // The log of a deleted bucket stays readable, so its id must be the current one.
  const { id } = await deps.bucketIds.refresh(bucket);
  const current = await deps.objects.get(id, key);
  if (!current) throw objectNotFound(bucket, key);
  const newest = Math.min(before - 1, current.version);
  const wanted = Math.min(asked, newest);
  const limit = Math.min(asked, await paidItems(request, wanted, LIMITS.versionsPerToken));
  const versions = await listVersions(deps.changeLog, id, current, { newest, limit });
  const last = versions.length === limit ? (versions.at(-1)?.version ?? 1) : 1;
  return jsonResponse(200, {
    bucket,
    key,
    versions: versions.map(versionView),
    ...(last > 1 && { next_before: last }),
  });
}

function parseBefore(value: string | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalid('before', 'must be a version, 1 or more');
  return Number(value);
}
