/** The paths of the administration as data. */
import { isApiKeyId } from '../../core/access/api-key';

const BASE = '/admin/v1/';

export type AdminResource =
  | { readonly kind: 'config' | 'keys' | 'session' | 'audit' | 'usage' }
  | { readonly kind: 'key' | 'revoke' | 'rotate'; readonly id: string };

export type AdminKind = AdminResource['kind'];

export type AdminMethod = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';

export const ADMIN_METHODS: Readonly<Record<AdminKind, readonly AdminMethod[]>> = {
  config: ['GET', 'HEAD'],
  keys: ['GET', 'HEAD', 'POST'],
  key: ['GET', 'HEAD', 'PATCH'],
  revoke: ['POST'],
  rotate: ['POST'],
  session: ['POST', 'DELETE'],
  audit: ['GET', 'HEAD'],
  usage: ['GET', 'HEAD'],
};

const COLLECTIONS = ['config', 'keys', 'session', 'audit', 'usage'] as const;

/**
 * What the raw request path addresses, or undefined when it is no path of the interface. Nothing is
 * percent-decoded: no id has a character that needs it.
 */
export function adminResourceOf(path: string): AdminResource | undefined {
  if (!path.startsWith(BASE)) return undefined;
  const [collection, id, action, ...rest] = path.slice(BASE.length).split('/');
  if (rest.length > 0) return undefined;
  if (id === undefined) {
    const kind = COLLECTIONS.find((name) => name === collection);
    return kind && { kind };
  }
  if (collection !== 'keys' || !isApiKeyId(id)) return undefined;
  if (action === undefined) return { kind: 'key', id };
  return action === 'revoke' || action === 'rotate' ? { kind: action, id } : undefined;
}
