/** The path that brings keys back to what they were. */
import { LIMITS } from '../../core/limits';
import { BASE_PATH } from '../../service/routes/routes';
import type { PathDescription } from '../operation';

const RESULT = {
  ...{ bucket: 'photos', as_of: 8, restored: 1, deleted: 1, unchanged: 40 },
  ...{ from: 10, to: 11, has_more: false },
};

export const RESTORE_PATHS = {
  restore: {
    path: `${BASE_PATH}/restore`,
    tag: 'Objects',
    parameters: [],
    operations: {
      POST: {
        id: 'restoreObjects',
        summary: 'Brings the keys of a bucket back to what they were at a cursor',
        description: `Changes at most ${LIMITS.restoresPerCall} objects a call, in several commits; repeat it with the token while \`has_more\` is true. Idempotency-Key cannot be used. Needs \`list\`, \`read\`, \`write\` and \`delete\` for the whole prefix.`,
        body: {
          content: {
            json: 'RestoreRequest',
            example: { bucket: 'photos', prefix: '2026/', as_of: 8 },
          },
          required: true,
        },
        responses: {
          200: {
            description: 'What was changed, or would be, and whether there is more.',
            content: { json: 'RestoreResult', example: RESULT },
            headers: ['NoStore'],
          },
        },
        errors: ['not_found', 'cursor_expired', 'payload_too_large'],
      },
    },
  },
} as const satisfies Readonly<Record<'restore', PathDescription<'POST'>>>;
