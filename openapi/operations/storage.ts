/** The paths of the storage interface: docs/api.md. */
import { LIMITS } from '../../core/limits';
import { BASE_PATH, type Method, type ResourceKind } from '../../service/routes/routes';
import type { Content, PathDescription, Response } from '../operation';
import { COMMIT_PATHS } from './commits';
import { CONSUMER_PATHS } from './consumers';
import { DELETED, DESCRIPTOR, LIFECYCLE, PHOTOS } from './examples';
import { RESTORE_PATHS } from './restore';
import { SIGNED_URL_PATHS } from './signed-urls';
import { WEB_PATHS } from './web';

const json = (schema: string, example?: unknown): Content => ({ json: schema, example });

const VALIDATORS = ['ETag', 'LastModified', 'Version', 'Cursor'] as const;
const OBJECT_VALIDATORS = [
  'ObjectETag',
  'ObjectLastModified',
  'ObjectVersion',
  'ObjectCursor',
] as const;
const STORED = [
  'CacheControl',
  'ContentDisposition',
  'ContentEncoding',
  'ContentLanguage',
  'ExpiresAt',
] as const;
const CONDITIONS = ['IfMatch', 'IfNoneMatch', 'IfUnmodifiedSince'] as const;

const bytes = (description: string, isPart: boolean): Response => ({
  description,
  content: {
    bytes: 'The bytes as they were sent.',
    ...(!isPart && { orJson: ['ObjectDescriptor', 'SignedDownload', 'VersionPage'] }),
  },
  headers: [
    ...(isPart ? ([...VALIDATORS, 'ContentRange'] as const) : OBJECT_VALIDATORS),
    'AcceptRanges',
    'Size',
    'Vary',
    'NoSniff',
    'Sandbox',
    'ReprDigest',
    ...STORED,
  ],
});

const stored = (description: string): Response => ({
  description,
  content: json('ObjectDescriptor', DESCRIPTOR),
  headers: [...VALIDATORS, 'NoStore'],
});

export const STORAGE_PATHS: Readonly<
  Record<ResourceKind, PathDescription<Exclude<Method, 'HEAD'>>>
> = {
  buckets: {
    path: `${BASE_PATH}/buckets`,
    tag: 'Buckets',
    parameters: [],
    operations: {
      GET: {
        id: 'listBuckets',
        summary: 'Lists the buckets that the API key may see, by name',
        parameters: ['Limit', 'PageToken'],
        responses: {
          200: {
            description: 'A page of buckets.',
            content: json('BucketPage', { buckets: [PHOTOS] }),
            headers: ['NoStore'],
          },
        },
      },
      POST: {
        id: 'createBucket',
        summary: 'Creates a bucket',
        description: 'Needs `create_bucket` for the bucket, without a prefix.',
        parameters: ['IdempotencyKey'],
        body: { content: json('NewBucket', { name: 'photos' }), required: true },
        responses: {
          201: {
            description: 'The bucket.',
            content: json('Bucket', PHOTOS),
            headers: ['Location', 'Cursor', 'NoStore'],
          },
        },
        errors: ['conflict', 'payload_too_large'],
      },
    },
  },
  bucket: {
    path: `${BASE_PATH}/buckets/{bucket}`,
    tag: 'Buckets',
    parameters: ['Bucket'],
    operations: {
      GET: {
        id: 'getBucket',
        summary: 'Describes a bucket',
        responses: {
          200: {
            description: 'The bucket.',
            content: json('Bucket', PHOTOS),
            headers: ['Cursor', 'NoStore'],
          },
        },
        errors: ['not_found'],
      },
      PATCH: {
        id: 'updateBucket',
        summary: 'Sets the lifecycle rules of a bucket; needs `delete` for all of it',
        parameters: ['IdempotencyKey'],
        body: { content: json('BucketChange', LIFECYCLE), required: true },
        responses: {
          200: {
            description: 'The bucket.',
            content: json('Bucket', { ...PHOTOS, ...LIFECYCLE }),
            headers: ['Cursor', 'NoStore'],
          },
        },
        errors: ['not_found', 'payload_too_large'],
      },
      DELETE: {
        id: 'deleteBucket',
        summary: 'Deletes an empty bucket',
        description: 'Needs `delete_bucket` for the bucket, without a prefix.',
        parameters: ['IdempotencyKey'],
        responses: { 204: { description: 'The bucket is deleted.', headers: ['Cursor'] } },
        errors: ['not_found', 'conflict'],
      },
    },
  },
  objects: {
    path: `${BASE_PATH}/objects/{bucket}`,
    tag: 'Objects',
    parameters: ['Bucket'],
    operations: {
      GET: {
        id: 'listObjects',
        summary: 'Lists objects in the order of the UTF-8 bytes of their keys',
        description: 'Lists only keys below the prefixes for which the API key has `list`.',
        parameters: ['Prefix', 'Delimiter', 'StartAfter', 'AsOf', 'Limit', 'PageToken'],
        responses: {
          200: {
            description: 'A page of objects and grouped prefixes.',
            content: json('ObjectPage', {
              objects: [DESCRIPTOR],
              prefixes: [],
              cursor: 8,
              bucket_id: '8sKq2LmVx0Tz',
            }),
            headers: ['Cursor', 'NoStore'],
          },
        },
        errors: ['not_found', 'cursor_expired'],
      },
      DELETE: {
        id: 'deleteObjects',
        summary: 'Deletes the objects whose keys begin with a prefix',
        description: `At most ${LIMITS.deletesPerCall} objects a call, in several commits; repeat it with the token while \`has_more\` is true. Idempotency-Key cannot be used. Needs \`delete\` for the whole prefix.`,
        parameters: ['DeletedPrefix', 'PageToken'],
        responses: {
          200: {
            description: 'How many objects were deleted, and whether there are more.',
            content: json('DeletedObjects', {
              ...{ bucket: 'photos', deleted: 2, from: 9, to: 10, has_more: false },
            }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found'],
      },
    },
  },
  object: {
    path: `${BASE_PATH}/objects/{bucket}/{key}`,
    tag: 'Objects',
    parameters: ['Bucket', 'Key'],
    operations: {
      GET: {
        id: 'getObject',
        summary: 'Downloads an object, or describes it',
        description:
          'Metadata is returned as `x-object-meta-<name>` headers. With `view=descriptor`, a 200 has no headers of the object except the validators; with `view=versions`, which takes `limit` and `before`, it has none. `as_of` and `version` exclude each other. Needs `read`.',
        parameters: [
          'Version',
          'AsOf',
          'View',
          'Limit',
          'Before',
          'Redirect',
          'Range',
          'IfRange',
          'IfMatch',
          'IfNoneMatch',
          'IfModifiedSince',
          'IfUnmodifiedSince',
        ],
        responses: {
          200: bytes(
            'The whole object; with `view=descriptor` the descriptor, with `view=versions` a page of versions, with `redirect=false` a signed URL.',
            false,
          ),
          206: bytes('The bytes of the range.', true),
          304: {
            description: 'The client already has this version.',
            headers: [...VALIDATORS, 'CacheControl', 'Vary'],
          },
          307: {
            description: `The response has more than ${LIMITS.streamedDownloadBytes / 1e6} MB (${LIMITS.bufferedDownloadBytes / 1024 ** 2} MiB where the deployment does not stream): \`Location\` serves the bytes without an API key for ${LIMITS.redirectSeconds} s, and refuses requests that have Authorization.`,
            headers: ['Location', 'NoStore', ...VALIDATORS],
          },
        },
        errors: ['not_found', 'cursor_expired', 'precondition_failed', 'range_not_satisfiable'],
      },
      PUT: {
        id: 'putObject',
        summary: 'Uploads or replaces an object',
        description: `At most ${LIMITS.inlineUploadBytes / 1024 ** 2} MiB; larger uploads need a signed URL. \`x-object-meta-<name>\` headers are stored as metadata, at most ${LIMITS.metadataBytes} bytes of names and values in visible ASCII. \`Content-Type\` is stored. Headers of S3, such as \`x-amz-meta-*\`, are refused. Needs \`write\`.`,
        parameters: [
          ...CONDITIONS,
          'ContentDigest',
          'ContentMd5',
          'CacheControl',
          'ContentDisposition',
          'ContentEncoding',
          'ContentLanguage',
          'ExpiresAt',
          'IdempotencyKey',
        ],
        body: { content: { bytes: 'Any bytes.' }, required: false },
        responses: { 200: stored('The object was replaced.'), 201: stored('The object is new.') },
        errors: ['not_found', 'precondition_failed', 'payload_too_large'],
      },
      DELETE: {
        id: 'deleteObject',
        summary: 'Deletes an object',
        description: 'The deletion is a version of its own. Needs `delete`.',
        parameters: [...CONDITIONS, 'IdempotencyKey'],
        responses: {
          200: {
            description: 'The object is deleted.',
            content: json('DeletedObject', DELETED),
            headers: ['Version', 'Cursor', 'NoStore'],
          },
        },
        errors: ['not_found', 'precondition_failed'],
      },
    },
  },
  ...COMMIT_PATHS,
  ...CONSUMER_PATHS,
  ...RESTORE_PATHS,
  ...SIGNED_URL_PATHS,
  ...WEB_PATHS,
  sync: {
    path: `${BASE_PATH}/sync`,
    tag: 'Changes',
    parameters: [],
    operations: {
      GET: {
        id: 'readChanges',
        summary: 'Reads the changes of a bucket after a cursor',
        description:
          'With `Upgrade: websocket`, the same address opens the change channel, which this document does not describe. Needs `sync` for the whole prefix.',
        parameters: [
          'FollowedBucket',
          'Cursor',
          'Prefix',
          'ChangesLimit',
          'Wait',
          'BucketId',
          'IfNoneMatch',
        ],
        responses: {
          200: {
            description: 'A page, which covers the cursors after `from` up to `to`.',
            content: json('ChangesPage', {
              bucket: 'photos',
              bucket_id: '8sKq2LmVx0Tz',
              from: 7,
              to: 9,
              head: 9,
              has_more: false,
              changes: [
                { cursor: 8, type: 'put', object: DESCRIPTOR },
                { cursor: 9, type: 'delete', object: DELETED },
              ],
            }),
            headers: ['ETag', 'NoStore', 'AskAgain'],
          },
          304: {
            description: 'There is no new change.',
            headers: ['ETag', 'NoStore', 'AskAgain'],
          },
        },
        errors: ['not_found', 'cursor_expired'],
      },
    },
  },
};
