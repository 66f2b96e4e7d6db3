/** Which requests are sent again, and that the signal of the caller ends each of them. */
import { StowageClient } from '../../../client';
import { ANY, answering } from './answering';

afterEach(() => jest.restoreAllMocks());

type Call = (client: StowageClient, signal?: AbortSignal) => Promise<unknown>;

const SAVED = { bucket: 'a', key: 'k', uploadId: 'u' };

const CALLS: readonly (readonly [string, Call, times: number])[] = [
  ['buckets.create', (c, signal) => c.buckets.create('a', { signal }), 2],
  ['buckets.get', (c, signal) => c.buckets.get('a', { signal }), 2],
  ['buckets.list', (c, signal) => c.buckets.list({ signal }).next(), 2],
  ['buckets.setLifecycle', (c, signal) => c.buckets.setLifecycle('a', [], { signal }), 2],
  ['buckets.delete', (c, signal) => c.buckets.delete('a', { signal }), 2],
  ['links.create', (c, signal) => c.links.create('a', 'k', { signal }), 2],
  ['links.list', (c, signal) => c.links.list('a', { signal }), 2],
  ['links.revoke', (c, signal) => c.links.revoke('l', { signal }), 1],
  ['consumers.put', (c, signal) => c.consumers.put('a', 'c', { cursor: 1, signal }), 2],
  ['consumers.get', (c, signal) => c.consumers.get('a', 'c', { signal }), 2],
  ['consumers.list', (c, signal) => c.consumers.list('a', { signal }), 2],
  ['consumers.delete', (c, signal) => c.consumers.delete('a', 'c', { signal }), 1],
  ['temporaryKey', (c, signal) => c.temporaryKey([], { signal }), 2],
  ['ticket', (c, signal) => c.ticket('a', { signal }), 1],
  ['restore', (c, signal) => c.restore('a', { asOf: 1, signal }), 1],
  ['versions', (c, signal) => c.versions('a', 'k', { signal }), 2],
  ['describe', (c, signal) => c.describe('a', 'k', { signal }), 2],
  ['list', (c, signal) => c.list('a', { signal }), 2],
  ['get', (c, signal) => c.get('a', 'k', { signal }), 2],
  ['head', (c, signal) => c.head('a', 'k', { signal }), 2],
  ['put', (c, signal) => c.put('a', 'k', 'text', { signal }), 2],
  ['delete', (c, signal) => c.delete('a', 'k', { signal }), 2],
  ['signedUrl', (c, signal) => c.signedUrl('a', 'k', { method: 'GET', signal }), 2],
  ['commit', (c, signal) => c.commit('a', [], { signal }), 2],
  ['copy', (c, signal) => c.copy('a', 'k', { key: 'l' }, { signal }), 2],
  ['move', (c, signal) => c.move('a', 'k', 'l', { signal }), 2],
  ['patch', (c, signal) => c.patch('a', 'k', { signal }), 2],
  ['removeAll', (c, signal) => c.removeAll('a', '', { signal }), 1],
  ['uploadState', (c, signal) => c.uploadState('u', { signal }), 2],
  ['abortUpload', (c, signal) => c.abortUpload(SAVED, { signal }), 2],
];

test.each(CALLS)('%s may be sent again where it has no effect the second time', async (...all) => {
  const [, call, times] = all;
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const keys: (string | null)[] = [];
  const fetch = async (_: string, { headers }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'));
    return Response.json({}, { status: 503 });
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 1 });
  await expect(call(client)).rejects.toMatchObject({ code: 'unavailable' });
  expect([keys.length, new Set(keys).size]).toEqual([times, 1]);
});

test.each(CALLS)('%s ends with the reason of its signal', async (_, call) => {
  const fetch = async (_address: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return Response.json(ANY);
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 0 });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(call(client, signal)).rejects.toThrow('enough');
});

/** The statuses of the responses to the pages of removeAll, and the seconds that they ask for. */
test.each<[number, string | undefined, string]>([
  [429, '2', 'done'],
  [429, undefined, 'rate_limited'],
  [503, '2', 'unavailable'],
])('removeAll that gets %i with Retry-After %s is %s', async (status, after, outcome) => {
  const { setTimeout: real } = globalThis;
  const waits: (number | undefined)[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    waits.push(ms);
    return real(run, ms === 2000 ? 0 : ms);
  }) as typeof setTimeout);
  const answers = [
    Response.json({ deleted: 1, next_page_token: 't' }),
    Response.json({}, { status, headers: after === undefined ? {} : { 'retry-after': after } }),
    Response.json({ deleted: 2 }),
  ];
  const asked: string[] = [];
  const fetch = async (address: string) => {
    asked.push(new URL(address).search);
    return answers[asked.length - 1] ?? Response.error();
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 0 });
  const removed = await client.removeAll('a', 'p').catch(({ code }: { code: string }) => code);
  expect(removed).toBe(outcome === 'done' ? 3 : outcome);
  const next = '?prefix=p&page_token=t';
  expect(asked).toEqual(['?prefix=p', next, ...(outcome === 'done' ? [next] : [])]);
  expect(waits.includes(2000)).toBe(outcome === 'done');
});

const UPLOAD = { upload_id: 'u', state: 'pending' };

test('a large copy is described by the version that it became', async () => {
  const object = { bucket: 'b', key: 'l', version: 7, cursor: 9 };
  const { client, sent } = answering(UPLOAD, { state: 'committed', object }, ANY);
  expect(await client.copy('a', 'k', { key: 'f' })).toEqual(ANY);
  expect(sent.map(({ path }) => path)).toEqual([
    ...['commits', 'uploads/u', 'objects/b/l?view=descriptor&version=7'],
  ]);
});

test('a large copy that takes more than a week is unavailable', async () => {
  const { client } = answering(UPLOAD);
  const begun = Date.now();
  let times = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => begun + 8 * 86_400_000 * times++);
  await expect(client.copy('a', 'k', { key: 'f' })).rejects.toMatchObject({ code: 'unavailable' });
});
