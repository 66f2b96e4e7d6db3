/** Temporary keys: a part of what an API key may do, for an app that serves many people. */

import { forbidden, isPrincipal, lacking, parsePermissions } from '../../core/access/permissions';
import { newTemporaryKey, TemporaryKeySecret } from '../../core/access/temporary-keys';
import { invalid, ServiceError } from '../../core/errors';
import { isWholeNumber, onlyFields } from '../../core/http/json';
import { TEMPORARY_KEY_LIMITS } from '../../core/limits';
import { jsonBody } from '../http/request';
import { jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';

/**
 * Makes a temporary key, which is stored nowhere. AWS calls: 1 GetItem; every five minutes of an
 * instance 1 for the secret.
 */
export function handleCreateToken(deps: OperationDeps): StorageOperation<'tokens'> {
  const secret = new TemporaryKeySecret(deps.serviceState, deps.clock);
  return async (request) => {
    const { caller } = request;
    const body = jsonBody(request);
    onlyFields(body, ['permissions', 'expires_in']);
    const permissions = parsePermissions(body.permissions);
    const { permissionsBytes } = TEMPORARY_KEY_LIMITS;
    if (Buffer.byteLength(JSON.stringify(permissions)) > permissionsBytes) {
      throw invalid('permissions', `must be at most ${permissionsBytes} bytes as JSON`);
    }
    const seconds = parseExpiry(body.expires_in);
    const apiKeys = deps.linksAndKeys?.apiKeys;
    if (isPrincipal(caller) || !apiKeys) throw refused('need an API key, with which they end');
    if (caller.restriction) throw refused('are made by API keys, not by temporary ones');
    const missing = lacking(caller, permissions);
    if (missing !== undefined) {
      const { action, bucket, prefix } = missing;
      throw forbidden(action, { bucket, prefix });
    }
    const { generation = 0 } = caller;
    const maker = await apiKeys.get(caller.keyId);
    if (!maker) throw new ServiceError('unauthorized');
    const end = Math.floor(deps.clock.now() / 1000) + seconds;
    const latest = maker.expiresAt === undefined ? end : Date.parse(maker.expiresAt) / 1000;
    const expiresAt = new Date(Math.floor(Math.min(end, latest)) * 1000).toISOString();
    const restriction = { permissions, expiresAt };
    const token = newTemporaryKey(await secret.toMake(), maker, { generation }, restriction);
    return jsonResponse(201, { token, permissions, expires_at: expiresAt, key_id: maker.id });
  };
}

function parseExpiry(value: unknown): number {
  const { defaultSeconds, maxSeconds } = TEMPORARY_KEY_LIMITS;
  if (value === undefined) return defaultSeconds;
  if (!isWholeNumber(value, 1, maxSeconds)) {
    throw invalid('expires_in', `must be a whole number of seconds from 1 to ${maxSeconds}`);
  }
  return value;
}

function refused(why: string): ServiceError {
  return new ServiceError('forbidden', { message: `temporary keys ${why}` });
}
