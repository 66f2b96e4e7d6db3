/** The operations of the administration on keys, sessions and audit records. */
import { isApiKeyId } from '../../core/access/api-key';
import {
  parseExpiry,
  parseKeyName,
  parseKeyPermissions,
  parseOverlap,
  parseTier,
} from '../../core/access/key-settings';
import {
  changeKey,
  createKey,
  createSession,
  endSessions,
  getKey,
  revokeKey,
  rotateKey,
} from '../../core/access/keys';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import type { ApiKeyRecord } from '../../core/access/ports';
import { invalid } from '../../core/errors';
import { parseLimit } from '../../core/http/pagination';
import { DEFAULT_TIER } from '../../core/limits';
import { isUlid } from '../../core/names';
import { type HttpResponse, jsonResponse } from '../http/response';
import { adminBody, optionalBody } from './body';
import type { AdminDeps, AdminOperation } from './deps';
import { auditView, keyView } from './views';

const SETTINGS = ['name', 'permissions', 'tier', 'expires_at'];

export const handleListKeys =
  (deps: AdminDeps): AdminOperation<'keys'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const after = request.query('page_token');
    if (after !== undefined && !isApiKeyId(after)) throw invalidToken();
    const { keys, next } = await deps.keys.list(limit, after);
    return jsonResponse(200, { keys: await keyViews(deps, keys), next_page_token: next });
  };

export const handleCreateKey =
  (deps: AdminDeps): AdminOperation<'keys'> =>
  async (request) => {
    const body = adminBody(request, SETTINGS);
    const { expires_at, tier = DEFAULT_TIER } = body;
    const made = await createKey(deps, request.caller, {
      name: parseKeyName(body.name),
      permissions: parseKeyPermissions(body.permissions),
      tier: parseTier(tier, tierNames(deps)),
      ...(expires_at !== undefined && { expiresAt: parseExpiry(expires_at, deps.clock.now()) }),
    });
    const location = { Location: `/admin/v1/keys/${made.key.id}` };
    return jsonResponse(
      201,
      { key: keyView(made.key, deps.clock.now()), api_key: made.text },
      location,
    );
  };

export const handleGetKey =
  (deps: AdminDeps): AdminOperation<'key'> =>
  async (_request, { id }) =>
    keyResponse(deps, await getKey(deps, id));

export const handleChangeKey =
  (deps: AdminDeps): AdminOperation<'key'> =>
  async (request, { id }) => {
    const body = adminBody(request, SETTINGS);
    const { name, permissions, tier, expires_at } = body;
    if (Object.keys(body).length === 0) throw invalid('body', 'must have a field to change');
    const key = await changeKey(deps, request.caller, id, {
      ...(name !== undefined && { name: parseKeyName(name) }),
      ...(permissions !== undefined && { permissions: parseKeyPermissions(permissions) }),
      ...(tier !== undefined && { tier: parseTier(tier, tierNames(deps)) }),
      ...(expires_at !== undefined && {
        expiresAt: expires_at === null ? null : parseExpiry(expires_at, deps.clock.now()),
      }),
    });
    return keyResponse(deps, key);
  };

export const handleRevokeKey =
  (deps: AdminDeps): AdminOperation<'revoke'> =>
  async (request, { id }) => {
    optionalBody(request, []);
    return keyResponse(deps, await revokeKey(deps, request.caller, id));
  };

export const handleRotateKey =
  (deps: AdminDeps): AdminOperation<'rotate'> =>
  async (request, { id }) => {
    const overlap = parseOverlap(optionalBody(request, ['overlap_seconds']).overlap_seconds);
    const { key, text } = await rotateKey(deps, request.caller, id, overlap);
    return jsonResponse(201, { key: keyView(key, deps.clock.now()), api_key: text });
  };

/** Creates a short-lived API key, with which the dashboard uses the storage API as any client. */
export const handleCreateSession =
  (deps: AdminDeps): AdminOperation<'session'> =>
  async (request) => {
    optionalBody(request, []);
    const { caller } = request;
    const made = await createSession(deps, caller, {
      permissions: ALL_PERMISSIONS,
      until: caller.until,
    });
    const { key, text, expiresAt } = made;
    return jsonResponse(201, { api_key: text, key_id: key.id, expires_at: expiresAt });
  };

/** Ends all sessions of the person, also those of pages that were closed or loaded again. */
export const handleEndSessions =
  (deps: AdminDeps): AdminOperation<'session'> =>
  async (request) => {
    optionalBody(request, []);
    return jsonResponse(200, { revoked: await endSessions(deps, request.caller) });
  };

export const handleListAudit =
  (deps: AdminDeps): AdminOperation<'audit'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const before = request.query('page_token');
    if (before !== undefined && !isUlid(before)) throw invalidToken();
    const { records, more } = await deps.audit.list(limit, before);
    const next = more ? records.at(-1)?.id : undefined;
    return jsonResponse(200, { records: records.map(auditView), next_page_token: next });
  };

const tierNames = (deps: AdminDeps) => Object.keys(deps.tiers);

async function keyResponse(deps: AdminDeps, key: ApiKeyRecord): Promise<HttpResponse> {
  const [view] = await keyViews(deps, [key]);
  return jsonResponse(200, view);
}

/** Maximum number of keys in one call of `Rates.uses`. */
const MAX_USES = 100;

/** AWS calls: 1 BatchGetItem for each 100 keys. */
async function keyViews(deps: AdminDeps, keys: readonly ApiKeyRecord[]) {
  const starts = Array.from(
    { length: Math.ceil(keys.length / MAX_USES) },
    (_, index) => index * MAX_USES,
  );
  const parts = await Promise.all(
    starts.map(async (start) => {
      const part = keys.slice(start, start + MAX_USES);
      const uses = await deps.rates.uses(part.map(({ id }) => id));
      return part.map((key) => keyView(key, deps.clock.now(), uses.get(key.id)));
    }),
  );
  return parts.flat();
}

function invalidToken() {
  return invalid('page_token', 'is not a token of this list; take it from next_page_token');
}
