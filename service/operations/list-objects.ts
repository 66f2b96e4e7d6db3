import { forbidden, listableRanges, ownerOf } from '../../core/access/permissions';
import { invalid } from '../../core/errors';
import { newTokenSecret, openToken, parseLimit, sealToken } from '../../core/http/pagination';
import { settledCursor } from '../../core/log/reader';
import { parsePrefix } from '../../core/names';
import { listObjects, listStart, type RecordSource } from '../../core/objects/listing';
import type { ServiceState } from '../../core/service-state';
import { ObjectsAsOf, openAsOf, parseAsOf, whileKept } from '../../core/versions/as-of';
import { descriptorOf } from '../../core/views';
import { jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';

/** Content of a page token. */
interface ListState {
  /** The incarnation of the bucket in which the list began. */
  readonly bucketId: string;
  /** The cursor of the change log when the list began; every page returns it. */
  readonly cursor: number;
  /** Where the next page begins. */
  readonly from: string;
}

type ListDeps = Pick<
  OperationDeps,
  'bucketIds' | 'buckets' | 'objects' | 'changeLog' | 'serviceState' | 'clock' | 'meter'
>;

/**
 * Lists objects. AWS calls: 2 GetItem (1 on later pages) and those of core's listObjects; 8 Query
 * more while changes are not yet published; every five minutes of an instance 1 for the secret.
 * With as_of 2 GetItem more (1 on later pages), and those of `recordAsOf` for each newer record.
 */
export const handleListObjects =
  (deps: ListDeps): StorageOperation<'objects'> =>
  async (request, { bucket }) => {
    const query = (name: string) => {
      const value = request.query(name);
      return value === undefined ? undefined : parsePrefix(value, name);
    };
    const prefix = query('prefix') ?? '';
    const ranges = listableRanges(request.caller, bucket, prefix);
    if (ranges.length === 0) throw forbidden('list', { bucket, prefix });
    const delimiter = query('delimiter') ?? '';
    const startAfter = query('start_after');
    const limit = parseLimit(request.query('limit'));
    const asOf = parseAsOf(request.query('as_of'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const context = [
      ...['objects', bucket, prefix, delimiter, startAfter, ownerOf(request.caller)],
      ...(asOf === undefined ? [] : [asOf]),
    ];
    const opened =
      asOf !== undefined && token === undefined ? await openAsOf(deps, bucket, asOf) : undefined;
    const record = opened?.bucket ?? (await deps.bucketIds.refresh(bucket));
    const state: ListState =
      token === undefined
        ? {
            bucketId: record.id,
            // Read before the first page: every change that the list misses has a later cursor.
            cursor:
              opened?.asOf ?? (await settledCursor(deps, record, await deps.buckets.stats(bucket))),
            from: listStart(startAfter, prefix),
          }
        : (openToken(secret, context, token) as ListState);
    if (state.bucketId !== record.id) throw invalid('page_token', 'belongs to a deleted bucket');
    const list = (source: RecordSource) =>
      listObjects(source, record.id, { ranges, prefix, delimiter, limit }, state.from);
    const page =
      asOf === undefined
        ? await list(deps.objects)
        : await whileKept(deps, record, state.cursor, () =>
            list(new ObjectsAsOf(deps, state.cursor, request.takeTokensUpTo)),
          );
    const next =
      page.next === undefined
        ? {}
        : { next_page_token: sealToken(secret, context, { ...state, from: page.next }) };
    return jsonResponse(
      200,
      {
        objects: page.objects.map(descriptorOf),
        prefixes: page.prefixes,
        cursor: state.cursor,
        bucket_id: record.id,
        ...next,
      },
      { 'x-object-cursor': String(state.cursor) },
    );
  };

/**
 * How long an instance caches the secret. After an operator replaces it (docs/operations.md), every
 * instance uses the new one within this time.
 */
const SECRET_CACHED_MS = 5 * 60_000;

interface CachedSecret {
  readonly secret: Promise<string>;
  readonly until: number;
}

const secrets = new WeakMap<ServiceState, CachedSecret>();

/** The deployment's secret for page tokens. The first instance that needs it creates it. */
export function tokenSecret({
  serviceState,
  clock,
}: Pick<ListDeps, 'serviceState' | 'clock'>): Promise<string> {
  const now = clock.now();
  const cached = secrets.get(serviceState);
  if (cached !== undefined && now < cached.until) return cached.secret;
  const secret = serviceState.once('page-token-secret', newTokenSecret());
  secrets.set(serviceState, { secret, until: now + SECRET_CACHED_MS });
  secret.catch(() => secrets.delete(serviceState));
  return secret;
}
