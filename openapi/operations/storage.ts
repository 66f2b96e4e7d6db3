/** The paths of the storage interface: docs/api.md. */
import { LIMITS } from '../../core/limits';
import { BASE_PATH, type Method, type TargetKind } from '../../lambdas/shared/routes';
import type { Answer, Content, PathDescription } from '../operation';
import { DELETED, DESCRIPTOR, PHOTOS } from './examples';

const json = (schema: string, example?: unknown): Content => ({ json: schema, example });

const VALIDATORS = ['ETag', 'LastModified', 'Version', 'Position'] as const;
const STORED = [
  'CacheControl',
  'ContentDisposition',
  'ContentEncoding',
  'ContentLanguage',
] as const;
const CONDITIONS = ['IfMatch', 'IfNoneMatch', 'IfUnmodifiedSince'] as const;

const bytes = (description: string, isPart: boolean): Answer => ({
  description,
  content: {
    bytes: 'The bytes as they were sent.',
    ...(!isPart && { orJson: 'ObjectDescriptor' }),
  },
  headers: [
    ...VALIDATORS,
    ...(isPart ? (['ContentRange'] as const) : []),
    'AcceptRanges',
    'NoSniff',
    'Sandbox',
    'ReprDigest',
    ...STORED,
  ],
});

const stored = (description: string): Answer => ({
  description,
  content: json('ObjectDescriptor', DESCRIPTOR),
  headers: [...VALIDATORS, 'NoStore'],
});

export const STORAGE_PATHS: Readonly<Record<TargetKind, PathDescription<Exclude<Method, 'HEAD'>>>> =
  {
    buckets: {
      path: `${BASE_PATH}/buckets`,
      tag: 'Buckets',
      parameters: [],
      operations: {
        GET: {
          id: 'listBuckets',
          summary: 'Lists the buckets that the API key can see, in name order',
          parameters: ['Limit', 'PageToken'],
          answers: {
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
          description: 'Needs `create_bucket` there, not narrowed to a prefix.',
          parameters: ['IdempotencyKey'],
          body: { content: json('NewBucket', { name: 'photos' }), required: true },
          answers: {
            201: {
              description: 'The bucket.',
              content: json('Bucket', PHOTOS),
              headers: ['Location', 'Position', 'NoStore'],
            },
          },
          refusals: ['conflict', 'payload_too_large'],
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
          answers: {
            200: {
              description: 'The bucket.',
              content: json('Bucket', PHOTOS),
              headers: ['Position', 'NoStore'],
            },
          },
          refusals: ['not_found'],
        },
        DELETE: {
          id: 'deleteBucket',
          summary: 'Deletes an empty bucket',
          description: 'Needs `delete_bucket` there, not narrowed to a prefix.',
          parameters: ['IdempotencyKey'],
          answers: { 204: { description: 'It is gone.', headers: ['Position'] } },
          refusals: ['not_found', 'conflict'],
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
          description: 'Shows what lies below the prefixes for which the API key has `list`.',
          parameters: ['Prefix', 'Delimiter', 'StartAfter', 'Limit', 'PageToken'],
          answers: {
            200: {
              description: 'A page of objects and folded prefixes.',
              content: json('ObjectPage', {
                objects: [DESCRIPTOR],
                prefixes: [],
                cursor: 8,
                bucket_id: '8sKq2LmVx0Tz',
              }),
              headers: ['Position', 'NoStore'],
            },
          },
          refusals: ['not_found'],
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
            'Metadata comes as `x-object-meta-<name>` headers. Needs `read`. The header fields of a 200 with `view=descriptor` are the validators only.',
          parameters: [
            'Version',
            'View',
            'Range',
            'IfRange',
            'IfMatch',
            'IfNoneMatch',
            'IfModifiedSince',
            'IfUnmodifiedSince',
          ],
          answers: {
            200: bytes('All of it; with `view=descriptor` the descriptor.', false),
            206: bytes('The bytes of the range.', true),
            304: {
              description: 'The client has it already.',
              headers: [...VALIDATORS, 'CacheControl'],
            },
            307: {
              description: `More than ${LIMITS.streamedDownloadBytes / 1e6} MB (${LIMITS.bufferedDownloadBytes / 1024 ** 2} MiB where the deployment does not stream): \`Location\` serves the bytes without an API key for ${LIMITS.redirectSeconds} s.`,
              headers: ['Location', 'NoStore', ...VALIDATORS],
            },
          },
          refusals: ['not_found', 'precondition_failed', 'range_not_satisfiable'],
        },
        PUT: {
          id: 'putObject',
          summary: 'Uploads or replaces an object',
          description: `At most ${LIMITS.inlineUploadBytes / 1024 ** 2} MiB; larger ones by signed URL. \`x-object-meta-<name>\` headers are stored as metadata, at most ${LIMITS.metadataBytes} bytes of names and values in visible ASCII. \`Content-Type\` is stored. Needs \`write\`.`,
          parameters: [
            ...CONDITIONS,
            'ContentDigest',
            'CacheControl',
            'ContentDisposition',
            'ContentEncoding',
            'ContentLanguage',
            'IdempotencyKey',
          ],
          body: { content: { bytes: 'Any bytes.' }, required: false },
          answers: { 200: stored('It was replaced.'), 201: stored('It is new.') },
          refusals: ['not_found', 'precondition_failed', 'payload_too_large'],
        },
        DELETE: {
          id: 'deleteObject',
          summary: 'Deletes an object',
          description: 'A delete is a version of its own. Needs `delete`.',
          parameters: [...CONDITIONS, 'IdempotencyKey'],
          answers: {
            200: {
              description: 'It is gone.',
              content: json('DeletedObject', DELETED),
              headers: ['Version', 'Position', 'NoStore'],
            },
          },
          refusals: ['not_found', 'precondition_failed'],
        },
      },
    },
    'signed-url': {
      path: `${BASE_PATH}/signed-url`,
      tag: 'Signed URLs',
      parameters: [],
      operations: {
        POST: {
          id: 'signUrl',
          summary: 'Mints a short-lived URL that needs no API key',
          description:
            'Downloads, uploads of up to 5 TiB, and tickets for the change channel. Needs `sign`, and `read`, `write` or `sync`. A ticket takes no Idempotency-Key.',
          parameters: ['IdempotencyKey'],
          body: {
            content: json('SignRequest', {
              bucket: 'photos',
              key: '2026/cat.jpg',
              method: 'GET',
              expires_in: 300,
            }),
            required: true,
          },
          answers: {
            201: {
              description: 'What was asked for.',
              content: json('SignedRequest', {
                url: 'https://s3.example.org/content/objects/8sKq2LmVx0Tz?X-Amz-Signature=…',
                method: 'GET',
                headers: {},
                expires_at: '2026-11-20T10:56:00.000Z',
                bucket: 'photos',
                key: '2026/cat.jpg',
                version: 1,
                size: 48213,
                etag: DESCRIPTOR.etag,
              }),
              headers: ['NoStore'],
            },
          },
          refusals: ['not_found', 'payload_too_large'],
        },
      },
    },
    sync: {
      path: `${BASE_PATH}/sync`,
      tag: 'Changes',
      parameters: [],
      operations: {
        GET: {
          id: 'readChanges',
          summary: 'Reads the changes of a bucket after a position',
          description:
            'With `Upgrade: websocket` the same address is the change channel, which this document does not describe. Needs `sync` for the whole prefix.',
          parameters: [
            'FollowedBucket',
            'Cursor',
            'Prefix',
            'ChangesLimit',
            'Wait',
            'BucketId',
            'IfNoneMatch',
          ],
          answers: {
            200: {
              description: 'A page, which covers the numbers above `from` up to `to`.',
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
              headers: ['ETag', 'NoStore'],
            },
            304: { description: 'The head is still the same.', headers: ['ETag', 'NoStore'] },
          },
          refusals: ['not_found', 'cursor_expired'],
        },
      },
    },
  };
