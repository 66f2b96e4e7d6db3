/** JSON bodies about signed URLs and the uploads by them. */
import { TAG_LIST } from '../../core/http/conditions';
import { DISPOSITION } from '../../core/http/content-disposition';
import {
  CONTENT_FIELDS,
  FIELD_VALUE,
  MEDIA_TYPE,
  MEDIA_TYPE_LENGTH,
  METADATA_VALUE,
  TOKEN,
} from '../../core/http/content-headers';
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
import { CHECKSUM, FUTURE, OBJECT_NAME, ULID } from './names';

const MAX = Number.MAX_SAFE_INTEGER;

const headersToSend: JsonSchema = {
  type: 'object',
  description: 'Headers that the client must send with the URL.',
  additionalProperties: { type: 'string' },
};

const expiresIn = whole(
  'Seconds from the beginning of the second in which the URL is signed.',
  1,
  LIMITS.signedUrlMaxSeconds,
  {
    default: LIMITS.signedUrlDefaultSeconds,
  },
);

/** Quoted etags as in the header, `*`, or one etag without quotes as in descriptors. */
export const ETAGS = `^[\\x21\\x23-\\x7e\\x80-\\xff]*$|${TAG_LIST.source}`;

/** Fields that are stored with an object. */
export const CONTENT = {
  content_type: text('Stored with the object. An upload by a signed URL must have exactly this.', {
    pattern: `^$|${MEDIA_TYPE.source}`,
    maxLength: MEDIA_TYPE_LENGTH,
    examples: ['video/mp4'],
  }),
  ...Object.fromEntries(
    CONTENT_FIELDS.map((field) => [
      field,
      text('Stored with the object, as the header of this name with PUT.', {
        pattern: FIELD_VALUE.source,
        maxLength: LIMITS.contentHeaderBytes,
      }),
    ]),
  ),
  metadata: {
    type: 'object',
    description: `Stored with the object. Names in lower case that may be those of headers; at most ${LIMITS.metadataBytes} bytes of names and values.`,
    propertyNames: { pattern: TOKEN.source },
    additionalProperties: { type: 'string', pattern: METADATA_VALUE.source },
    'x-max-entry-bytes': LIMITS.metadataBytes,
  },
} satisfies Record<string, JsonSchema>;

const upload = {
  expires_in: expiresIn,
  ...CONTENT,
  object_expires_at: {
    ...FUTURE,
    description:
      'When the service deletes the object that the upload becomes, in the future. Absent: never. `expires_at` of the response is about the URL.',
  },
  commit: {
    type: 'boolean',
    default: true,
    description: '`false`: the upload stays staged until a commit names it. Excludes conditions.',
  },
  if_none_match: {
    const: '*',
    description: 'The upload succeeds only if the object does not exist when it arrives.',
  },
  if_match: text('The upload succeeds only if the object has this etag when it arrives.', {
    pattern: ETAGS,
    maxLength: LIMITS.conditionFieldLength,
  }),
} satisfies Record<string, JsonSchema>;

/** A staged upload has no conditions: the commit that names it has them. */
const stagedWithConditions: JsonSchema = {
  properties: { commit: { const: false } },
  required: ['commit'],
  anyOf: ['if_match', 'if_none_match'].map((name) => ({
    properties: { [name]: {} },
    required: [name],
  })),
};

const signed = (method: string) => ({
  url: text('Works without an API key until it expires.', { format: 'uri' }),
  method: { const: method },
  headers: headersToSend,
  expires_at: ref('Time'),
});

export const SIGNED_URLS = {
  SignDownload: {
    title: 'Download',
    ...closedObject(
      { ...OBJECT_NAME, method: { const: 'GET' } },
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
    not: stagedWithConditions,
    ...closedObject(
      { ...OBJECT_NAME, method: { const: 'PUT' } },
      {
        ...upload,
        content_length: whole(
          'The exact number of bytes of the upload.',
          0,
          LIMITS.signedPutMaxBytes,
        ),
        checksum_sha256: CHECKSUM,
      },
    ),
  },
  SignMultipartUpload: {
    title: 'Upload in parts',
    not: stagedWithConditions,
    ...closedObject(
      {
        ...OBJECT_NAME,
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
        ...OBJECT_NAME,
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
    ...OBJECT_NAME,
    version: whole('The version that the URL serves.', 1, MAX),
    size: whole('Bytes.', 0, LIMITS.multipartMaxBytes),
    etag: text('Opaque, without quotes.', { minLength: 1 }),
  }),
  SignedUpload: openObject({
    ...signed('PUT'),
    ...OBJECT_NAME,
    upload_id: text('The id of the upload.', { minLength: 1 }),
  }),
  MultipartUpload: openObject({
    upload_id: text('The id of the upload.', { minLength: 1 }),
    ...OBJECT_NAME,
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
  UploadState: openObject(
    {
      upload_id: text('The id of the upload.', { minLength: 1 }),
      ...OBJECT_NAME,
      state: text(
        '`pending` until S3 has reported the bytes, `staged` until a commit names them.',
        {
          enum: ['pending', 'staged', 'committed', 'discarded'],
        },
      ),
    },
    {
      object: {
        ...openObject({
          ...OBJECT_NAME,
          version: whole('The version that the upload became.', 1, MAX),
          cursor: ref('Cursor'),
        }),
        description: 'The change that committed the upload.',
      },
      expires_at: ref('Time'),
      reason: text(
        'Why the upload was discarded: `forbidden`, `size_mismatch`, `precondition_failed`, `bucket_deleted`, `expired`, `replaced`, `source_deleted`.',
        { minLength: 1 },
      ),
    },
  ),
  Ticket: openObject({ ...signed('SYNC'), bucket: ref('BucketName') }, { prefix: ref('Prefix') }),
} as const satisfies Record<string, JsonSchema>;
