/** What requests carry beside their bodies. */
import { TAG_LIST } from '../core/http/conditions';
import { LIMITS } from '../core/limits';
import { type JsonSchema, ref } from './json-schema';
import type { Parameter } from './operation';

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
  examples: ['"5d41402abc4b2a76b9719d911017c592"'],
};

/** RFC 9110 §13.1.3: what is no valid date is ignored. */
const httpDate: JsonSchema = { type: 'string', examples: ['Fri, 20 Nov 2026 10:51:00 GMT'] };

const text: JsonSchema = { type: 'string', minLength: 1 };

function limit(initial: number): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: LIMITS.pageMax, default: initial };
}

function contentHeader(name: string): Parameter {
  return inHeader(name, 'Stored with the object, and answered with it.', {
    type: 'string',
    pattern: '^[\\x20-\\x7e]*$',
    maxLength: LIMITS.contentHeaderBytes,
  });
}

export const PARAMETERS = {
  Bucket: inPath('bucket', 'The bucket.', ref('BucketName'), 'photos'),
  Key: inPath(
    'key',
    'The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.',
    ref('ObjectKey'),
    '2026/cat.jpg',
  ),
  KeyId: inPath('id', 'The id of an API key.', ref('ApiKeyId'), '3kTf9ZpQw1Lm'),
  Limit: inQuery('limit', 'Entries of the page at most.', limit(LIMITS.pageDefault)),
  ChangesLimit: inQuery(
    'limit',
    'Numbers that the page covers at most.',
    limit(LIMITS.changesDefault),
  ),
  PageToken: inQuery(
    'page_token',
    'The `next_page_token` of the page before, with the same other parameters.',
    text,
  ),
  Prefix: inQuery('prefix', 'Only keys that begin with it.', ref('Prefix')),
  Delimiter: inQuery(
    'delimiter',
    'Keys that contain it behind the prefix are folded into `prefixes`.',
    ref('Prefix'),
  ),
  StartAfter: inQuery('start_after', 'Only keys behind it; it need not exist.', ref('Prefix')),
  Version: inQuery('version', 'An older version, as long as it is kept.', {
    type: 'integer',
    minimum: 1,
    maximum: 999_999_999_999_999,
  }),
  View: inQuery('view', 'Answers the descriptor instead of the bytes.', {
    type: 'string',
    enum: ['descriptor'],
  }),
  FollowedBucket: {
    ...inQuery('bucket', 'The bucket to follow.', ref('BucketName')),
    required: true,
    example: 'photos',
  },
  Cursor: inQuery(
    'cursor',
    'Your position: the changes after it are answered. From now on when it is absent.',
    ref('Position'),
  ),
  BucketId: inQuery(
    'bucket_id',
    'Of an earlier answer: a bucket made again under the same name is told apart.',
    ref('BucketId'),
  ),
  Wait: inQuery('wait', 'Seconds to wait for something new.', {
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
  Days: inQuery('days', 'So many days, today included.', {
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 7,
  }),
  IfMatch: inHeader('If-Match', 'RFC 9110 §13.1.1: etags, or `*`.', entityTags),
  IfNoneMatch: inHeader('If-None-Match', 'RFC 9110 §13.1.2: etags, or `*`.', entityTags),
  IfModifiedSince: inHeader(
    'If-Modified-Since',
    'RFC 9110 §13.1.3; ignored beside If-None-Match.',
    httpDate,
  ),
  IfUnmodifiedSince: inHeader(
    'If-Unmodified-Since',
    'RFC 9110 §13.1.4; ignored beside If-Match.',
    httpDate,
  ),
  IfRange: inHeader('If-Range', 'RFC 9110 §13.1.5: the etag, or the exact Last-Modified.', {
    type: 'string',
  }),
  Range: inHeader(
    'Range',
    'RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored.',
    { type: 'string', examples: ['bytes=0-99'] },
  ),
  ContentDigest: inHeader(
    'Content-Digest',
    'RFC 9530: sha-256 or sha-512 of the body, which is verified.',
    { type: 'string', examples: ['sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'] },
  ),
  CacheControl: contentHeader('Cache-Control'),
  ContentDisposition: contentHeader('Content-Disposition'),
  ContentEncoding: contentHeader('Content-Encoding'),
  ContentLanguage: contentHeader('Content-Language'),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    'Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400.',
    { type: 'string', pattern: '^[\\x21-\\x7e]+$', maxLength: LIMITS.idempotencyKeyLength },
  ),
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;
