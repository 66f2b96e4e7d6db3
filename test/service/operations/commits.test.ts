/** Commits: who may make them, their conditions and their tokens. On the fakes. */
import type { Permission } from '../../../core/access/ports';
import { takingTokens } from '../../../service/operations/commit-tokens';
import { base64, world } from '../../lambdas/api/commit-world';

type Change = Readonly<Record<string, unknown>>;

async function open() {
  const opened = await world();
  const { ask, store } = opened;
  const { etag = '' } = (await store('a')).headers;
  const commitAs = (permissions: readonly Permission[], ...changes: readonly Change[]) => {
    const body = JSON.stringify({ bucket: 'photos', changes });
    return ask({ method: 'POST', path: '/commits', body, permissions });
  };
  return { ...opened, etag, commitAs };
}

const may = (prefix: string, ...actions: Permission['actions']): Permission => ({
  ...{ buckets: ['photos'], prefix, actions },
});

const from = { key: 'a' };

test.each<[Change, readonly Permission[], object]>([
  [{ op: 'put', key: 'b', content: '' }, [may('b', 'write')], { action: 'write', key: 'b' }],
  [{ op: 'delete', key: 'a' }, [may('a', 'delete')], { action: 'delete', key: 'a' }],
  [
    { op: 'patch', key: 'a', metadata: {} },
    [may('a', 'read'), may('a', 'write')],
    { action: 'write', key: 'a' },
  ],
  [
    { op: 'patch', key: 'a', metadata: {} },
    [may('a', 'write'), may('a', 'read')],
    { action: 'read', key: 'a' },
  ],
  [
    { op: 'copy', key: 'b', from },
    [may('a', 'read'), may('b', 'write')],
    { action: 'write', key: 'b' },
  ],
  [
    { op: 'copy', key: 'b', from },
    [may('b', 'write'), may('a', 'read')],
    { action: 'read', key: 'a' },
  ],
  [
    { op: 'move', key: 'b', from },
    [may('b', 'write'), may('a', 'read'), may('a', 'delete')],
    { action: 'delete', key: 'a' },
  ],
])('%j needs all of the permissions %j', async (change, permissions, details) => {
  const { commitAs } = await open();
  const refused = await commitAs(permissions.slice(0, -1), change);
  expect([refused.status, refused.json()]).toMatchObject([
    403,
    { error: { details: { ...details, bucket: 'photos' } } },
  ]);
  expect((await commitAs(permissions, change)).status).toBe(201);
});

test.each<[Change, string]>([
  [{ op: 'put', key: 'a', content: '', if_match: '"x"' }, 'If-Match'],
  [{ op: 'delete', key: 'a', if_match: '"x"' }, 'If-Match'],
  [{ op: 'put', key: 'a', content: '', if_none_match: '*' }, 'If-None-Match'],
])('the condition of %j does not hold', async (change, header) => {
  const { commit, commitAs, etag } = await open();
  const refused = await commit([change]);
  expect([refused.status, refused.json()]).toMatchObject([
    412,
    { error: { details: { header, etag: JSON.parse(etag), version: 1 } } },
  ]);
  const blind = await commitAs([may('', 'write', 'delete')], change);
  const { details } = blind.json<{ error: { details: object } }>().error;
  expect(details).toMatchObject({ header });
  expect(details).not.toHaveProperty('etag');
});

test('a condition that holds lets a commit pass', async () => {
  const { commit, etag } = await open();
  const changes = [
    { op: 'put', key: 'a', content: '', if_match: JSON.parse(etag) },
    { op: 'put', key: 'b', content: '', if_none_match: '*' },
  ];
  expect((await commit(changes)).status).toBe(201);
});

test('an object that has expired by then is refused, and names its change', async () => {
  const { commit, deps } = await open();
  const put = { op: 'put', content: base64('x'), expires_at: deps.clock.iso() };
  const changes = [
    { op: 'delete', key: 'a' },
    { ...put, key: 'b' },
  ];
  const refused = await commit(changes);
  expect([refused.status, refused.json()]).toMatchObject([
    400,
    { error: { details: { field: 'changes[1].expires_at' } } },
  ]);
});

test('a commit returns its changes, and one that changes nothing no cursor', async () => {
  const { commit } = await open();
  const made = await commit([{ op: 'delete', key: 'a' }]);
  expect(made.json()).toMatchObject({ bucket: 'photos', from: 2, to: 2, changes: [{ key: 'a' }] });
  const none = await commit([{ op: 'delete', key: 'none', if_exists: true }]);
  expect([none.status, none.json()]).toEqual([201, { bucket: 'photos', changes: [] }]);
  expect(none.headers).not.toHaveProperty('x-object-cursor');
});

test('further commits of a request take a token for each change, the first one less', async () => {
  const asked: number[] = [];
  const beforeCommit = takingTokens({
    takeTokensUpTo: async (count) => {
      asked.push(count);
      return Math.min(count, 3);
    },
  });
  expect([await beforeCommit(3), await beforeCommit(2), await beforeCommit(5)]).toEqual([3, 2, 3]);
  expect(asked).toEqual([2, 2, 5]);
});
