import { ERRORS } from '../../core/errors';
import { RATE_CLASSES } from '../../core/limits';
import { answered, type JsonSchema, ref, text, whole } from '../json-schema';

/** The one shape of every refusal. */
export const ERROR: JsonSchema = answered({
  error: answered(
    {
      code: {
        type: 'string',
        description: 'What programs read. Never changes.',
        enum: Object.keys(ERRORS),
      },
      message: text('What people read.', { minLength: 1 }),
      request_id: text('To be quoted when the failure is reported.', { minLength: 1 }),
    },
    {
      details: {
        ...answered(
          {},
          {
            field: text('Of an invalid request: the field, header or parameter.'),
            rule: text('Of an invalid request: the rule that it breaks.'),
            action: text('The action that the API key lacks.'),
            bucket: text('The bucket that the refusal is about.'),
            key: text('The object that the refusal is about.'),
            size: whole('Bytes of the object.', 0, Number.MAX_SAFE_INTEGER),
            oldest: ref('Position'),
            head: ref('Position'),
            reason: text('Which of the conflicts, or why a position has expired.', {
              enum: ['revoked', 'expired', 'bucket_replaced'],
            }),
            class: text('The class of requests whose limit is exceeded.', {
              enum: [...RATE_CLASSES],
            }),
            retry_after: whole('Seconds, as in Retry-After.', 1, Number.MAX_SAFE_INTEGER),
            allow: {
              type: 'array',
              items: { type: 'string' },
              description: 'The methods that the path answers.',
            },
          },
        ),
        description: 'What a program may act upon; depends on the code.',
      },
    },
  ),
});
