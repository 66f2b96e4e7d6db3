/**
 * The administration of keys, for people who have signed in. API keys and cookies are not accepted:
 * no key can create another, and no page of another origin can act for its visitor.
 */
import type { Administrator } from '../../core/access/administrators';
import { bearerToken } from '../../core/access/authentication';
import { type Admit, type App, createApp, type Operations } from '../http/app';
import { headersOf } from '../http/request';
import { jsonResponse } from '../http/response';
import type { AdminDeps } from './deps';
import {
  handleChangeKey,
  handleCreateKey,
  handleCreateSession,
  handleEndSessions,
  handleGetKey,
  handleListAudit,
  handleListKeys,
  handleRevokeKey,
  handleRotateKey,
} from './keys';
import { ADMIN_METHODS, type AdminResource, adminResourceOf } from './routes';
import { handleGetUsage } from './usage';

/** The caller of `config`, which is public and whose operation reads no caller. */
const PUBLIC: Administrator = { id: 'public', name: 'public', until: 0 };

export function createAdmin(deps: AdminDeps): App {
  const operations: Operations<AdminResource, Administrator> = {
    config: { GET: async () => jsonResponse(200, deps.config) },
    keys: { GET: handleListKeys(deps), POST: handleCreateKey(deps) },
    key: { GET: handleGetKey(deps), PATCH: handleChangeKey(deps) },
    revoke: { POST: handleRevokeKey(deps) },
    rotate: { POST: handleRotateKey(deps) },
    session: { POST: handleCreateSession(deps), DELETE: handleEndSessions(deps) },
    audit: { GET: handleListAudit(deps) },
    usage: { GET: handleGetUsage(deps) },
  };
  const admit: Admit<AdminResource, Administrator> = async (request, resource) => {
    const authorization = headersOf(request).get('authorization') ?? '';
    const caller =
      resource?.kind === 'config' ? PUBLIC : await deps.verify(bearerToken(authorization));
    return { caller, headers: {} };
  };
  const routes = { resourceOf: adminResourceOf, methods: ADMIN_METHODS };
  return createApp(deps, { routes, operations, admit });
}
