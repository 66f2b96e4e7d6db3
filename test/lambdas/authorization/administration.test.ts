/**
 * Who may use the administration, generated from the OpenAPI document: no operation but the
 * configuration is for anybody but administrators, and none is for API keys.
 */
import { createDocument } from '../../../openapi/document';
import { type AdminRequest, makeKey, openWorld } from '../admin/requests';

/** The operations that need no token; every other one needs that of an administrator. */
const PUBLIC = ['getConfiguration'];

interface Described {
  readonly operationId: string;
  readonly request: AdminRequest;
}

const BODIES: Readonly<Record<string, object>> = {
  createKey: { name: 'made', permissions: [{ buckets: ['*'], actions: ['read'] }] },
  changeKey: { name: 'changed' },
};

/** Each operation of the document, about the key of that id. */
function operations(id: string): readonly Described[] {
  const { paths } = createDocument('0');
  const items = Object.entries(paths as Record<string, Record<string, { operationId?: string }>>);
  return items
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { operationId }]) => {
        if (operationId === undefined) return [];
        const body = BODIES[operationId];
        const at = path.slice('/admin/v1'.length).replace(/\{[^}]+\}/, id);
        const request = { method: method.toUpperCase(), path: at, query: { key_id: id } };
        return [{ operationId, request: { ...request, ...(body && { body }) } }];
      }),
    );
}

const isPublic = (operationId: string) => PUBLIC.includes(operationId.replace(/Head$/, ''));

test('an administrator may do every operation of the document', async () => {
  const ids = operations('x').map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(15);
  for (const id of ids) {
    // Each on a new key: a revoked one cannot be rotated.
    const world = openWorld();
    const { key } = await makeKey(world);
    const found = operations(key.id).find(({ operationId }) => operationId === id);
    const { status } = await world.ask(found?.request ?? { path: '' });
    expect([id, [200, 201].includes(status)]).toEqual([id, true]);
  }
});

test.each<[string, (apiKey: string) => Partial<AdminRequest>, number]>([
  ['no token', () => ({ token: null }), 401],
  ['an empty token', () => ({ token: '' }), 401],
  ['an unknown token', () => ({ token: 'wrong' }), 401],
  ['an API key with every permission', (apiKey) => ({ token: apiKey }), 401],
  ['a token in another scheme', () => ({ token: null, headers: { Authorization: 'alice' } }), 401],
  ['the token of a person who is no administrator', () => ({ token: 'visitor' }), 403],
])('a caller with %s is refused, and changes nothing', async (_what, credential, expected) => {
  const world = openWorld();
  const permissions = [{ buckets: ['*'], actions: ['read', 'write', 'delete', 'list'] }];
  const { key, api_key: apiKey } = await makeKey(world, { name: 'k', permissions });
  const { state } = world.fakes;
  const before = JSON.stringify([[...state.apiKeys], [...state.audit]]);
  for (const { operationId, request } of operations(key.id)) {
    const { status } = await world.ask({ ...request, ...credential(apiKey) });
    expect([operationId, status]).toEqual([operationId, isPublic(operationId) ? 200 : expected]);
  }
  expect(JSON.stringify([[...state.apiKeys], [...state.audit]])).toBe(before);
});
