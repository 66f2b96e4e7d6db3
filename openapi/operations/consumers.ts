/** The paths of consumers: docs/api.md, "Consumers". */
import { BASE_PATH, type Method, type ResourceKind } from '../../service/routes/routes';
import type { Content, PathDescription } from '../operation';

const STORED = {
  ...{ bucket: 'photos', bucket_id: '8sKq2LmVx0Tz', name: 'indexer', cursor: 8 },
  updated_at: '2026-11-20T10:52:00.000Z',
};

const SHOWN = { ...STORED, lag: 1, lag_seconds: 12, behind_retention: false };

const json = (schema: string, example?: unknown): Content => ({ json: schema, example });

export const CONSUMER_PATHS: Readonly<
  Record<Extract<ResourceKind, 'consumers' | 'consumer'>, PathDescription<Exclude<Method, 'HEAD'>>>
> = {
  consumers: {
    path: `${BASE_PATH}/buckets/{bucket}/consumers`,
    tag: 'Changes',
    parameters: ['Bucket'],
    operations: {
      GET: {
        id: 'listConsumers',
        summary: 'Lists the consumers of a bucket by name, with their lags',
        description: 'Needs `sync`. Only those whose prefix the API key may follow.',
        parameters: ['Limit', 'PageToken'],
        responses: {
          200: {
            description: 'A page of consumers.',
            content: json('ConsumerPage', { consumers: [SHOWN] }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found'],
      },
    },
  },
  consumer: {
    path: `${BASE_PATH}/buckets/{bucket}/consumers/{name}`,
    tag: 'Changes',
    parameters: ['Bucket', 'ConsumerName'],
    operations: {
      GET: {
        id: 'getConsumer',
        summary: 'Returns a consumer, and how far it is behind',
        description: 'Needs `sync` for the prefix of the consumer.',
        responses: {
          200: {
            description: 'The consumer.',
            content: json('Consumer', SHOWN),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found'],
      },
      PUT: {
        id: 'putConsumer',
        summary: 'Stores the cursor of a consumer, and creates it if there is none',
        description:
          'Needs `sync` for the prefix. Without `if_cursor` the cursor only moves forward.',
        parameters: ['IdempotencyKey'],
        body: { content: json('NewCursor', { cursor: 8 }), required: true },
        responses: {
          200: {
            description: 'The cursor is stored.',
            content: json('StoredConsumer', STORED),
            headers: ['NoStore'],
          },
          201: {
            description: 'The consumer is new.',
            content: json('StoredConsumer', STORED),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found', 'conflict', 'cursor_expired', 'precondition_failed'],
      },
      DELETE: {
        id: 'deleteConsumer',
        summary: 'Deletes a consumer',
        description: 'Needs `sync` for the prefix of the consumer.',
        parameters: ['IdempotencyKey'],
        responses: { 204: { description: 'There is no such consumer any more.' } },
        errors: ['not_found'],
      },
    },
  },
};
