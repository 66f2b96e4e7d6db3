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

/**
 * GET of an object with view=versions: a page of its versions, newest first. It has as many as the
 * rate limit has tokens for. AWS calls: 2 GetItem, and those of core's listVersions.
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
  const tokens = Math.ceil(Math.min(asked, newest) / LIMITS.versionsPerToken);
  const paid = 1 + (await request.takeTokensUpTo(Math.max(0, tokens - 1)));
  const limit = Math.min(asked, paid * LIMITS.versionsPerToken);
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
