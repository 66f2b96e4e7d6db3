/** The administration's operations on keys. */
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
  getKey,
  revokeKey,
  rotateKey,
} from '../../core/access/keys';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import type { ApiKeyRecord } from '../../core/access/ports';
import { invalid } from '../../core/errors';
import { parseLimit } from '../../core/http/pagination';
import { DEFAULT_TIER } from '../../core/limits';
import { type HttpResponse, jsonResponse } from '../shared/http/response';
import { adminBody, optionalBody } from './body';
import type { AdminDeps, AdminOperation } from './deps';
import { auditView, keyView } from './views';

const SETTINGS = ['name', 'permissions', 'tier', 'expires_at'];

export const listKeys =
  (deps: AdminDeps): AdminOperation<'keys'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const after = request.query('page_token');
    if (after !== undefined && !isApiKeyId(after)) throw notOfThisList();
    const { keys, next } = await deps.keys.list(limit, after);
    return jsonResponse(200, { keys: await keyViews(deps, keys), next_page_token: next });
  };

export const postKey =
  (deps: AdminDeps): AdminOperation<'keys'> =>
  async (request, _target, actor) => {
    const body = adminBody(request, SETTINGS);
    const { expires_at, tier = DEFAULT_TIER } = body;
    const made = await createKey(deps, actor, {
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

export const getOneKey =
  (deps: AdminDeps): AdminOperation<'key'> =>
  async (_request, { id }) =>
    answerKey(deps, await getKey(deps, id));

export const patchKey =
  (deps: AdminDeps): AdminOperation<'key'> =>
  async (request, { id }, actor) => {
    const body = adminBody(request, SETTINGS);
    const { name, permissions, tier, expires_at } = body;
    if (Object.keys(body).length === 0) throw invalid('body', 'must have a field to change');
    const key = await changeKey(deps, actor, id, {
      ...(name !== undefined && { name: parseKeyName(name) }),
      ...(permissions !== undefined && { permissions: parseKeyPermissions(permissions) }),
      ...(tier !== undefined && { tier: parseTier(tier, tierNames(deps)) }),
      ...(expires_at !== undefined && {
        expiresAt: expires_at === null ? null : parseExpiry(expires_at, deps.clock.now()),
      }),
    });
    return answerKey(deps, key);
  };

export const revoke =
  (deps: AdminDeps): AdminOperation<'revoke'> =>
  async (request, { id }, actor) => {
    optionalBody(request, []);
    return answerKey(deps, await revokeKey(deps, actor, id));
  };

export const rotate =
  (deps: AdminDeps): AdminOperation<'rotate'> =>
  async (request, { id }, actor) => {
    const overlap = parseOverlap(optionalBody(request, ['overlap_seconds']).overlap_seconds);
    const { key, text } = await rotateKey(deps, actor, id, overlap);
    return jsonResponse(201, { key: keyView(key, deps.clock.now()), api_key: text });
  };

/** An API key for the dashboard itself, so that it uses the storage API as any client does. */
export const postSession =
  (deps: AdminDeps): AdminOperation<'session'> =>
  async (request, _target, actor) => {
    optionalBody(request, []);
    const { until } = actor;
    const made = await createSession(deps, actor, { permissions: ALL_PERMISSIONS, until });
    const { key, text, expiresAt } = made;
    return jsonResponse(201, { api_key: text, key_id: key.id, expires_at: expiresAt });
  };

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const listAudit =
  (deps: AdminDeps): AdminOperation<'audit'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const before = request.query('page_token');
    if (before !== undefined && !ULID.test(before)) throw notOfThisList();
    const { records, more } = await deps.audit.list(limit, before);
    const next = more ? records.at(-1)?.id : undefined;
    return jsonResponse(200, { records: records.map(auditView), next_page_token: next });
  };

const tierNames = (deps: AdminDeps) => Object.keys(deps.tiers);

async function answerKey(deps: AdminDeps, key: ApiKeyRecord): Promise<HttpResponse> {
  const [view] = await keyViews(deps, [key]);
  return jsonResponse(200, view);
}

/** Keys that Rates looks up in one call. */
const USES = 100;

/** AWS calls: 1 BatchGetItem for each 100 keys. */
async function keyViews(deps: AdminDeps, keys: readonly ApiKeyRecord[]) {
  const starts = Array.from({ length: Math.ceil(keys.length / USES) }, (_, index) => index * USES);
  const parts = await Promise.all(
    starts.map(async (start) => {
      const part = keys.slice(start, start + USES);
      const uses = await deps.rates.uses(part.map(({ id }) => id));
      return part.map((key) => keyView(key, deps.clock.now(), uses.get(key.id)));
    }),
  );
  return parts.flat();
}

function notOfThisList() {
  return invalid('page_token', 'is not a token of this list; take it from next_page_token');
}
