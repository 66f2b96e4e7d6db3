/** JSON bodies of the storage interface. */
import { MEDIA_TYPE_LENGTH } from '../../core/http/content-headers';
import { SHA256_BASE64 } from '../../core/http/digests';
import { LIMITS } from '../../core/limits';
import {
  closedObject,
  type JsonSchema,
  listOf,
  openObject,
  ref,
  text,
  whole,
} from '../json-schema';
import { COMMITS } from './commits';
import { CONSUMERS } from './consumers';
import { CHECKSUM, OBJECT_NAME } from './names';
import { RESTORE } from './restore';
import { SIGNED_URLS } from './signed-urls';
import { NEXT_PAGE_TOKEN, WEB_SCHEMAS } from './web';

const MAX = Number.MAX_SAFE_INTEGER;

const commitRange = {
  commit: {
    ...openObject({ from: ref('Cursor'), to: ref('Cursor') }),
    description:
      'The first and the last cursor of the commit that made this change together with others. Absent when it was made alone.',
  },
};

const lifecycle = (object: typeof openObject, description: string): JsonSchema =>
  listOf(
    object(
      {
        expire_after_days: whole(
          'Age of a version, in days, at which its object is deleted.',
          1,
          LIMITS.lifecycleDays,
        ),
      },
      { prefix: ref('Prefix') },
    ),
    { maxItems: LIMITS.lifecycleRules, description },
  );

const DELETION_CAUSE = {
  const: 'expired',
  description: 'The service deleted the object by itself, because it had expired.',
};

export const STORAGE = {
  NewBucket: closedObject({ name: ref('BucketName') }),
  Bucket: openObject(
    {
      name: ref('BucketName'),
      bucket_id: ref('BucketId'),
      created_at: ref('Time'),
      cursor: ref('Cursor'),
    },
    {
      object_count: whole(
        'Number of objects, delayed by a few seconds. Absent for keys that are confined to prefixes.',
        0,
        MAX,
      ),
      total_size: whole('Bytes of the current versions; as `object_count`.', 0, MAX),
      lifecycle: lifecycle(openObject, 'Absent when there are none; as `object_count`.'),
    },
  ),
  BucketChange: closedObject({
    lifecycle: lifecycle(closedObject, 'In place of the rules that there are.'),
  }),
  BucketPage: openObject(
    { buckets: listOf(ref('Bucket'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: NEXT_PAGE_TOKEN },
  ),
  ObjectDescriptor: openObject(
    {
      ...OBJECT_NAME,
      size: whole('Bytes.', 0, LIMITS.multipartMaxBytes),
      etag: text('Opaque, without quotes.', { minLength: 1 }),
      version: whole('1 for a new key; each change of the key increments it.', 1, MAX),
      cursor: ref('Cursor'),
      created_at: ref('Time'),
      updated_at: ref('Time'),
      content_type: text('As sent.', { minLength: 1, maxLength: MEDIA_TYPE_LENGTH }),
      metadata: {
        type: 'object',
        description: `Names in lower case; at most ${LIMITS.metadataBytes} bytes of names and values.`,
        additionalProperties: { type: 'string' },
      },
    },
    {
      checksum_sha256: CHECKSUM,
      expires_at: {
        ...ref('Time'),
        description: 'When the service deletes the object. Absent: never.',
      },
    },
  ),
  DeletedObject: openObject({
    ...OBJECT_NAME,
    version: whole('The version of the deletion.', 2, MAX),
    cursor: ref('Cursor'),
    deleted_at: ref('Time'),
  }),
  VersionPage: openObject(
    {
      ...OBJECT_NAME,
      versions: listOf(ref('ObjectVersion'), {
        maxItems: LIMITS.pageMax,
        description: 'Newest first.',
      }),
    },
    { next_before: whole('The `before` of the next page. Absent on the last one.', 1, MAX) },
  ),
  ObjectVersion: openObject(
    {
      version: whole('1 for a new key; each change of the key increments it.', 1, MAX),
      cursor: ref('Cursor'),
      type: { enum: ['put', 'delete'] },
      at: ref('Time'),
    },
    {
      size: whole('Bytes. Absent from a deletion, as `etag` and `content_type`.', 0, MAX),
      etag: text('Opaque, without quotes.', { minLength: 1 }),
      content_type: text('As sent.', { minLength: 1, maxLength: MEDIA_TYPE_LENGTH }),
      cause: DELETION_CAUSE,
      by: text('The id of the API key that made the change. Absent when it is not known.'),
    },
  ),
  ObjectPage: openObject(
    {
      objects: listOf(ref('ObjectDescriptor'), { maxItems: LIMITS.pageMax }),
      prefixes: listOf(
        { type: 'string' },
        {
          maxItems: LIMITS.pageMax,
          description: 'The prefixes into which the delimiter grouped keys.',
        },
      ),
      cursor: ref('Cursor'),
      bucket_id: ref('BucketId'),
    },
    { next_page_token: NEXT_PAGE_TOKEN },
  ),
  Change: {
    oneOf: [
      openObject(
        { cursor: ref('Cursor'), type: { const: 'put' }, object: ref('ObjectDescriptor') },
        commitRange,
      ),
      openObject(
        { cursor: ref('Cursor'), type: { const: 'delete' }, object: ref('DeletedObject') },
        { ...commitRange, cause: DELETION_CAUSE },
      ),
    ],
  },
  ChangesPage: openObject(
    {
      bucket: ref('BucketName'),
      bucket_id: ref('BucketId'),
      from: ref('Cursor'),
      to: ref('Cursor'),
      head: ref('Cursor'),
      has_more: { type: 'boolean', description: 'More changes can be read without waiting.' },
      changes: listOf(ref('Change'), {
        maxItems: LIMITS.pageMax,
        description:
          'The changes with cursors after `from` up to `to`, in order; whole commits, never a part of one.',
      }),
    },
    { digest: ref('LogDigest') },
  ),
  LogDigest: openObject({
    sha256: text('SHA-256, in base64.', { pattern: SHA256_BASE64.source }),
    since: ref('Cursor'),
  }),
  ...COMMITS,
  ...CONSUMERS,
  ...RESTORE,
  ...SIGNED_URLS,
  ...WEB_SCHEMAS,
} as const satisfies Record<string, JsonSchema>;
