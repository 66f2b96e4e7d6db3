import { ERRORS } from '../../core/errors';
import { RATE_CLASSES } from '../../core/limits';
import { type JsonSchema, openObject, ref, text, whole } from '../json-schema';

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
            size: whole('Bytes of the object.', 0, Number.MAX_SAFE_INTEGER),
            oldest: ref('Cursor'),
            head: ref('Cursor'),
            reason: text('The kind of conflict, or why a cursor has expired.', {
              enum: ['revoked', 'expired', 'bucket_replaced'],
            }),
            class: text('The class of requests whose rate limit is exceeded.', {
              enum: [...RATE_CLASSES],
            }),
            retry_after: whole('Seconds, as in Retry-After.', 1, Number.MAX_SAFE_INTEGER),
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
