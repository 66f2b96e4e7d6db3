/**
 * One request for each operation of the OpenAPI document, and several for those that need other
 * permissions depending on the body. A new operation has to be added here and in rules.ts:
 * matrix.test.ts compares both with the document.
 */
import type { Target } from './rules';

export interface Asked {
  readonly method: string;
  /** Below `/api/v2/storage`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What the world holds for each object; of one that does not exist ids that nothing has. */
export interface Resources extends Target {
  readonly uploadId: string;
  readonly linkId: string;
  /** A consumer that follows `prefix`. */
  readonly consumer: string;
}

export interface Operation {
  /** As in rules.ts: the id in the document, and a word more where one id has several rules. */
  readonly name: string;
  readonly request: (at: Resources) => Asked;
  /** What else the request may be, with the same rule. */
  readonly alike?: readonly ((at: Resources) => Asked)[];
}

const json = (value: object) => JSON.stringify(value);
const encode = (key: string) => key.split('/').map(encodeURIComponent).join('/');

const get = (path: string, query?: Asked['query']): Asked => ({ method: 'GET', path, query });
const post = (path: string, body: object): Asked => ({ method: 'POST', path, body: json(body) });

const objectAt = ({ bucket, key }: Target) => `/objects/${bucket}/${encode(key)}`;
const consumerAt = ({ bucket, consumer }: Resources) => `/buckets/${bucket}/consumers/${consumer}`;

function commit(change: (at: Resources) => object): Operation['request'] {
  return (at) => post('/commits', { bucket: at.bucket, changes: [change(at)] });
}

const read = (query: Asked['query']) => (at: Resources) => get(objectAt(at), query);

export const OPERATIONS: readonly Operation[] = [
  { name: 'listBuckets', request: () => get('/buckets') },
  { name: 'createBucket', request: ({ bucket }) => post('/buckets', { name: bucket }) },
  { name: 'getBucket', request: ({ bucket }) => get(`/buckets/${bucket}`) },
  {
    name: 'updateBucket',
    request: ({ bucket }) => ({
      method: 'PATCH',
      path: `/buckets/${bucket}`,
      body: json({ lifecycle: [{ expire_after_days: 9 }] }),
    }),
  },
  {
    name: 'deleteBucket',
    request: ({ bucket }) => ({ method: 'DELETE', path: `/buckets/${bucket}` }),
  },
  { name: 'listConsumers', request: ({ bucket }) => get(`/buckets/${bucket}/consumers`) },
  { name: 'getConsumer', request: (at) => get(consumerAt(at)) },
  {
    name: 'putConsumer',
    request: (at) => ({
      method: 'PUT',
      path: consumerAt(at),
      body: json({ cursor: 1, prefix: at.prefix }),
    }),
  },
  { name: 'deleteConsumer', request: (at) => ({ method: 'DELETE', path: consumerAt(at) }) },
  {
    name: 'listObjects',
    request: ({ bucket, prefix }) => get(`/objects/${bucket}`, { prefix }),
    alike: [
      ({ bucket, prefix }) => get(`/objects/${bucket}`, { prefix, delimiter: '/' }),
      ({ bucket, prefix }) => get(`/objects/${bucket}`, { prefix, as_of: '2' }),
    ],
  },
  {
    name: 'deleteObjects',
    request: ({ bucket, prefix }) => ({
      ...{ method: 'DELETE', path: `/objects/${bucket}`, query: { prefix } },
    }),
  },
  {
    name: 'getObject',
    request: (at) => get(objectAt(at)),
    alike: ['descriptor', 'versions']
      .map((view) => read({ view }))
      .concat([read({ version: '1' }), read({ as_of: '1' }), read({ redirect: 'false' })]),
  },
  {
    name: 'putObject',
    request: (at) => ({ method: 'PUT', path: objectAt(at), body: 'new' }),
  },
  { name: 'deleteObject', request: (at) => ({ method: 'DELETE', path: objectAt(at) }) },
  { name: 'commit put', request: commit(({ key }) => ({ op: 'put', key, content: '' })) },
  {
    name: 'commit delete',
    request: commit(({ key }) => ({ op: 'delete', key })),
    alike: [commit(({ key }) => ({ op: 'delete', key, if_exists: true }))],
  },
  {
    name: 'commit patch',
    request: commit(({ key }) => ({ op: 'patch', key, content_type: 'a/b' })),
  },
  {
    name: 'commit copy',
    request: commit(({ key, prefix }) => ({ op: 'copy', key: `${prefix}new`, from: { key } })),
    alike: [
      commit(({ bucket, key, prefix }) => ({
        ...{ op: 'copy', key: `${prefix}new`, from: { bucket, key, version: 1 } },
      })),
    ],
  },
  {
    name: 'commit move',
    request: commit(({ key, prefix }) => ({ op: 'move', key: `${prefix}new`, from: { key } })),
  },
  {
    name: 'restoreObjects',
    request: ({ bucket, prefix }) => post('/restore', { bucket, prefix, as_of: 1 }),
    alike: [({ bucket, prefix }) => post('/restore', { bucket, prefix, as_of: 1, dry_run: true })],
  },
  {
    name: 'signUrl GET',
    request: ({ bucket, key }) => post('/signed-url', { method: 'GET', bucket, key }),
  },
  {
    name: 'signUrl PUT',
    request: ({ bucket, key }) => post('/signed-url', { method: 'PUT', bucket, key }),
    alike: [
      ({ bucket, key }) =>
        post('/signed-url', { method: 'PUT', bucket, key, multipart: { size: 6_000_000 } }),
      ({ bucket, key, uploadId }) =>
        post('/signed-url', { method: 'PUT', bucket, key, multipart: { upload_id: uploadId } }),
    ],
  },
  {
    name: 'signUrl SYNC',
    request: ({ bucket, prefix }) => post('/signed-url', { method: 'SYNC', bucket, prefix }),
  },
  { name: 'getUpload', request: ({ uploadId }) => get(`/uploads/${uploadId}`) },
  { name: 'createLink', request: ({ bucket, key }) => post('/links', { bucket, key }) },
  { name: 'listLinks', request: ({ bucket }) => get('/links', { bucket }) },
  { name: 'deleteLink', request: ({ linkId }) => ({ method: 'DELETE', path: `/links/${linkId}` }) },
  {
    name: 'createToken',
    request: ({ bucket, prefix }) =>
      post('/tokens', { permissions: [{ buckets: [bucket], prefix, actions: ['read', 'list'] }] }),
  },
  {
    name: 'readChanges',
    request: ({ bucket, prefix }) => get('/sync', { bucket, prefix }),
    alike: [({ bucket, prefix }) => get('/sync', { bucket, prefix, cursor: '0', limit: '2' })],
  },
];

/** Any values: which method a request has does not depend on them. */
const SAMPLE: Resources = {
  ...{ bucket: 'b', key: 'k', prefix: '', uploadId: 'u', linkId: 'l', consumer: 'c' },
};

export interface NamedRequest {
  readonly operation: string;
  readonly request: (at: Resources) => Asked;
}

/** One request for each rule. */
export const PLAIN: readonly NamedRequest[] = OPERATIONS.map(({ name, request }) => {
  return { operation: name, request };
});

/** Every request, and for each operation with GET the HEAD that follows from it. */
export const REQUESTS: readonly NamedRequest[] = OPERATIONS.flatMap(({ name, request, alike }) => {
  const head = (at: Resources) => ({ ...request(at), method: 'HEAD' });
  const heads = request(SAMPLE).method === 'GET' ? [head] : [];
  return [request, ...(alike ?? []), ...heads].map((one) => ({ operation: name, request: one }));
});
