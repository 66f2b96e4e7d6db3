/**
 * The paths of the storage API as data: the api and download functions dispatch by them, lib/
 * builds API Gateway from them.
 */
import { parseConsumerName } from '../../core/consumers/consumers';
import { invalid } from '../../core/errors';
import type { RateClass } from '../../core/limits';
import { parseBucketName, parseKey, percentDecode } from '../../core/names';

export const BASE_PATH = '/api/v2/storage';

/** The paths that open links, which need no API key. */
export const LINK_PATH = '/s/';

/** The query parameter with the secret of a link: paths are logged, queries are not. */
export const LINK_SECRET = 'secret';

/** What a path addresses. `resourceOf` returns the names as they arrived: percent-encoded. */
export type Resource =
  | { readonly kind: 'buckets' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'consumers'; readonly bucket: string }
  | { readonly kind: 'consumer'; readonly bucket: string; readonly name: string }
  | { readonly kind: 'objects'; readonly bucket: string }
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'commits' }
  | { readonly kind: 'restore' }
  | { readonly kind: 'signed-url' }
  | { readonly kind: 'upload'; readonly uploadId: string }
  | { readonly kind: 'links' }
  | { readonly kind: 'link'; readonly id: string }
  | { readonly kind: 'tokens' }
  | { readonly kind: 'sync' };

export type ResourceKind = Resource['kind'];

export type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export const METHODS: Readonly<Record<ResourceKind, readonly Method[]>> = {
  buckets: ['GET', 'HEAD', 'POST'],
  bucket: ['GET', 'HEAD', 'PATCH', 'DELETE'],
  consumers: ['GET', 'HEAD'],
  consumer: ['GET', 'HEAD', 'PUT', 'DELETE'],
  objects: ['GET', 'HEAD', 'DELETE'],
  object: ['GET', 'HEAD', 'PUT', 'DELETE'],
  commits: ['POST'],
  restore: ['POST'],
  'signed-url': ['POST'],
  upload: ['GET', 'HEAD'],
  links: ['GET', 'HEAD', 'POST'],
  link: ['DELETE'],
  tokens: ['POST'],
  sync: ['GET', 'HEAD'],
};

/**
 * Operation ids as in openapi/. HEAD has the id of GET, except for an object, where HEAD does much
 * less.
 */
export const OPERATION_IDS = {
  buckets: { GET: 'listBuckets', POST: 'createBucket' },
  bucket: { GET: 'getBucket', PATCH: 'updateBucket', DELETE: 'deleteBucket' },
  consumers: { GET: 'listConsumers' },
  consumer: { GET: 'getConsumer', PUT: 'putConsumer', DELETE: 'deleteConsumer' },
  objects: { GET: 'listObjects', DELETE: 'deleteObjects' },
  object: {
    GET: 'getObject',
    HEAD: 'getObjectHead',
    PUT: 'putObject',
    DELETE: 'deleteObject',
  },
  commits: { POST: 'commit' },
  restore: { POST: 'restoreObjects' },
  'signed-url': { POST: 'signUrl' },
  upload: { GET: 'getUpload' },
  links: { GET: 'listLinks', POST: 'createLink' },
  link: { DELETE: 'deleteLink' },
  tokens: { POST: 'createToken' },
  sync: { GET: 'readChanges' },
} as const satisfies Record<ResourceKind, Partial<Record<Method, string>>>;

/** Values of the metric dimension `Route`: the operations, and four for other requests. */
export const ROUTES = [
  ...Object.values(OPERATION_IDS).flatMap((ids) => Object.values(ids) as OperationId[]),
  'waitForChanges',
  'openLink',
  'administration',
  'other',
] as const;

type Values<T> = T extends unknown ? T[keyof T] : never;
type OperationId = Values<Values<typeof OPERATION_IDS>>;

export type Route = (typeof ROUTES)[number];

/** The message of the gateway's 401, and of the function that authenticates in its place. */
export const NO_VALID_KEY =
  'the API key is missing, mistyped or not valid: compare it with what you copied, and send Authorization: Bearer <API_KEY> with a key that has not been revoked';

/**
 * Headers in which the edge passes on what the function behind its URL would not get: CloudFront
 * replaces Authorization by its own signature, and the path may arrive decoded.
 */
export const DIRECT_HEADERS = {
  authorization: 'x-object-authorization',
  path: 'x-object-path',
} as const;

/**
 * What the raw request path addresses, or undefined when it is no path of the interface. The key is
 * everything after the bucket's slash, byte for byte. `pathParameters` of the event is not used for
 * it, because API Gateway drops a trailing slash there.
 */
export function resourceOf(path: string): Resource | undefined {
  if (!path.startsWith(`${BASE_PATH}/`)) return undefined;
  const rest = path.slice(BASE_PATH.length + 1);
  if (rest === 'buckets') return { kind: 'buckets' };
  const [, uploadId] = /^uploads\/([^/]+)$/.exec(rest) ?? [];
  if (uploadId !== undefined) return { kind: 'upload', uploadId };
  if (rest === 'signed-url' || rest === 'links' || rest === 'commits') return { kind: rest };
  if (rest === 'restore' || rest === 'tokens' || rest === 'sync') return { kind: rest };
  const [, id] = /^links\/([^/]+)$/.exec(rest) ?? [];
  if (id !== undefined) return { kind: 'link', id };
  const [, collection, bucket, key] = /^(buckets|objects)\/([^/]+)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (bucket === undefined) return undefined;
  if (collection === 'buckets') return partOf(bucket, key);
  return key === undefined ? { kind: 'objects', bucket } : { kind: 'object', bucket, key };
}

/** What the path after a bucket's own addresses. */
function partOf(bucket: string, rest: string | undefined): Resource | undefined {
  if (rest === undefined) return { kind: 'bucket', bucket };
  if (rest === 'consumers') return { kind: 'consumers', bucket };
  const [, name] = /^consumers\/([^/]+)$/.exec(rest) ?? [];
  return name === undefined ? undefined : { kind: 'consumer', bucket, name };
}

/** For `createApp` in http/app.ts. */
export const STORAGE_ROUTES = { resourceOf, methods: METHODS, decode: decodeResource, meant };

/**
 * The path that a request probably meant: without a slash at the end, below the base path, or with
 * the name that the method needs.
 */
function meant(method: string, path: string): string | undefined {
  const resource = resourceOf(path);
  const serves = (candidate: string) => {
    const { kind } = resourceOf(candidate) ?? {};
    return kind !== undefined && METHODS[kind].some((known) => known === method);
  };
  if (resource === undefined) return [path.replace(/\/$/, ''), BASE_PATH + path].find(serves);
  const parts = { buckets: '{bucket}', consumers: '{name}', objects: '{key}', links: '{id}' };
  const name = parts[resource.kind as keyof typeof parts] as string | undefined;
  return name !== undefined && serves(`${path}/${name}`) ? `${path}/${name}` : undefined;
}

/**
 * The resource with its names percent-decoded exactly once and validated. Throws invalid_request.
 */
function decodeResource(resource: Resource): Resource {
  if (!('bucket' in resource)) return resource;
  const bucket = parseBucketName(percentDecode(resource.bucket, 'bucket'));
  if (resource.kind === 'consumer') {
    return { ...resource, bucket, name: parseConsumerName(percentDecode(resource.name, 'name')) };
  }
  if (!('key' in resource)) return { ...resource, bucket };
  if (resource.key === '') {
    throw invalid('key', `is required; ${BASE_PATH}/objects/${bucket} lists the bucket`);
  }
  return { ...resource, bucket, key: parseKey(percentDecode(resource.key, 'key')) };
}

/**
 * The rate limit that a request counts for (docs/api.md, "Rate limits"). A request that ends with
 * 404 or 405 counts by its method.
 */
export function rateClassOf(
  method: string,
  resource: Resource | undefined,
  asksToWait: boolean,
): RateClass {
  if (resource?.kind === 'signed-url' || resource?.kind === 'link') return 'sign';
  if (resource?.kind === 'tokens') return 'sign';
  if (resource?.kind === 'links') return method === 'POST' ? 'sign' : 'list';
  if (method !== 'GET' && method !== 'HEAD') return 'write';
  if (resource?.kind === 'sync' && asksToWait) return 'wait';
  const isList = ['objects', 'buckets', 'consumers'].includes(resource?.kind ?? '');
  return isList ? 'list' : 'read';
}
