/**
 * The paths of the storage API. An endpoint is a row of `TABLE`: its path, and for each method its
 * operation id and rate class. Everything else here follows from the rows. `storage-api.ts` names
 * the function behind each operation, `openapi/operations/` describes it.
 */
import { parseConsumerName } from '../../core/consumers/consumers';
import { invalid } from '../../core/errors';
import type { RateClass } from '../../core/limits';
import { parseBucketName, parseKey, percentDecode } from '../../core/names';
import type { Method } from '../http/app';

export type { Method } from '../http/app';

export const BASE_PATH = '/api/v2/storage';

/** The paths that open links, which need no API key. */
export const LINK_PATH = '/s/';

/** The query parameter with the secret of a link: paths are logged, queries are not. */
export const LINK_SECRET = 'secret';

type Operation = readonly [id: string, rateClass: RateClass];

interface Row {
  /** Below `BASE_PATH`. `{name}` is one segment; `{name+}` is the rest, and may be empty. */
  readonly path: string;
  /** By method. HEAD without an entry is that of GET. */
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
}

const TABLE = {
  buckets: {
    path: 'buckets',
    operations: { GET: ['listBuckets', 'list'], POST: ['createBucket', 'write'] },
  },
  bucket: {
    path: 'buckets/{bucket}',
    operations: {
      GET: ['getBucket', 'read'],
      PATCH: ['updateBucket', 'write'],
      DELETE: ['deleteBucket', 'write'],
    },
  },
  consumers: {
    path: 'buckets/{bucket}/consumers',
    operations: { GET: ['listConsumers', 'list'] },
  },
  consumer: {
    path: 'buckets/{bucket}/consumers/{name}',
    operations: {
      GET: ['getConsumer', 'read'],
      PUT: ['putConsumer', 'write'],
      DELETE: ['deleteConsumer', 'write'],
    },
  },
  objects: {
    path: 'objects/{bucket}',
    operations: { GET: ['listObjects', 'list'], DELETE: ['deleteObjects', 'write'] },
  },
  object: {
    path: 'objects/{bucket}/{key+}',
    operations: {
      GET: ['getObject', 'read'],
      // An operation of its own in the metrics, because it does much less.
      HEAD: ['getObjectHead', 'read'],
      PUT: ['putObject', 'write'],
      DELETE: ['deleteObject', 'write'],
    },
  },
  commits: { path: 'commits', operations: { POST: ['commit', 'write'] } },
  restore: { path: 'restore', operations: { POST: ['restoreObjects', 'write'] } },
  'signed-url': { path: 'signed-url', operations: { POST: ['signUrl', 'sign'] } },
  upload: { path: 'uploads/{uploadId}', operations: { GET: ['getUpload', 'read'] } },
  links: {
    path: 'links',
    operations: { GET: ['listLinks', 'list'], POST: ['createLink', 'sign'] },
  },
  link: { path: 'links/{id}', operations: { DELETE: ['deleteLink', 'sign'] } },
  tokens: { path: 'tokens', operations: { POST: ['createToken', 'sign'] } },
  // The rate class is `wait` for a request that asks to wait.
  sync: { path: 'sync', operations: { GET: ['readChanges', 'read'] } },
} as const satisfies Readonly<Record<string, Row>>;

type Table = typeof TABLE;

export type ResourceKind = keyof Table;

type ParametersOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Tail}+` ? Tail : Name) | ParametersOf<Rest>
  : never;

type Target<Kind extends ResourceKind> = { readonly kind: Kind } & {
  readonly [Name in ParametersOf<Table[Kind]['path']>]: string;
};

/**
 * The resource that a path addresses. `resourceOf` returns the names percent-encoded, as they
 * arrived.
 */
export type Resource = { readonly [Kind in ResourceKind]: Target<Kind> }[ResourceKind];

type IdsOf<Operations> = { readonly [Name in keyof Operations]: IdOf<Operations[Name]> };
type IdOf<Entry> = Entry extends readonly [infer Id, unknown] ? Id : never;

/** Operation ids as in openapi/. HEAD has the id of GET, except for an object. */
export const OPERATION_IDS = Object.fromEntries(
  rows().map(([kind, { operations }]) => [
    kind,
    Object.fromEntries(Object.entries(operations).map(([method, [id]]) => [method, id])),
  ]),
) as { readonly [Kind in ResourceKind]: IdsOf<Table[Kind]['operations']> };

export const METHODS = Object.fromEntries(
  rows().map(([kind, { operations }]) => [
    kind,
    (Object.keys(operations) as Method[]).flatMap((method): Method[] =>
      method === 'GET' && !('HEAD' in operations) ? ['GET', 'HEAD'] : [method],
    ),
  ]),
) as unknown as Readonly<Record<ResourceKind, readonly Method[]>>;

type Values<T> = T extends unknown ? T[keyof T] : never;
type OperationId = Values<Values<typeof OPERATION_IDS>>;

/** Values of the metric dimension `Route`: the operations, and four for other requests. */
export const ROUTES = [
  ...rows().flatMap(([, { operations }]) =>
    Object.values(operations).map(([id]) => id as OperationId),
  ),
  'waitForChanges',
  'openLink',
  'administration',
  'other',
] as const;

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

function rows(): readonly (readonly [ResourceKind, Row])[] {
  return Object.entries(TABLE) as unknown as readonly (readonly [ResourceKind, Row])[];
}

const PATTERNS = rows().map(([kind, { path }]) => {
  const pattern = path.replace(/\{(\w+)(\+?)\}/g, (_, name, rest) =>
    rest === '' ? `(?<${name}>[^/]+)` : `(?<${name}>.*)`,
  );
  return { kind, pattern: new RegExp(`^${BASE_PATH}/${pattern}$`, 's') };
});

/**
 * Returns what a raw request path addresses, or undefined when it is no path of the interface. A
 * key is everything after the bucket's slash, byte for byte.
 */
export function resourceOf(path: string): Resource | undefined {
  for (const { kind, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (match) return { kind, ...match.groups } as Resource;
  }
  return undefined;
}

/** The routes for `createApp` in service/http/app.ts. */
export const STORAGE_ROUTES = { resourceOf, methods: METHODS, decode: decodeResource, meant };

/**
 * Returns the path that a request probably meant: without a slash at the end, below the base path,
 * or with the name that the method needs.
 */
function meant(method: string, path: string): string | undefined {
  const resource = resourceOf(path);
  const serves = (candidate: string) => {
    const { kind } = resourceOf(candidate) ?? {};
    return kind !== undefined && METHODS[kind].some((known) => known === method);
  };
  if (resource === undefined) return [path.replace(/\/$/, ''), BASE_PATH + path].find(serves);
  const parent = TABLE[resource.kind].path;
  const candidates = rows().flatMap(([, row]) => {
    const name = row.path.startsWith(`${parent}/`) ? row.path.slice(parent.length + 1) : '';
    return /^\{\w+\+?\}$/.test(name) ? [`${path}/${name.replace('+', '')}`] : [];
  });
  return candidates.find(serves);
}

/** Decodes each name exactly once and validates it. Throws invalid_request. */
function decodeResource(resource: Resource): Resource {
  const decoded: Record<string, string> = {};
  if ('bucket' in resource) {
    decoded.bucket = parseBucketName(percentDecode(resource.bucket, 'bucket'));
  }
  if ('name' in resource) decoded.name = parseConsumerName(percentDecode(resource.name, 'name'));
  if ('key' in resource) {
    if (resource.key === '') {
      throw invalid('key', `is required; ${BASE_PATH}/objects/${decoded.bucket} lists the bucket`);
    }
    decoded.key = parseKey(percentDecode(resource.key, 'key'));
  }
  return { ...resource, ...decoded };
}

/** The parts of a request by which it is counted. */
export interface Counted {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Returns the row's entry for a method; HEAD falls back to GET. */
function operationOf(method: string, resource: Resource | undefined): Operation | undefined {
  if (!resource) return undefined;
  const { operations }: Row = TABLE[resource.kind];
  if (Object.hasOwn(operations, method)) return operations[method as Method];
  return method === 'HEAD' ? operations.GET : undefined;
}

/** Returns the operation that a request is counted as in the metrics. */
export function routeOf({ method, path, query }: Counted): Route {
  const resource = resourceOf(path);
  const operation = operationOf(method, resource);
  if (!operation) return 'other';
  // Long polls have a route of their own, so that they do not distort the latency of readChanges.
  if (resource?.kind === 'sync' && asksToWait(query)) return 'waitForChanges';
  return operation[0] as Route;
}

/**
 * Returns the rate limit that a request counts for (docs/api.md, "Rate limits"). A request that
 * ends with 404 or 405 counts by its method.
 */
export function rateClassOf(
  { method, query }: Pick<Counted, 'method' | 'query'>,
  resource: Resource | undefined,
): RateClass {
  const operation = operationOf(method, resource);
  if (!operation) return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  return resource?.kind === 'sync' && asksToWait(query) ? 'wait' : operation[1];
}

/** Reports whether the request has a `wait` other than 0, which need not be valid. */
function asksToWait(query: Counted['query']): boolean {
  return (query.wait ?? []).some((wait) => wait !== '' && wait !== '0');
}
