/** The paths of the administration. */
import { KEY_LIMITS } from '../../core/access/key-settings';
import { ACTIONS } from '../../core/access/permissions';
import { DEFAULT_RATES } from '../../core/limits';
import type { AdminKind, AdminMethod } from '../../lambdas/admin/routes';
import { BASE_PATH } from '../../lambdas/shared/routes';
import type { Answer, Content, PathDescription } from '../operation';
import { AUDIT_RECORD, KEY, KEY_TEXT, PERMISSIONS } from './examples';

const BASE = '/admin/v1';

function answer(description: string, schema: string, example: unknown): Answer {
  const content: Content = { json: schema, example };
  return { description, content, headers: ['NoStore'] };
}

const COUNTS = { read: 12, write: 3, list: 1, sign: 0, connect: 0, limited: 0 };

const MADE = { key: KEY, api_key: KEY_TEXT };

const NOTHING = { content: { json: 'NoFields', example: {} }, required: false } as const;

export const ADMINISTRATION_PATHS: Readonly<
  Record<AdminKind, PathDescription<Exclude<AdminMethod, 'HEAD'>>>
> = {
  config: {
    path: `${BASE}/config`,
    tag: 'Sessions',
    parameters: [],
    operations: {
      GET: {
        id: 'getConfiguration',
        summary: 'Says what a page must know before anybody has signed in',
        isPublic: true,
        answers: {
          200: answer('Public.', 'Configuration', {
            issuer: 'https://issuer.example.org/pool',
            client_id: '7h3q0n1',
            scopes: ['openid', 'email'],
            authorize_parameters: {},
            api_base: BASE_PATH,
            sync_url: 'wss://sync.example.org/sync',
            actions: ACTIONS,
            tiers: ['default'],
            rate_tiers: { default: DEFAULT_RATES },
            session_seconds: KEY_LIMITS.sessionSeconds,
            version: '0.1.0',
          }),
        },
      },
    },
  },
  session: {
    path: `${BASE}/session`,
    tag: 'Sessions',
    parameters: [],
    operations: {
      POST: {
        id: 'openSession',
        summary: 'Makes an API key for the page itself',
        description: `With all permissions, for at most ${KEY_LIMITS.sessionSeconds} s and never longer than the access token. Revoke it to sign out.`,
        body: NOTHING,
        answers: {
          201: answer('The key, once.', 'Session', {
            api_key: KEY_TEXT,
            key_id: KEY.id,
            expires_at: '2026-11-20T11:50:00.000Z',
          }),
        },
        refusals: ['payload_too_large'],
      },
    },
  },
  keys: {
    path: `${BASE}/keys`,
    tag: 'API keys',
    parameters: [],
    operations: {
      GET: {
        id: 'listKeys',
        summary: 'Lists the API keys, each once, in an order without meaning',
        description: 'A page may be shorter than `limit` and still have a next one.',
        parameters: ['Limit', 'PageToken'],
        answers: { 200: answer('A page of keys.', 'KeyPage', { keys: [KEY] }) },
      },
      POST: {
        id: 'createKey',
        summary: 'Makes an API key',
        body: {
          content: { json: 'NewKey', example: { name: KEY.name, permissions: PERMISSIONS } },
          required: true,
        },
        answers: {
          201: {
            ...answer('The key, and its text, once.', 'MadeKey', MADE),
            headers: ['Location', 'NoStore'],
          },
        },
        refusals: ['payload_too_large'],
      },
    },
  },
  key: {
    path: `${BASE}/keys/{id}`,
    tag: 'API keys',
    parameters: ['KeyId'],
    operations: {
      GET: {
        id: 'getKey',
        summary: 'Describes an API key',
        answers: { 200: answer('The key.', 'Key', KEY) },
        refusals: ['not_found'],
      },
      PATCH: {
        id: 'changeKey',
        summary: 'Changes settings of an API key',
        description: 'Those that are named; the others stay.',
        body: {
          content: { json: 'KeyChange', example: { name: 'weekly backup', expires_at: null } },
          required: true,
        },
        answers: { 200: answer('The changed key.', 'Key', { ...KEY, name: 'weekly backup' }) },
        refusals: ['not_found', 'conflict', 'payload_too_large'],
      },
    },
  },
  revoke: {
    path: `${BASE}/keys/{id}/revoke`,
    tag: 'API keys',
    parameters: ['KeyId'],
    operations: {
      POST: {
        id: 'revokeKey',
        summary: 'Revokes an API key, for ever',
        description: 'Again: the same answer, and nothing changes.',
        body: NOTHING,
        answers: {
          200: answer('The revoked key.', 'Key', {
            ...KEY,
            state: 'revoked',
            revoked_at: '2026-11-20T10:55:00.000Z',
            revoked_by: 'dev@localhost',
          }),
        },
        refusals: ['not_found', 'payload_too_large'],
      },
    },
  },
  rotate: {
    path: `${BASE}/keys/{id}/rotate`,
    tag: 'API keys',
    parameters: ['KeyId'],
    operations: {
      POST: {
        id: 'rotateKey',
        summary: 'Gives an API key a new secret',
        description:
          'The old secret works until the overlap ends; a second rotation ends it at once.',
        body: {
          content: { json: 'Rotation', example: { overlap_seconds: 3600 } },
          required: false,
        },
        answers: { 201: answer('The key, and its new text, once.', 'MadeKey', MADE) },
        refusals: ['not_found', 'conflict', 'payload_too_large'],
      },
    },
  },
  audit: {
    path: `${BASE}/audit`,
    tag: 'Audit',
    parameters: [],
    operations: {
      GET: {
        id: 'listAuditRecords',
        summary: 'Lists who changed which API key, newest first',
        parameters: ['Limit', 'PageToken'],
        answers: {
          200: answer('A page of records.', 'AuditPage', { records: [AUDIT_RECORD] }),
        },
      },
    },
  },
  usage: {
    path: `${BASE}/usage`,
    tag: 'Usage',
    parameters: [],
    operations: {
      GET: {
        id: 'getUsage',
        summary: 'Counts the requests of an API key, hour by hour',
        parameters: ['UsedKey', 'Days'],
        answers: {
          200: answer('Requests by class, and those that were refused with 429.', 'Usage', {
            key_id: KEY.id,
            from: '2026-11-20',
            to: '2026-11-20',
            hours: [{ hour: '2026-11-20T10:00:00.000Z', ...COUNTS }],
          }),
        },
      },
    },
  },
};
