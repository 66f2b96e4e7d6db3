/** Requests about the past: the versions of an object, and restores. */
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import type { RestoreOptions, VersionsOptions } from './options';
import { objectPath } from './paths';
import { isRecord, type RestoreResult, type VersionPage } from './resources';

export async function versionPage(
  http: Http,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  { before, limit, signal }: VersionsOptions,
): Promise<VersionPage> {
  const query = { view: 'versions', before, limit };
  const request = { path: objectPath(bucket, key), query, signal, timeoutMs: REQUEST_MS };
  const page = await http.json(request);
  if (isRecord(page) && Array.isArray(page.versions)) return page as unknown as VersionPage;
  throw new StowageError('invalid_answer', 'the response of the service is not a list of versions');
}

export async function restore(
  http: Http,
  bucket: string,
  { asOf, prefix, dryRun, pageToken, signal }: RestoreOptions,
): Promise<RestoreResult> {
  const body = { bucket, as_of: asOf, prefix, dry_run: dryRun, page_token: pageToken };
  const result = await http.post('restore', body, { signal });
  if (isRecord(result) && typeof result.has_more === 'boolean') {
    return result as unknown as RestoreResult;
  }
  throw new StowageError(
    'invalid_answer',
    'the response of the service is not the result of a restore',
  );
}
