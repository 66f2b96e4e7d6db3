/** What a commit needs: permissions and tokens. */
import { DEFAULT_RATES } from '../../../core/limits';
import { EVERYTHING } from '../../support/requests';
import { type Body, world } from './commit-world';
import { put } from './world';

describe('permissions', () => {
  const { buckets, actions } = EVERYTHING[0] ?? { buckets: [], actions: [] };
  const needs: [unknown, readonly [string, string][]][] = [
    [{ op: 'put', key: 'x', content: '' }, [['write', 'x']]],
    [
      { op: 'copy', key: 'x', from: { key: 'a' } },
      [
        ['write', 'x'],
        ['read', 'a'],
      ],
    ],
    [
      { op: 'move', key: 'x', from: { key: 'a' } },
      [
        ['write', 'x'],
        ['read', 'a'],
        ['delete', 'a'],
      ],
    ],
    [
      { op: 'patch', key: 'a', metadata: {} },
      [
        ['write', 'a'],
        ['read', 'a'],
      ],
    ],
    [{ op: 'delete', key: 'a' }, [['delete', 'a']]],
  ];
  test.each(needs.flatMap(([change, places]) => places.map((place) => [change, place] as const)))(
    '%j needs %j',
    async (change, [action, key]) => {
      const { ask, store, read } = await world();
      await store('a');
      const permissions = actions.map((each) => {
        const prefix = each === action ? 'elsewhere/' : '';
        return { buckets, actions: [each], prefix };
      });
      const body = JSON.stringify({ bucket: 'photos', changes: [change] });
      const request = { method: 'POST', path: '/commits', body };
      const refused = await ask({ ...request, permissions });
      expect(refused.status).toBe(403);
      expect(refused.json()).toMatchObject({
        error: { details: { action, bucket: 'photos', key } },
      });
      expect(await read('/objects/photos/a')).toBe('a');
      expect((await ask(request)).status).toBe(201);
    },
  );

  test('a 412 hides the etag of an object that the key may not read', async () => {
    const { ask, store } = await world();
    await store('a');
    const changes = [{ op: 'put', key: 'a', content: '', if_none_match: '*' }];
    const body = JSON.stringify({ bucket: 'photos', changes });
    const permissions = [{ buckets, actions: ['write' as const] }];
    const response = await ask({ method: 'POST', path: '/commits', body, permissions });
    expect(response.status).toBe(412);
    expect(response.json<{ error: Body }>().error.details).toEqual({
      header: 'If-None-Match',
      index: 0,
    });
  });
});

describe('rate limits', () => {
  const { burst } = DEFAULT_RATES.write;

  test('a commit takes a token for each change, two for a move', async () => {
    const { ask, store } = await world();
    await store('a');
    const changes = [
      { op: 'put', key: 'b', content: '' },
      { op: 'move', key: 'c', from: { key: 'a' } },
    ];
    const body = JSON.stringify({ bucket: 'photos', changes });
    const response = await ask({ method: 'POST', path: '/commits', body, keyId: 'other' });
    expect(response.headers.ratelimit).toBe(`"write";r=${burst - 3};t=1`);
  });

  test('a commit that finds too few tokens takes none but the first', async () => {
    const { ask } = await world();
    const one = { ...put, keyId: 'busy' };
    for (let n = 0; n < burst - 10; n++) await ask(one);
    const changes = Array.from({ length: 32 }, (_, n) => ({ op: 'put', key: `${n}`, content: '' }));
    const body = JSON.stringify({ bucket: 'photos', changes });
    const refused = await ask({ method: 'POST', path: '/commits', body, keyId: 'busy' });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    for (let n = 0; n < 9; n++) expect((await ask(one)).status).toBe(200);
    expect((await ask(one)).status).toBe(429);
  });
});
