/** Headers of responses. */
import { SHA256_BASE64 } from '../core/http/digests';
import { type JsonSchema, ref } from './json-schema';

interface Header {
  /** As sent. */
  readonly name: string;
  readonly description: string;
  /** Whether every response that lists the header has it. */
  readonly required?: true;
  readonly schema: JsonSchema;
}

const whole = (minimum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
});

const text: JsonSchema = { type: 'string' };

export const HEADERS = {
  NoStore: {
    name: 'Cache-Control',
    required: true,
    description: 'The response is not cached.',
    schema: { const: 'no-store' },
  },
  NotKept: {
    name: 'Cache-Control',
    description: 'The response is not cached. Errors of API Gateway itself lack this header.',
    schema: { const: 'no-store' },
  },
  CacheControl: {
    name: 'Cache-Control',
    description:
      'As stored, but for the caller only: with `private`, without `public` and `s-maxage`; `private, no-cache` when none was stored. With `view=descriptor` it is `no-store`.',
    schema: text,
  },
  Vary: {
    name: 'Vary',
    description: 'The response is for the caller of this key, and the page that it uses.',
    schema: { const: 'Authorization, Origin' },
  },
  ContentDisposition: { name: 'Content-Disposition', description: 'As stored.', schema: text },
  ContentEncoding: { name: 'Content-Encoding', description: 'As stored.', schema: text },
  ContentLanguage: { name: 'Content-Language', description: 'As stored.', schema: text },
  ExpiresAt: {
    name: 'x-object-expires-at',
    description: 'When the service deletes the object. Absent: never.',
    schema: ref('Time'),
  },
  ETag: {
    name: 'ETag',
    required: true,
    description: 'The etag of the version; strong.',
    schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]+"$' },
  },
  ObjectETag: {
    name: 'ETag',
    description: 'The etag of the version; strong. Absent with `view=versions`.',
    schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]+"$' },
  },
  LastModified: {
    name: 'Last-Modified',
    required: true,
    description: '`updated_at` in whole seconds.',
    schema: {
      type: 'string',
      pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} [0-9:]{8} GMT$',
    },
  },
  ObjectLastModified: {
    name: 'Last-Modified',
    description: '`updated_at` in whole seconds. Absent with `view=versions`.',
    schema: {
      type: 'string',
      pattern: '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} [0-9:]{8} GMT$',
    },
  },
  AcceptRanges: {
    name: 'Accept-Ranges',
    description: 'RFC 9110 §14.3.',
    schema: { const: 'bytes' },
  },
  ContentRange: {
    name: 'Content-Range',
    required: true,
    description: 'The range of bytes, and the size of the object.',
    schema: { type: 'string', pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' },
  },
  ReprDigest: {
    name: 'Repr-Digest',
    description: 'RFC 9530: the digest of the whole object. Absent when the checksum is unknown.',
    schema: {
      type: 'string',
      pattern: SHA256_BASE64.source.replace('^', '^sha-256=:').replace('$', ':$'),
    },
  },
  NoSniff: {
    name: 'X-Content-Type-Options',
    description: 'Browsers must not guess the type of stored bytes.',
    schema: { const: 'nosniff' },
  },
  Sandbox: {
    name: 'Content-Security-Policy',
    description: 'Browsers must not run stored bytes as a page of this origin.',
    schema: { const: "sandbox; default-src 'none'" },
  },
  Version: {
    name: 'x-object-version',
    required: true,
    description: 'The version of the object.',
    schema: whole(1),
  },
  ObjectVersion: {
    name: 'x-object-version',
    description: 'The version of the object. Absent with `view=versions`.',
    schema: whole(1),
  },
  Cursor: {
    name: 'x-object-cursor',
    required: true,
    description: 'A cursor of the change log of the bucket.',
    schema: ref('Cursor'),
  },
  ObjectCursor: {
    name: 'x-object-cursor',
    description: 'The cursor of the version. Absent with `view=versions`.',
    schema: ref('Cursor'),
  },
  Size: {
    name: 'x-object-size',
    description: 'The bytes of the whole object. Absent with `view=descriptor`.',
    schema: whole(0),
  },
  Location: {
    name: 'Location',
    required: true,
    description: 'The address.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  WwwAuthenticate: {
    name: 'WWW-Authenticate',
    description: 'RFC 6750.',
    schema: { type: 'string', pattern: '^Bearer' },
  },
  RetryAfter: { name: 'Retry-After', required: true, description: 'Seconds.', schema: whole(1) },
  AskAgain: {
    name: 'Retry-After',
    description:
      'Seconds until the next request, when the response to one with `wait` came at once and there is nothing new.',
    schema: whole(1),
  },
  RateLimit: {
    name: 'RateLimit',
    description: 'The rest of the rate limit that the request counted for.',
    schema: { type: 'string', examples: ['"write";r=42;t=17'] },
  },
  RateLimitPolicy: {
    name: 'RateLimit-Policy',
    description: 'The rate limit that the request counted for.',
    schema: { type: 'string', examples: ['"write";q=100;w=1'] },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;
