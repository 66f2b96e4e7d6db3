/** JSON bodies of consumers: docs/api.md, "Consumers". */
import { LIMITS } from '../../core/limits';
import { closedObject, type JsonSchema, listOf, openObject, ref, whole } from '../json-schema';
import { NEXT_PAGE_TOKEN } from './web';

const MAX = Number.MAX_SAFE_INTEGER;

const STORED = {
  bucket: ref('BucketName'),
  bucket_id: ref('BucketId'),
  name: ref('ConsumerName'),
  cursor: ref('Cursor'),
  updated_at: ref('Time'),
};

const PREFIX = {
  prefix: {
    ...ref('Prefix'),
    description: 'The consumer follows the keys that begin with it. Absent: all keys.',
  },
};

export const CONSUMERS = {
  NewCursor: closedObject(
    { cursor: ref('Cursor') },
    {
      if_cursor: {
        type: ['integer', 'null'],
        minimum: 0,
        maximum: MAX,
        description:
          'The cursor at which the consumer must be; null: there must be no such consumer. Absent: any that is not beyond `cursor`.',
      },
      ...PREFIX,
      bucket_id: {
        ...ref('BucketId'),
        description: 'The incarnation of the bucket to which the cursor belongs.',
      },
    },
  ),
  StoredConsumer: openObject(STORED, PREFIX),
  Consumer: openObject(
    {
      ...STORED,
      lag: whole('Cursors between the consumer and the newest published change.', 0, MAX),
      lag_seconds: whole(
        'Age of the oldest change that the consumer is not done with; 0 when there is none.',
        0,
        MAX,
      ),
      behind_retention: {
        type: 'boolean',
        description: 'Changes after the cursor are no longer kept: the consumer has to start over.',
      },
    },
    PREFIX,
  ),
  ConsumerPage: openObject(
    { consumers: listOf(ref('Consumer'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: NEXT_PAGE_TOKEN },
  ),
} as const satisfies Record<string, JsonSchema>;
