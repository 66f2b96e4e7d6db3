import { forbidden, listableRanges } from '../../../core/access/permissions';
import { isPrefix } from '../../../core/channel/actions';
import { invalid } from '../../../core/errors';
import { newTokenSecret, openToken, parseLimit, sealToken } from '../../../core/http/pagination';
import { LIMITS } from '../../../core/limits';
import { settledCursor } from '../../../core/log/feed';
import type { ServiceState } from '../../../core/maintenance/ports';
import { descriptorOf } from '../../../core/objects/descriptor';
import { listObjects as list, listStart } from '../../../core/objects/listing';
import type { Operation } from '../http/dispatch';
import { jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { bucketOf } from './names';

/**
 * What a page token carries: where to go on, and which life and moment of the bucket the list began
 * in.
 */
interface Position {
  readonly bucketId: string;
  readonly cursor: number;
  readonly from: string;
}

type ListDeps = Pick<
  OperationDeps,
  'bucketIds' | 'buckets' | 'objects' | 'changeLog' | 'serviceState' | 'clock' | 'meter'
>;

/**
 * Lists objects. AWS calls: 2 GetItem (1 on later pages) and those of core's listObjects; 8 Query
 * more while changes are not delivered yet; every five minutes of an instance 1 for the secret.
 */
export const listObjects =
  (deps: ListDeps): Operation<'objects'> =>
  async (request, target) => {
    const bucket = bucketOf(target);
    const text = (name: string) => wellFormed(request.query(name), name);
    const prefix = text('prefix') ?? '';
    const delimiter = text('delimiter') ?? '';
    const startAfter = text('start_after');
    const ranges = listableRanges(request.caller, bucket, prefix);
    if (ranges.length === 0) throw forbidden('list');
    const limit = parseLimit(request.query('limit'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const context = ['objects', bucket, prefix, delimiter, startAfter, request.caller.keyId];
    const record = await deps.bucketIds.refresh(bucket);
    const position =
      token === undefined
        ? {
            bucketId: record.id,
            // Read before the first page: whatever the list misses lies behind it.
            cursor: await settledCursor(deps, record, await deps.buckets.stats(bucket)),
            from: listStart(startAfter, prefix),
          }
        : (openToken(secret, context, token) as Position);
    if (position.bucketId !== record.id) throw invalid('page_token', 'is of a deleted bucket');
    const page = await list(
      deps.objects,
      record.id,
      { ranges, prefix, delimiter, limit },
      position.from,
    );
    const next =
      page.next === undefined
        ? {}
        : { next_page_token: sealToken(secret, context, { ...position, from: page.next }) };
    return jsonResponse(
      200,
      {
        objects: page.objects.map(descriptorOf),
        prefixes: page.prefixes,
        cursor: position.cursor,
        bucket_id: record.id,
        ...next,
      },
      { 'x-object-cursor': String(position.cursor) },
    );
  };

function wellFormed(value: string | undefined, field: string): string | undefined {
  if (value === undefined) return undefined;
  if (!isPrefix(value)) {
    throw invalid(field, `must be at most ${LIMITS.keyBytes} bytes of UTF-8`);
  }
  return value;
}

/**
 * Whoever replaces the secret (docs/operations.md) waits no longer than this for every instance to
 * know.
 */
const SECRET_KNOWN_MS = 5 * 60_000;

interface KnownSecret {
  readonly secret: Promise<string>;
  readonly until: number;
}

const secrets = new WeakMap<ServiceState, KnownSecret>();

/**
 * The deployment's token secret: made by whoever needs it first, read every few minutes by each
 * function instance.
 */
export function tokenSecret({
  serviceState,
  clock,
}: Pick<ListDeps, 'serviceState' | 'clock'>): Promise<string> {
  const now = clock.now();
  const known = secrets.get(serviceState);
  if (known !== undefined && now < known.until) return known.secret;
  const secret = serviceState.once('page-token-secret', newTokenSecret());
  secrets.set(serviceState, { secret, until: now + SECRET_KNOWN_MS });
  secret.catch(() => secrets.delete(serviceState));
  return secret;
}
