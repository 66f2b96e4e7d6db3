/** JSON bodies of the storage interface. */
import { TAG_LIST } from '../../core/http/conditions';
import { DISPOSITION } from '../../core/http/content-disposition';
import { MEDIA_TYPE, MEDIA_TYPE_LENGTH } from '../../core/http/content-headers';
import { SHA256_BASE64 } from '../../core/http/digests';
import { LIMITS } from '../../core/limits';
import { answered, type JsonSchema, listOf, ref, sent, text, whole } from '../json-schema';
import { ULID } from './names';

const MAX = Number.MAX_SAFE_INTEGER;

const nextPageToken = text('The `page_token` of the next page. Absent on the last one.', {
  minLength: 1,
});

const checksum = text('SHA-256 of the bytes, in base64.', { pattern: SHA256_BASE64.source });

const headersToSend: JsonSchema = {
  type: 'object',
  description: 'Headers that whoever uses the URL must send.',
  additionalProperties: { type: 'string' },
};

const objectName = { bucket: ref('BucketName'), key: ref('ObjectKey') };

const expiresIn = whole('Seconds.', 1, LIMITS.signedUrlMaxSeconds, {
  default: LIMITS.signedUrlDefaultSeconds,
});

/** Quoted as in the header, `*`, or as descriptors show it: without quotes. */
const ETAGS = `^[\\x21\\x23-\\x7e\\x80-\\xff]*$|${TAG_LIST.source}`;

const upload = {
  expires_in: expiresIn,
  content_type: text('The upload must have exactly this.', {
    pattern: `^$|${MEDIA_TYPE.source}`,
    maxLength: MEDIA_TYPE_LENGTH,
    examples: ['video/mp4'],
  }),
  if_none_match: { const: '*', description: 'Only if there is no such object when it arrives.' },
  if_match: text('Only if the object has this etag when it arrives.', { pattern: ETAGS }),
} satisfies Record<string, JsonSchema>;

const signed = (method: string) => ({
  url: text('Serves without an API key until it expires.', { format: 'uri' }),
  method: { const: method },
  headers: headersToSend,
  expires_at: ref('Time'),
});

export const STORAGE = {
  NewBucket: sent({ name: ref('BucketName') }),
  Bucket: answered({
    name: ref('BucketName'),
    created_at: ref('Time'),
    cursor: ref('Position'),
    object_count: whole('Objects; a few seconds late.', 0, MAX),
    total_size: whole('Bytes of their current versions; a few seconds late.', 0, MAX),
  }),
  BucketPage: answered(
    { buckets: listOf(ref('Bucket'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: nextPageToken },
  ),
  ObjectDescriptor: answered(
    {
      ...objectName,
      size: whole('Bytes.', 0, LIMITS.multipartMaxBytes),
      etag: text('Opaque, without quotes.', { minLength: 1 }),
      version: whole('1 for a new key, one more with each change of it.', 1, MAX),
      cursor: ref('Position'),
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
  DeletedObject: answered({
    ...objectName,
    version: whole('Of the key: a delete is a version of its own.', 2, MAX),
    cursor: ref('Position'),
    deleted_at: ref('Time'),
  }),
  ObjectPage: answered(
    {
      objects: listOf(ref('ObjectDescriptor'), { maxItems: LIMITS.pageMax }),
      prefixes: listOf(
        { type: 'string' },
        { maxItems: LIMITS.pageMax, description: 'What the delimiter folded, each once.' },
      ),
      cursor: ref('Position'),
      bucket_id: ref('BucketId'),
    },
    { next_page_token: nextPageToken },
  ),
  Change: {
    oneOf: [
      answered({
        cursor: ref('Position'),
        type: { const: 'put' },
        object: ref('ObjectDescriptor'),
      }),
      answered({
        cursor: ref('Position'),
        type: { const: 'delete' },
        object: ref('DeletedObject'),
      }),
    ],
  },
  ChangesPage: answered({
    bucket: ref('BucketName'),
    bucket_id: ref('BucketId'),
    from: ref('Position'),
    to: ref('Position'),
    head: ref('Position'),
    has_more: { type: 'boolean', description: 'There is more to be read at once.' },
    changes: listOf(ref('Change'), {
      maxItems: LIMITS.pageMax,
      description: 'Those of the numbers above `from` up to `to`, in order.',
    }),
  }),
  SignDownload: {
    title: 'Download',
    ...sent(
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
    ...sent(
      { ...objectName, method: { const: 'PUT' } },
      {
        ...upload,
        content_length: whole('Bytes of the upload.', 0, LIMITS.signedPutMaxBytes),
        checksum_sha256: checksum,
      },
    ),
  },
  SignMultipartUpload: {
    title: 'Upload in parts',
    ...sent(
      {
        ...objectName,
        method: { const: 'PUT' },
        multipart: {
          ...sent(
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
    title: 'Upload in parts, further',
    ...sent(
      {
        ...objectName,
        method: { const: 'PUT' },
        multipart: sent({
          upload_id: text(
            'Of an upload that was begun and has not ended: its URLs are signed again.',
            {
              pattern: ULID,
            },
          ),
        }),
      },
      { expires_in: expiresIn },
    ),
  },
  SignTicket: {
    title: 'Ticket for the channel',
    ...sent({ bucket: ref('BucketName'), method: { const: 'SYNC' } }, { prefix: ref('Prefix') }),
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
  SignedDownload: answered({
    ...signed('GET'),
    ...objectName,
    version: whole('The version that the URL serves.', 1, MAX),
    size: whole('Bytes.', 0, LIMITS.multipartMaxBytes),
    etag: text('Opaque, without quotes.', { minLength: 1 }),
  }),
  SignedUpload: answered({
    ...signed('PUT'),
    ...objectName,
    upload_id: text('Names the upload.', { minLength: 1 }),
  }),
  MultipartUpload: answered({
    upload_id: text('Names the upload.', { minLength: 1 }),
    ...objectName,
    part_size: whole('Bytes of every part but the last.', 1, LIMITS.partMaxBytes),
    parts: listOf(
      answered({ number: whole('Of the part.', 1, LIMITS.partsMax), url: signed('PUT').url }),
      { minItems: 1, maxItems: LIMITS.partsMax },
    ),
    complete: answered({
      url: signed('POST').url,
      method: { const: 'POST' },
      headers: headersToSend,
    }),
    abort: answered({
      url: signed('DELETE').url,
      method: { const: 'DELETE' },
      headers: headersToSend,
    }),
    expires_at: ref('Time'),
  }),
  SignedRequest: {
    oneOf: ['SignedDownload', 'SignedUpload', 'MultipartUpload', 'Ticket'].map(ref),
  },
  Ticket: answered({ ...signed('SYNC'), bucket: ref('BucketName') }, { prefix: ref('Prefix') }),
} as const satisfies Record<string, JsonSchema>;
