/** JSON bodies of the storage interface. */
import { TAG_LIST } from '../../core/http/conditions';
import { DISPOSITION } from '../../core/http/content-disposition';
import { MEDIA_TYPE, MEDIA_TYPE_LENGTH } from '../../core/http/content-headers';
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
import { ULID } from './names';

const MAX = Number.MAX_SAFE_INTEGER;

const nextPageToken = text('The `page_token` of the next page. Absent on the last one.', {
  minLength: 1,
});

const checksum = text('SHA-256 of the bytes, in base64.', { pattern: SHA256_BASE64.source });

const headersToSend: JsonSchema = {
  type: 'object',
  description: 'Headers that the client must send with the URL.',
  additionalProperties: { type: 'string' },
};

const objectName = { bucket: ref('BucketName'), key: ref('ObjectKey') };

const expiresIn = whole(
  'Seconds from the beginning of the second in which the URL is signed.',
  1,
  LIMITS.signedUrlMaxSeconds,
  {
    default: LIMITS.signedUrlDefaultSeconds,
  },
);

/** Quoted etags as in the header, `*`, or one etag without quotes as in descriptors. */
const ETAGS = `^[\\x21\\x23-\\x7e\\x80-\\xff]*$|${TAG_LIST.source}`;

const upload = {
  expires_in: expiresIn,
  content_type: text('The upload must have exactly this content type.', {
    pattern: `^$|${MEDIA_TYPE.source}`,
    maxLength: MEDIA_TYPE_LENGTH,
    examples: ['video/mp4'],
  }),
  if_none_match: {
    const: '*',
    description: 'The upload succeeds only if the object does not exist when it arrives.',
  },
  if_match: text('The upload succeeds only if the object has this etag when it arrives.', {
    pattern: ETAGS,
    maxLength: LIMITS.conditionLength,
  }),
} satisfies Record<string, JsonSchema>;

const signed = (method: string) => ({
  url: text('Works without an API key until it expires.', { format: 'uri' }),
  method: { const: method },
  headers: headersToSend,
  expires_at: ref('Time'),
});

export const STORAGE = {
  NewBucket: closedObject({ name: ref('BucketName') }),
  Bucket: openObject(
    { name: ref('BucketName'), created_at: ref('Time'), cursor: ref('Cursor') },
    {
      object_count: whole(
        'Number of objects, delayed by a few seconds. Absent for keys that are confined to prefixes.',
        0,
        MAX,
      ),
      total_size: whole('Bytes of the current versions; as `object_count`.', 0, MAX),
    },
  ),
  BucketPage: openObject(
    { buckets: listOf(ref('Bucket'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: nextPageToken },
  ),
  ObjectDescriptor: openObject(
    {
      ...objectName,
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
    { checksum_sha256: checksum },
  ),
  DeletedObject: openObject({
    ...objectName,
    version: whole('The version of the deletion.', 2, MAX),
    cursor: ref('Cursor'),
    deleted_at: ref('Time'),
  }),
  VersionPage: openObject(
    {
      ...objectName,
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
    { next_page_token: nextPageToken },
  ),
  Change: {
    oneOf: [
      openObject({
        cursor: ref('Cursor'),
        type: { const: 'put' },
        object: ref('ObjectDescriptor'),
      }),
      openObject({
        cursor: ref('Cursor'),
        type: { const: 'delete' },
        object: ref('DeletedObject'),
      }),
    ],
  },
  ChangesPage: openObject({
    bucket: ref('BucketName'),
    bucket_id: ref('BucketId'),
    from: ref('Cursor'),
    to: ref('Cursor'),
    head: ref('Cursor'),
    has_more: { type: 'boolean', description: 'More changes can be read without waiting.' },
    changes: listOf(ref('Change'), {
      maxItems: LIMITS.pageMax,
      description: 'The changes with cursors after `from` up to `to`, in order.',
    }),
  }),
  SignDownload: {
    title: 'Download',
    ...closedObject(
      { ...objectName, method: { const: 'GET' } },
      {
        expires_in: expiresIn,
        content_disposition: text('`attachment` or `inline`, optionally with `; filename="…"`.', {
          pattern: DISPOSITION.source,
          'x-well-formed': true,
          examples: ['attachment; filename="my cat.jpg"'],
        }),
      },
    ),
  },
  SignUpload: {
    title: 'Upload in one request',
    ...closedObject(
      { ...objectName, method: { const: 'PUT' } },
      {
        ...upload,
        content_length: whole(
          'The upload must have exactly so many bytes.',
          0,
          LIMITS.signedPutMaxBytes,
        ),
        checksum_sha256: checksum,
      },
    ),
  },
  SignMultipartUpload: {
    title: 'Upload in parts',
    ...closedObject(
      {
        ...objectName,
        method: { const: 'PUT' },
        multipart: {
          ...closedObject(
            { size: whole('Bytes of the upload.', 1, LIMITS.multipartMaxBytes) },
            {
              part_size: whole(
                'Bytes of every part but the last.',
                LIMITS.partMinBytes,
                LIMITS.partMaxBytes,
              ),
            },
          ),
          'x-max-parts': LIMITS.partsMax,
        },
      },
      upload,
    ),
  },
  SignPartsAgain: {
    title: 'Further parts of an upload',
    ...closedObject(
      {
        ...objectName,
        method: { const: 'PUT' },
        multipart: closedObject({
          upload_id: text('The id of a pending upload, whose URLs are signed again.', {
            pattern: ULID,
          }),
        }),
      },
      { expires_in: expiresIn },
    ),
  },
  SignTicket: {
    title: 'Ticket for the channel',
    ...closedObject(
      { bucket: ref('BucketName'), method: { const: 'SYNC' } },
      { prefix: ref('Prefix') },
    ),
  },
  SignRequest: {
    oneOf: [
      'SignDownload',
      'SignUpload',
      'SignMultipartUpload',
      'SignPartsAgain',
      'SignTicket',
    ].map(ref),
  },
  SignedDownload: openObject({
    ...signed('GET'),
    ...objectName,
    version: whole('The version that the URL serves.', 1, MAX),
    size: whole('Bytes.', 0, LIMITS.multipartMaxBytes),
    etag: text('Opaque, without quotes.', { minLength: 1 }),
  }),
  SignedUpload: openObject({
    ...signed('PUT'),
    ...objectName,
    upload_id: text('The id of the upload.', { minLength: 1 }),
  }),
  MultipartUpload: openObject({
    upload_id: text('The id of the upload.', { minLength: 1 }),
    ...objectName,
    part_size: whole('Bytes of every part but the last.', 1, LIMITS.partMaxBytes),
    parts: listOf(
      openObject({
        number: whole('The number of the part.', 1, LIMITS.partsMax),
        url: signed('PUT').url,
      }),
      { minItems: 1, maxItems: LIMITS.partsMax },
    ),
    complete: openObject({
      url: signed('POST').url,
      method: { const: 'POST' },
      headers: headersToSend,
    }),
    abort: openObject({
      url: signed('DELETE').url,
      method: { const: 'DELETE' },
      headers: headersToSend,
    }),
    expires_at: ref('Time'),
  }),
  SignedRequest: {
    oneOf: ['SignedDownload', 'SignedUpload', 'MultipartUpload', 'Ticket'].map(ref),
  },
  Ticket: openObject({ ...signed('SYNC'), bucket: ref('BucketName') }, { prefix: ref('Prefix') }),
} as const satisfies Record<string, JsonSchema>;
