/** The paths of links and temporary keys: docs/api.md. */
import { BASE_PATH, type Method, type ResourceKind } from '../../service/routes/routes';
import type { Content, PathDescription } from '../operation';
import { KEY, LINK, PERMISSIONS } from './examples';

const json = (schema: string, example?: unknown): Content => ({ json: schema, example });

export const WEB_PATHS: Readonly<
  Record<
    Extract<ResourceKind, 'links' | 'link' | 'tokens'>,
    PathDescription<Exclude<Method, 'HEAD'>>
  >
> = {
  links: {
    path: `${BASE_PATH}/links`,
    tag: 'Links',
    parameters: [],
    operations: {
      GET: {
        id: 'listLinks',
        summary: 'Lists the links of a bucket',
        description: 'Only those to keys for which the API key has `sign`.',
        parameters: ['LinkedBucket', 'Limit', 'PageToken'],
        responses: {
          200: {
            description: 'A page of links.',
            content: json('LinkPage', { links: [LINK] }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found'],
      },
      POST: {
        id: 'createLink',
        summary: 'Makes a link, which opens an object for everybody who has it',
        description:
          'Needs `sign` and `read`. The link ends with the API key, and can be revoked. The URL is returned once.',
        parameters: ['IdempotencyKey'],
        body: {
          content: json('NewLink', {
            bucket: 'photos',
            key: '2026/cat.jpg',
            expires_in: 86_400,
            max_uses: 10,
          }),
          required: true,
        },
        responses: {
          201: {
            description: 'The link.',
            content: json('CreatedLink', {
              ...LINK,
              url: `https://files.example.org/s/${LINK.id}?secret=0XcVb1NmK5jHgF3dSaP2oI`,
            }),
            headers: ['NoStore'],
          },
        },
        errors: ['not_found', 'payload_too_large'],
      },
    },
  },
  link: {
    path: `${BASE_PATH}/links/{id}`,
    tag: 'Links',
    parameters: ['LinkId'],
    operations: {
      DELETE: {
        id: 'deleteLink',
        summary: 'Revokes a link',
        description: 'Needs `sign` for the key of its object.',
        parameters: ['IdempotencyKey'],
        responses: { 204: { description: 'The link no longer opens anything.' } },
        errors: ['not_found'],
      },
    },
  },
  tokens: {
    path: `${BASE_PATH}/tokens`,
    tag: 'Temporary keys',
    parameters: [],
    operations: {
      POST: {
        id: 'createToken',
        summary: 'Makes a temporary key',
        description:
          'It may do a part of what the API key may that makes it, and ends with it. Nothing is stored, so that a request can be repeated.',
        body: {
          content: json('NewToken', { permissions: PERMISSIONS, expires_in: 3600 }),
          required: true,
        },
        responses: {
          201: {
            description: 'The temporary key.',
            content: json('Token', {
              token: `ost_${'x'.repeat(43)}.${'x'.repeat(43)}`,
              permissions: PERMISSIONS,
              expires_at: '2026-11-20T11:50:00.000Z',
              key_id: KEY.id,
            }),
            headers: ['NoStore'],
          },
        },
        errors: ['payload_too_large'],
      },
    },
  },
};
