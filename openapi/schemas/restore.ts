/** JSON bodies of a restore. */
import { LIMITS } from '../../core/limits';
import { closedObject, listOf, openObject, ref, text, whole } from '../json-schema';

const MAX = Number.MAX_SAFE_INTEGER;

const count = (description: string) => whole(description, 0, MAX);

export const RESTORE = {
  RestoreRequest: closedObject(
    { bucket: ref('BucketName'), as_of: ref('Cursor') },
    {
      prefix: ref('Prefix'),
      dry_run: { type: 'boolean', description: 'Only says what would change.', default: false },
      page_token: text('The `next_page_token` of the previous call, with the same other fields.', {
        minLength: 1,
      }),
    },
  ),
  RestoreResult: openObject(
    {
      bucket: ref('BucketName'),
      as_of: ref('Cursor'),
      restored: count('Objects that have their earlier content again.'),
      deleted: count('Objects that did not exist then.'),
      unchanged: count('Objects that are as they were.'),
      has_more: { type: 'boolean', description: 'Another call is needed.' },
    },
    {
      from: ref('Cursor'),
      to: ref('Cursor'),
      dry_run: { const: true },
      changes: listOf(ref('RestoredKey'), {
        maxItems: LIMITS.pageMax,
        description: 'Of a dry run: what would change.',
      }),
      failed: listOf(ref('FailedKey'), { description: 'Objects that are left as they are.' }),
      next_page_token: text('The `page_token` of the next call. Absent from the last one.', {
        minLength: 1,
      }),
    },
  ),
  RestoredKey: openObject(
    { key: ref('ObjectKey'), type: { enum: ['put', 'delete'] } },
    {
      version: whole('The version whose content the object gets.', 1, MAX),
      size: whole('Its bytes.', 0, LIMITS.multipartMaxBytes),
    },
  ),
  FailedKey: openObject({ key: ref('ObjectKey'), reason: { enum: ['too_large', 'expired'] } }),
};
