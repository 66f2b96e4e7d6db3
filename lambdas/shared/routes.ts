/**
 * The paths of the interface as data: the api and download functions dispatch by it, lib/ builds
 * API Gateway from it.
 */
export const BASE_PATH = '/api/v2/storage';

/** What a path addresses. Names are raw: percent-encoded as they arrived. */
export type Target =
  | { readonly kind: 'buckets' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'objects'; readonly bucket: string }
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'signed-url' }
  | { readonly kind: 'sync' };

export type TargetKind = Target['kind'];

export type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

export const METHODS: Readonly<Record<TargetKind, readonly Method[]>> = {
  buckets: ['GET', 'HEAD', 'POST'],
  bucket: ['GET', 'HEAD', 'DELETE'],
  objects: ['GET', 'HEAD'],
  object: ['GET', 'HEAD', 'PUT', 'DELETE'],
  'signed-url': ['POST'],
  sync: ['GET', 'HEAD'],
};

/**
 * As in the description of the interface (openapi/). HEAD counts as GET, but for an object, where
 * it does much less.
 */
export const OPERATION_IDS = {
  buckets: { GET: 'listBuckets', POST: 'createBucket' },
  bucket: { GET: 'getBucket', DELETE: 'deleteBucket' },
  objects: { GET: 'listObjects' },
  object: {
    GET: 'getObject',
    HEAD: 'getObjectHead',
    PUT: 'putObject',
    DELETE: 'deleteObject',
  },
  'signed-url': { POST: 'signUrl' },
  sync: { GET: 'readChanges' },
} as const satisfies Record<TargetKind, Partial<Record<Method, string>>>;

/** By what the requests are told apart in metrics: an operation, or one of those that are none. */
export const ROUTES = [
  ...Object.values(OPERATION_IDS).flatMap((ids) => Object.values(ids) as OperationId[]),
  'waitForChanges',
  'administration',
  'other',
] as const;

type Values<T> = T extends unknown ? T[keyof T] : never;
type OperationId = Values<Values<typeof OPERATION_IDS>>;

export type Route = (typeof ROUTES)[number];

/**
 * What the raw request path addresses; undefined: nothing. The key is everything behind the
 * bucket's slash, byte for byte: `pathParameters` is not to be trusted for it, because API Gateway
 * drops a trailing slash there.
 */
export function targetOf(path: string): Target | undefined {
  if (!path.startsWith(`${BASE_PATH}/`)) return undefined;
  const rest = path.slice(BASE_PATH.length + 1);
  if (rest === 'buckets') return { kind: 'buckets' };
  if (rest === 'signed-url' || rest === 'sync') return { kind: rest };
  const [, collection, bucket, slash, key] =
    /^(buckets|objects)\/([^/]+)(\/?)(.*)$/s.exec(rest) ?? [];
  if (bucket === undefined) return undefined;
  if (collection === 'objects' && slash === '/') return { kind: 'object', bucket, key: key ?? '' };
  if (collection === 'objects') return { kind: 'objects', bucket };
  return slash === '' ? { kind: 'bucket', bucket } : undefined;
}
