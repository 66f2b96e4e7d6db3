/** Commits that meet another writer between their reads and their transaction. */
import { createApi } from '../../../service/storage-api';
import { send } from '../../support/requests';
import { world } from './commit-world';

/** A commit during which somebody else stores the object `theirs`. */
async function raced(changes: readonly object[], more: object = {}) {
  const opened = await world();
  const { deps, store } = opened;
  await store('a');
  let isFirst = true;
  const commits: typeof deps.commits = {
    commit: (commit) => deps.commits.commit(commit),
    allocate: async (...place) => {
      if (isFirst) await store('theirs');
      isFirst = false;
      return deps.commits.allocate(...place);
    },
  };
  const body = JSON.stringify({ bucket: 'photos', changes, ...more });
  const request = { method: 'POST', path: '/commits', body };
  const response = await send(createApi({ ...deps, commits }), request);
  return { ...opened, response };
}

test('a commit that is refused in its transaction names the change of the request', async () => {
  const { response, blobs } = await raced([
    { op: 'delete', key: 'none', if_exists: true },
    { op: 'put', key: 'theirs', content: '', if_none_match: '*' },
    { op: 'move', key: 'b', from: { key: 'a' } },
  ]);
  expect(response.status).toBe(412);
  expect(response.json()).toMatchObject({ error: { details: { index: 1 } } });
  // What the commit has stored is removed: there are the objects `a` and `theirs`.
  expect(blobs()).toBe(2);
});

test('a commit with if_cursor is refused after a deletion of any key', async () => {
  const { commit, store, ask } = await world();
  await store('a');
  await store('b');
  await ask({ method: 'DELETE', path: '/objects/photos/a' });
  const refused = await commit([{ op: 'put', key: 'c', content: '' }], { if_cursor: 2 });
  expect(refused.status).toBe(412);
  expect(refused.json()).toMatchObject({ error: { details: { cursor: 3 } } });
});
