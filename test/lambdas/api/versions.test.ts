/** The versions of one object, on the fakes. */
import { setUp } from './world';

interface Page {
  readonly versions: readonly { readonly version: number }[];
  readonly next_before?: number;
}

async function withVersions(count: number) {
  const { ask } = await setUp();
  for (let n = 0; n < count; n++) {
    await ask({ method: 'PUT', path: '/objects/photos/a', body: String(n) });
  }
  const list = (query: Readonly<Record<string, string>> = {}) =>
    ask({ path: '/objects/photos/a', query: { ...query, view: 'versions' } });
  return { list };
}

test('versions are listed newest first, in pages that end with the first one', async () => {
  const { list } = await withVersions(3);
  const first = (await list({ limit: '2' })).json<Page>();
  expect(first.versions.map(({ version }) => version)).toEqual([3, 2]);
  expect(first.next_before).toBe(2);
  const rest = (await list({ limit: '2', before: '2' })).json<Page>();
  expect(rest.versions.map(({ version }) => version)).toEqual([1]);
  expect(rest).not.toHaveProperty('next_before');
  const none = (await list({ before: '1' })).json<Page>();
  expect(none.versions).toEqual([]);
});

test.each(['0', '-1', '01', '1.5', 'x', '9999999999999999'])(
  'versions before %j are refused with 400',
  async (before) => {
    const { list } = await withVersions(1);
    const response = await list({ before });
    expect(response.status).toBe(400);
    expect(response.json()).toMatchObject({ error: { details: { field: 'before' } } });
  },
);
