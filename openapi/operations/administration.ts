/** The paths of the administration. */

import { ACTIONS } from '../../core/access/permissions';
import { DEFAULT_RATES, KEY_LIMITS } from '../../core/limits';
import type { AdminKind, AdminMethod } from '../../service/administration/routes';
import { BASE_PATH } from '../../service/routes/routes';
import type { Content, PathDescription, Response } from '../operation';
import { AUDIT_RECORD, KEY, KEY_TEXT, PERMISSIONS } from './examples';

const BASE = '/admin/v1';

function response(description: string, schema: string, example: unknown): Response {
  const content: Content = { json: schema, example };
  return { description, content, headers: ['NoStore'] };
}

const COUNTS = { read: 12, write: 3, list: 1, sign: 0, wait: 0, connect: 0, limited: 0 };

const WITH_SECRET = { key: KEY, api_key: KEY_TEXT };

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
        summary: 'Returns the settings that the dashboard needs before a person signs in',
        isPublic: true,
        responses: {
          200: response('The public settings.', 'Configuration', {
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
        summary: 'Creates an API key for the dashboard itself',
        description: `The key has all permissions. It is valid for at most ${KEY_LIMITS.sessionSeconds} s, and no longer than the access token. DELETE ends it.`,
        body: NOTHING,
        responses: {
          201: response('The key. Its text is not shown again.', 'Session', {
            api_key: KEY_TEXT,
            key_id: KEY.id,
            expires_at: '2026-11-20T11:50:00.000Z',
          }),
        },
        errors: ['payload_too_large'],
      },
      DELETE: {
        id: 'endSessions',
        summary: 'Signs out: revokes every key that POST has created for this person',
        description: 'Keys that this person has created under `/keys` stay.',
        responses: {
          200: response('How many keys still worked.', 'EndedSessions', { revoked: 2 }),
        },
        errors: ['payload_too_large'],
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
        summary: 'Lists the API keys in no particular order',
        description: 'A page may have fewer keys than `limit` and still be followed by another.',
        parameters: ['Limit', 'PageToken'],
        responses: { 200: response('A page of keys.', 'KeyPage', { keys: [KEY] }) },
      },
      POST: {
        id: 'createKey',
        summary: 'Creates an API key',
        body: {
          content: { json: 'NewKey', example: { name: KEY.name, permissions: PERMISSIONS } },
          required: true,
        },
        responses: {
          201: {
            ...response(
              'The key and its text, which is not shown again.',
              'KeyWithSecret',
              WITH_SECRET,
            ),
            headers: ['Location', 'NoStore'],
          },
        },
        errors: ['payload_too_large'],
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
        responses: { 200: response('The key.', 'Key', KEY) },
        errors: ['not_found'],
      },
      PATCH: {
        id: 'changeKey',
        summary: 'Changes settings of an API key',
        description: 'Changes the fields in the body. The others keep their values.',
        body: {
          content: { json: 'KeyChange', example: { name: 'weekly backup', expires_at: null } },
          required: true,
        },
        responses: { 200: response('The changed key.', 'Key', { ...KEY, name: 'weekly backup' }) },
        errors: ['not_found', 'conflict', 'payload_too_large'],
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
        summary: 'Revokes an API key permanently',
        description: 'A repeated request gets the same response and changes nothing.',
        body: NOTHING,
        responses: {
          200: response('The revoked key.', 'Key', {
            ...KEY,
            state: 'revoked',
            revoked_at: '2026-11-20T10:55:00.000Z',
            revoked_by: 'dev@localhost',
          }),
        },
        errors: ['not_found', 'payload_too_large'],
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
        summary: 'Replaces the secret of an API key',
        description:
          'The old secret is valid until the overlap ends. A second rotation ends the overlap immediately.',
        body: {
          content: { json: 'Rotation', example: { overlap_seconds: 3600 } },
          required: false,
        },
        responses: {
          201: response(
            'The key and its new text, which is not shown again.',
            'KeyWithSecret',
            WITH_SECRET,
          ),
        },
        errors: ['not_found', 'conflict', 'payload_too_large'],
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
        summary: 'Lists the changes of API keys, newest first',
        parameters: ['Limit', 'PageToken'],
        responses: {
          200: response('A page of records.', 'AuditPage', { records: [AUDIT_RECORD] }),
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
        summary: 'Returns the number of requests of an API key, by hour',
        parameters: ['UsedKey', 'Days'],
        responses: {
          200: response('Requests by class, and requests that got 429.', 'Usage', {
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
