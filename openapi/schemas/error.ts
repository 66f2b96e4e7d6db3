import { ERRORS } from '../../core/errors';
import { RATE_CLASSES } from '../../core/limits';
import { type JsonSchema, openObject, ref, text, whole } from '../json-schema';

const MAX = Number.MAX_SAFE_INTEGER;

/** The error shape of the contract. */
export const ERROR: JsonSchema = openObject({
  error: openObject(
    {
      code: {
        type: 'string',
        description: 'For programs. Never changes.',
        enum: Object.keys(ERRORS),
      },
      message: text('For people.', { minLength: 1 }),
      request_id: text('Identifies the request when you report the error.', { minLength: 1 }),
    },
    {
      details: {
        ...openObject(
          {},
          {
            field: text('The invalid field, header or parameter.'),
            rule: text('The rule that the field, header or parameter breaks.'),
            action: text('The action for which the API key has no permission.'),
            bucket: text('The bucket that the error is about.'),
            key: text('The object that the error is about.'),
            prefix: text('The prefix of keys for which the permission is missing.'),
            header: text('The header whose condition is false.', {
              enum: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
            }),
            etag: text('The etag of the object, without quotes.', { minLength: 1 }),
            version: whole('The version of the object, or the one that was asked for.', 1, MAX),
            newest: whole('The newest version of the key.', 1, MAX),
            size: whole('Bytes of the object.', 0, MAX),
            index: whole('The place of the refused change in the commit, from 0.', 0, MAX),
            bytes: whole('The size of what was sent, or of what was to be copied.', 0, MAX),
            limit: whole('The largest size that is allowed, in bytes.', 0, MAX),
            cursor: ref('Cursor'),
            oldest: ref('Cursor'),
            head: ref('Cursor'),
            reason: text('The kind of conflict, or why a cursor has expired.', {
              enum: ['revoked', 'expired', 'bucket_replaced'],
            }),
            class: text('The class of requests whose rate limit is exceeded.', {
              enum: [...RATE_CLASSES],
            }),
            retry_after: whole('Seconds, as in Retry-After.', 1, MAX),
            allow: {
              type: 'array',
              items: { type: 'string' },
              description: 'The methods of the path.',
            },
          },
        ),
        description: 'For programs; depends on the code.',
      },
    },
  ),
});
