/** Which methods repeat their requests, and that each ends with its signal. */
import { StowageClient } from '../../../client';
import { ANY, answering } from './answering';

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

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

test.each(CALLS)('%s repeats its request only when a repetition has no effect', async (...all) => {
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

test.each<[number, string | undefined, string]>([
  [429, '2', 'continues after it'],
  [429, undefined, 'throws'],
  [503, '2', 'throws'],
])('removeAll that gets %i with Retry-After %s %s', async (status, after, outcome) => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const limited = { status, headers: after === undefined ? {} : { 'retry-after': after } };
  const answers = [
    Response.json({ deleted: 1, next_page_token: 't' }),
    Response.json({}, limited),
    Response.json({ deleted: 2 }),
  ];
  const asked: string[] = [];
  const fetch = async (address: string) => {
    asked.push(new URL(address).search);
    return answers[asked.length - 1] ?? Response.error();
  };
  const client = new StowageClient({ baseUrl: 'https://files.example', fetch, retries: 0 });
  const removing = client.removeAll('a', 'p').catch(({ status }: { status: number }) => status);
  await jest.advanceTimersByTimeAsync(1_000);
  const page = '?prefix=p&page_token=t';
  expect(asked).toEqual(['?prefix=p', page]);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(asked.slice(2)).toEqual(outcome === 'throws' ? [] : [page]);
  expect(await removing).toBe(outcome === 'throws' ? status : 3);
});

const UPLOAD = { upload_id: 'u', state: 'pending' };

test('copy throws unavailable when a large copy takes more than a week', async () => {
  const { client } = answering(UPLOAD);
  const begun = Date.now();
  let times = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => begun + 8 * 86_400_000 * times++);
  await expect(client.copy('a', 'k', { key: 'f' })).rejects.toMatchObject({ code: 'unavailable' });
});
