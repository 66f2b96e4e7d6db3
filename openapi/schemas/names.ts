/** Schemas of names, cursors and times, which other schemas use. */

import { SHA256_BASE64 } from '../../core/http/digests';
import { API_KEY, BUCKET_NAME, CONSUMER_NAME, LIMITS } from '../../core/limits';
import { DATE_TIME } from '../../core/times';
import { type JsonSchema, ref, text, whole } from '../json-schema';

const BASE62_ID = '^[0-9A-Za-z]{12}$';
export const ULID = '^[0-9A-HJKMNP-TV-Z]{26}$';

export const CHANGE_NUMBER = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const NAMES = {
  BucketName: text('3 to 63 characters, beginning and ending with a letter or digit.', {
    pattern: BUCKET_NAME.source,
    minLength: LIMITS.bucketNameMin,
    maxLength: LIMITS.bucketNameMax,
    examples: ['photos'],
  }),
  ObjectKey: text(
    `1 to ${LIMITS.keyBytes} bytes of UTF-8 without control characters and without a segment \`.\` or \`..\`. Stored byte for byte.`,
    {
      pattern: '^(?!(?:[^/]*/)*\\.\\.?(?:/|$))[^\\u0000-\\u001f\\u007f]+$',
      minLength: 1,
      maxLength: LIMITS.keyBytes,
      'x-well-formed': true,
      'x-max-bytes': LIMITS.keyBytes,
      'x-max-encoded-length': LIMITS.encodedKeyLength,
      examples: ['2026/cat.jpg'],
    },
  ),
  Prefix: text('The beginning of keys. Empty: all keys.', {
    maxLength: LIMITS.keyBytes,
    'x-well-formed': true,
    'x-max-bytes': LIMITS.keyBytes,
    examples: ['2026/'],
  }),
  BucketId: text(
    'Identifies one incarnation of a bucket: a bucket that is deleted and created again has another id.',
    { pattern: BASE62_ID, examples: ['8sKq2LmVx0Tz'] },
  ),
  Cursor: whole(
    'A cursor: a place in the change log of a bucket, whose entries have the cursors 1, 2, 3, …',
    0,
    Number.MAX_SAFE_INTEGER,
    { examples: [8] },
  ),
  Time: text('ISO 8601 in UTC with milliseconds.', {
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    examples: ['2026-11-20T10:51:00.120Z'],
  }),
  ApiKeyId: text('12 letters and digits.', { pattern: BASE62_ID, examples: ['3kTf9ZpQw1Lm'] }),
  ApiKeyText: text('The API key itself. It is shown once and never stored.', {
    pattern: `^${API_KEY}$`,
  }),
  ConsumerName: text('Names a consumer within its bucket.', {
    pattern: CONSUMER_NAME.source,
    minLength: 1,
    maxLength: LIMITS.consumerNameLength,
    examples: ['indexer'],
  }),
  LinkId: text('Identifies a link. It does not open it.', {
    pattern: '^[0-9A-Za-z]{12}[0-9A-Za-z_-]{22}$',
    examples: ['8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw'],
  }),
  AuditId: text('A ULID, which sorts by time.', {
    pattern: ULID,
    examples: ['01KAG8Y2M4Q7T9V1X3Z5B7D9F1'],
  }),
} as const satisfies Record<string, JsonSchema>;

/** A time in a request. */
export const FUTURE = text('In the future; with date, time and zone.', {
  pattern: DATE_TIME.source,
  'x-future': true,
  examples: ['2027-01-31T12:00:00Z'],
});

export const OBJECT_NAME = { bucket: ref('BucketName'), key: ref('ObjectKey') };

export const CHECKSUM = text('SHA-256 of the bytes, in base64.', { pattern: SHA256_BASE64.source });
