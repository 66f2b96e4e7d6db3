/** JSON bodies of the administration. */

import { ACTIONS } from '../../core/access/permissions';
import type { AuditAction } from '../../core/access/ports';
import {
  BUCKET_PATTERN,
  KEY_LIMITS,
  LASTING_CLASSES,
  LIMITS,
  PERMISSIONS_MAX,
  RATE_CLASSES,
  type RateClass,
} from '../../core/limits';
import {
  closedObject,
  type JsonSchema,
  listOf,
  openObject,
  ref,
  text,
  whole,
} from '../json-schema';
import { FUTURE } from './names';

/**
 * The white space of JavaScript's trim(), written so that every regular expression dialect reads
 * it.
 */
const SPACE =
  '\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const NOT_IN_NAMES = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const EDGE = `[^${SPACE}${NOT_IN_NAMES}]`;
const NAME = `^[${SPACE}]*${EDGE}(?:[^${NOT_IN_NAMES}]{0,${KEY_LIMITS.nameCharacters - 2}}${EDGE})?[${SPACE}]*$`;

const AUDIT_ACTIONS = [
  'create',
  'change',
  'revoke',
  'rotate',
  'session',
  'delete_bucket',
] as const satisfies AuditAction[];

const action: JsonSchema = { type: 'string', enum: ACTIONS };

const counts = Object.fromEntries(
  [...RATE_CLASSES, 'limited'].map((name) => [
    name,
    whole(
      name === 'limited' ? 'Requests that got 429.' : `Requests of class \`${name}\`.`,
      0,
      Number.MAX_SAFE_INTEGER,
    ),
  ]),
);

const rate = openObject({
  rate: { type: 'number', description: 'Requests per second.', exclusiveMinimum: 0 },
  burst: { type: 'number', description: 'Requests at once.', minimum: 1 },
});

const lastingRate = openObject({
  rate: { type: 'number', description: 'Requests per second.', exclusiveMinimum: 0 },
  burst: { type: 'number', description: 'Requests at once.', minimum: 1 },
  concurrent: whole('Requests in progress at the same time.', 1, 1000),
});

const isLasting = (name: RateClass) => LASTING_CLASSES.some((one) => one === name);

const day = text('A day in UTC.', { format: 'date', examples: ['2026-11-20'] });

const settings = {
  name: text(
    `1 to ${KEY_LIMITS.nameCharacters} characters without control characters; surrounding white space is removed.`,
    { pattern: NAME, 'x-well-formed': true, examples: ['nightly backup'] },
  ),
  permissions: listOf(ref('Permission'), {
    minItems: 1,
    maxItems: PERMISSIONS_MAX,
    'x-max-json-bytes': KEY_LIMITS.permissionsBytes,
    description: 'The key has the union of the permissions.',
  }),
  tier: text('The rate limits that the key has.', { 'x-tier': true, examples: ['default'] }),
} satisfies Record<string, JsonSchema>;

const nextPageToken = text('The `page_token` of the next page. Absent on the last one.', {
  minLength: 1,
});

export const ADMINISTRATION = {
  Permission: closedObject(
    {
      buckets: listOf(
        text('A name, or the beginning of names followed by `*`.', {
          pattern: BUCKET_PATTERN.source,
          minLength: 1,
          maxLength: LIMITS.bucketNameMax,
        }),
        { minItems: 1, maxItems: PERMISSIONS_MAX },
      ),
      actions: listOf(action, { minItems: 1, maxItems: PERMISSIONS_MAX }),
    },
    { prefix: ref('Prefix') },
  ),
  NewKey: closedObject(
    { name: settings.name, permissions: settings.permissions },
    { tier: settings.tier, expires_at: FUTURE },
  ),
  KeyChange: {
    ...closedObject(
      {},
      {
        ...settings,
        expires_at: {
          ...FUTURE,
          type: ['string', 'null'],
          description: 'As for a new key; null removes the expiry.',
        },
      },
    ),
    minProperties: 1,
  },
  Rotation: closedObject(
    {},
    {
      overlap_seconds: whole(
        'How long the old secret remains valid, in seconds.',
        0,
        KEY_LIMITS.overlapMaxSeconds,
        { default: KEY_LIMITS.overlapDefaultSeconds },
      ),
    },
  ),
  NoFields: closedObject({}),
  Key: openObject(
    {
      id: ref('ApiKeyId'),
      name: text('The name for people.', { minLength: 1 }),
      permissions: listOf(ref('Permission')),
      tier: text('The rate limits that the key has.', { minLength: 1 }),
      state: { type: 'string', enum: ['active', 'expired', 'revoked'] },
      created_at: ref('Time'),
      summary: listOf({ type: 'string' }, { description: 'The permissions in plain words.' }),
    },
    {
      created_by: text('The administrator who created it.'),
      expires_at: ref('Time'),
      revoked_at: ref('Time'),
      revoked_by: text('The administrator who revoked it.'),
      rotating_until: {
        ...ref('Time'),
        description: 'Until when the previous secret is valid, too.',
      },
      last_used_at: { ...ref('Time'), description: 'Accurate to the hour. Absent: never.' },
      rate: { ...openObject(counts), description: 'Requests in the hour of `last_used_at`.' },
    },
  ),
  KeyPage: openObject(
    { keys: listOf(ref('Key'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: nextPageToken },
  ),
  KeyWithSecret: openObject({ key: ref('Key'), api_key: ref('ApiKeyText') }),
  Session: openObject({
    api_key: ref('ApiKeyText'),
    key_id: ref('ApiKeyId'),
    expires_at: ref('Time'),
  }),
  EndedSessions: openObject({ revoked: whole('Revoked keys.', 0, Number.MAX_SAFE_INTEGER) }),
  AuditRecord: openObject({
    id: ref('AuditId'),
    at: ref('Time'),
    actor: text('The administrator’s name at the issuer; the name of an API key.'),
    actor_id: text('The `sub` of the token; the id of the API key.', { minLength: 1 }),
    action: { type: 'string', enum: AUDIT_ACTIONS },
    key_id: text('The key that was changed, or with which the bucket was deleted.'),
    details: {
      type: 'object',
      description:
        'The settings that were set or changed, by field, or the bucket. Never a secret.',
      additionalProperties: true,
    },
  }),
  AuditPage: openObject(
    { records: listOf(ref('AuditRecord'), { maxItems: LIMITS.pageMax }) },
    { next_page_token: nextPageToken },
  ),
  Usage: openObject({
    key_id: ref('ApiKeyId'),
    from: day,
    to: day,
    hours: listOf(openObject({ hour: ref('Time'), ...counts }), {
      description: 'Oldest first, without gaps, up to the current hour.',
    }),
  }),
  Configuration: openObject(
    {
      issuer: text('The OpenID Connect issuer of the administrators.', { format: 'uri' }),
      client_id: text('The public client at the issuer, which has no secret.', { minLength: 1 }),
      scopes: listOf({ type: 'string' }, { minItems: 1 }),
      authorize_parameters: {
        type: 'object',
        description: 'Further query parameters of the authorization request.',
        additionalProperties: { type: 'string' },
      },
      api_base: text('The base path of the storage API.'),
      sync_url: text('The address of the change channel.', { format: 'uri' }),
      actions: listOf(action),
      tiers: listOf({ type: 'string' }, { minItems: 1 }),
      rate_tiers: {
        type: 'object',
        description: 'The limits of each tier.',
        additionalProperties: openObject(
          Object.fromEntries(
            RATE_CLASSES.map((name) => [name, isLasting(name) ? lastingRate : rate]),
          ),
        ),
      },
      session_seconds: whole('Maximum duration of a session.', 1, 86_400),
      version: text('The version of the service.', { minLength: 1 }),
    },
    {
      sign_out_url: text(
        'Append the percent-encoded address to return to. Absent: use the issuer’s end_session_endpoint.',
        { format: 'uri' },
      ),
    },
  ),
} as const satisfies Record<string, JsonSchema>;
