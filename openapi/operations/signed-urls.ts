/** Signed URLs and the uploads by them: docs/api.md. */
import { BASE_PATH, type Method, type ResourceKind } from '../../service/routes/routes';
import type { Content, PathDescription } from '../operation';
import { DESCRIPTOR } from './examples';

const json = (schema: string, example?: unknown): Content => ({ json: schema, example });

export const SIGNED_URL_PATHS = {
  'signed-url': {
    path: `${BASE_PATH}/signed-url`,
    tag: 'Signed URLs',
    parameters: [],
    operations: {
      POST: {
        id: 'signUrl',
        summary: 'Creates a short-lived URL that needs no API key',
        description:
          'For downloads, uploads of up to 5 TiB, and tickets for the change channel. Needs `sign`, and `read`, `write` or `sync`. Idempotency-Key cannot be used with a ticket.',
        parameters: ['IdempotencyKey'],
        body: {
          content: json('SignRequest', {
            bucket: 'photos',
            key: '2026/cat.jpg',
            method: 'GET',
            expires_in: 300,
          }),
          required: true,
        },
        responses: {
          201: {
            description: 'The signed URL, the signed URLs of the parts, or the ticket.',
            content: json('SignedRequest', {
              url: 'https://s3.example.org/content/objects/8sKq2LmVx0Tz?X-Amz-Signature=…',
              method: 'GET',
              headers: {},
              expires_at: '2026-11-20T10:56:00.000Z',
              bucket: 'photos',
              key: '2026/cat.jpg',
              version: 1,
              size: 48213,
              etag: DESCRIPTOR.etag,
            }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found', 'payload_too_large'],
      },
    },
  },
  upload: {
    path: `${BASE_PATH}/uploads/{upload_id}`,
    tag: 'Signed URLs',
    parameters: ['UploadId'],
    operations: {
      GET: {
        id: 'getUpload',
        summary: 'Says what became of an upload by a signed URL',
        description:
          'Until 7 days after the upload was committed or discarded. Needs `write` for the object: without it the response is 404.',
        responses: {
          200: {
            description: 'The state of the upload.',
            content: json('UploadState', {
              upload_id: '01KAG8Y2M4Q7T9V1X3Z5B7D9F1',
              bucket: 'photos',
              key: '2026/cat.jpg',
              state: 'committed',
              object: { bucket: 'photos', key: '2026/cat.jpg', version: 1, cursor: 8 },
            }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found'],
      },
    },
  },
} as const satisfies Partial<Record<ResourceKind, PathDescription<Exclude<Method, 'HEAD'>>>>;
