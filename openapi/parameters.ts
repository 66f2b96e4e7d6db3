/** Parameters of requests: path, query and headers. */
import { TAG_LIST } from '../core/http/conditions';
import { LIMITS } from '../core/limits';
import { type JsonSchema, ref } from './json-schema';
import { FUTURE } from './schemas/names';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

function inPath(name: string, description: string, schema: JsonSchema, example: string): Parameter {
  return { name, in: 'path', required: true, description, schema, example };
}

function inQuery(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'query', description, schema };
}

function inHeader(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'header', description, schema };
}

const entityTags: JsonSchema = {
  type: 'string',
  pattern: TAG_LIST.source.replace(/^\^(.*)\$$/, '^(?:[ \\t]*\\*[ \\t]*|$1)$$'),
  maxLength: LIMITS.conditionLength,
  examples: ['"5d41402abc4b2a76b9719d911017c592"'],
};

/** An invalid date is ignored (RFC 9110 §13.1.3), so there is no pattern. */
const httpDate: JsonSchema = { type: 'string', examples: ['Fri, 20 Nov 2026 10:51:00 GMT'] };

const text: JsonSchema = { type: 'string', minLength: 1 };

function limit(initial: number, maximum: number): JsonSchema {
  return { type: 'integer', minimum: 1, maximum, default: initial };
}

function contentHeader(name: string): Parameter {
  return inHeader(name, 'Stored with the object and returned with it.', {
    type: 'string',
    pattern: '^[\\x20-\\x7e]*$',
    maxLength: LIMITS.contentHeaderBytes,
  });
}

export const PARAMETERS = {
  Bucket: inPath('bucket', 'The bucket.', ref('BucketName'), 'photos'),
  Key: inPath(
    'key',
    'The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.',
    ref('ObjectKey'),
    '2026/cat.jpg',
  ),
  KeyId: inPath('id', 'The id of an API key.', ref('ApiKeyId'), '3kTf9ZpQw1Lm'),
  UploadId: inPath(
    'upload_id',
    'The `upload_id` of a signed URL or of a multipart upload.',
    text,
    '01KAG8Y2M4Q7T9V1X3Z5B7D9F1',
  ),
  LinkId: inPath('id', 'The id of a link.', ref('LinkId'), '8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw'),
  ConsumerName: inPath('name', 'The name of a consumer.', ref('ConsumerName'), 'indexer'),
  LinkedBucket: {
    ...inQuery('bucket', 'The bucket whose links are listed.', ref('BucketName')),
    required: true,
    example: 'photos',
  },
  Limit: inQuery(
    'limit',
    'Maximum number of entries on the page.',
    limit(LIMITS.pageDefault, LIMITS.pageMax),
  ),
  ChangesLimit: inQuery(
    'limit',
    'Maximum number of cursors that the page covers.',
    limit(LIMITS.changesDefault, LIMITS.changesMax),
  ),
  PageToken: inQuery(
    'page_token',
    'The `next_page_token` of the previous page. The other parameters must be the same.',
    text,
  ),
  Prefix: inQuery('prefix', 'Only keys that begin with this prefix.', ref('Prefix')),
  DeletedPrefix: {
    ...inQuery(
      'prefix',
      'The objects whose keys begin with it are deleted. Empty: every object of the bucket.',
      ref('Prefix'),
    ),
    required: true,
    example: '2026/',
  },
  Delimiter: inQuery(
    'delimiter',
    'Keys that contain the delimiter after the prefix are grouped into `prefixes`.',
    ref('Prefix'),
  ),
  StartAfter: inQuery(
    'start_after',
    'Only keys after this one, which need not exist.',
    ref('Prefix'),
  ),
  Version: inQuery(
    'version',
    'An older version. Older versions are deleted after the retention period.',
    {
      type: 'integer',
      minimum: 1,
      maximum: 999_999_999_999_999,
    },
  ),
  AsOf: inQuery(
    'as_of',
    'Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor.',
    ref('Cursor'),
  ),
  View: inQuery(
    'view',
    'Returns the descriptor instead of the bytes, or the versions of the key, newest first.',
    { type: 'string', enum: ['descriptor', 'versions'] },
  ),
  Before: inQuery(
    'before',
    'With `view=versions`, only versions below this one: the `next_before` of the previous page.',
    { type: 'integer', minimum: 1, maximum: 999_999_999_999_999 },
  ),
  Redirect: inQuery(
    'redirect',
    'Returns a signed URL of the bytes instead of the bytes or a redirect to them, whatever the size.',
    { type: 'string', enum: ['false'] },
  ),
  FollowedBucket: {
    ...inQuery('bucket', 'The bucket whose changes are read.', ref('BucketName')),
    required: true,
    example: 'photos',
  },
  Cursor: inQuery(
    'cursor',
    'Returns the changes after this cursor. Absent: the changes from now on.',
    ref('Cursor'),
  ),
  BucketId: inQuery(
    'bucket_id',
    'The `bucket_id` of an earlier response. Detects that the bucket was deleted and created again.',
    ref('BucketId'),
  ),
  Wait: inQuery('wait', 'Seconds to wait for a new change, at most.', {
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.waitMaxSeconds,
    default: 0,
  }),
  UsedKey: {
    ...inQuery('key_id', 'The id of an API key.', ref('ApiKeyId')),
    required: true,
    example: '3kTf9ZpQw1Lm',
  },
  Days: inQuery('days', 'Number of days, including today.', {
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 7,
  }),
  IfMatch: inHeader('If-Match', 'RFC 9110 §13.1.1: etags, or `*`.', entityTags),
  IfNoneMatch: inHeader('If-None-Match', 'RFC 9110 §13.1.2: etags, or `*`.', entityTags),
  IfModifiedSince: inHeader(
    'If-Modified-Since',
    'RFC 9110 §13.1.3; ignored when If-None-Match is sent.',
    httpDate,
  ),
  IfUnmodifiedSince: inHeader(
    'If-Unmodified-Since',
    'RFC 9110 §13.1.4; ignored when If-Match is sent.',
    httpDate,
  ),
  IfRange: inHeader('If-Range', 'RFC 9110 §13.1.5: the etag. A date never holds.', {
    type: 'string',
  }),
  Range: inHeader(
    'Range',
    'RFC 9110 §14.2: one range of bytes. Several ranges, other units and malformed values are ignored.',
    { type: 'string', examples: ['bytes=0-99'] },
  ),
  ContentDigest: inHeader(
    'Content-Digest',
    'RFC 9530: sha-256 or sha-512 of the body. The service verifies it.',
    { type: 'string', examples: ['sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'] },
  ),
  ContentMd5: inHeader(
    'Content-MD5',
    'RFC 1864: the MD5 of the body. Verified where the deployment has an edge; API Gateway alone drops it.',
    { type: 'string', examples: ['1B2M2Y8AsgTpgAmY7PhCfg=='] },
  ),
  CacheControl: contentHeader('Cache-Control'),
  ContentDisposition: contentHeader('Content-Disposition'),
  ContentEncoding: contentHeader('Content-Encoding'),
  ContentLanguage: contentHeader('Content-Language'),
  ExpiresAt: inHeader(
    'x-object-expires-at',
    'When the service deletes the object. Absent: never.',
    FUTURE,
  ),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    'Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400.',
    { type: 'string', pattern: '^[\\x21-\\x7e]+$', maxLength: LIMITS.idempotencyKeyLength },
  ),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;
