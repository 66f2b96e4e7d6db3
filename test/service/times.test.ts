/** Every entrance that takes a time refuses what is no time, with what to write instead. */
import { restoreOptions } from '../../cli/operate/backup-recovery/options';
import { duration, moment, timeAfter } from '../../cli/shared/durations';
import { makeKey, NEW_KEY, openWorld } from '../lambdas/admin/requests';
import { put, setUp } from '../lambdas/api/world';
import { BAD_TIMES } from '../support/bad-times';

const WRITE = expect.stringContaining('such as 2027-01-31T12:00:00Z');

type Api = Awaited<ReturnType<typeof setUp>>;

const post = (path: string, body: object) => (api: Api) =>
  api.ask({ method: 'POST', path, body: JSON.stringify(body) });
const commit = (change: object) =>
  post('/commits', { bucket: 'photos', changes: [{ key: 'a', ...change }] });

test.each<[string, string, (time: string) => (api: Api) => ReturnType<Api['ask']>]>([
  [
    'a PUT of an object',
    'x-object-expires-at',
    (time) => (api) => api.ask({ ...put, headers: { 'x-object-expires-at': time } }),
  ],
  [
    'a put of a commit',
    'changes[0].expires_at',
    (time) => commit({ op: 'put', content: '', expires_at: time }),
  ],
  [
    'a copy of a commit',
    'changes[0].expires_at',
    (time) => commit({ op: 'copy', from: { key: 'b' }, expires_at: time }),
  ],
  [
    'a patch of a commit',
    'changes[0].expires_at',
    (time) => commit({ op: 'patch', expires_at: time }),
  ],
  [
    'a signed URL',
    'object_expires_at',
    (time) =>
      post('/signed-url', {
        ...{ bucket: 'photos', key: 'a', method: 'PUT', object_expires_at: time },
      }),
  ],
])('%s takes times only', async (_what, field, request) => {
  const api = await setUp();
  for (const time of BAD_TIMES) {
    const response = await request(time)(api);
    expect([time, response.status]).toEqual([time, 400]);
    const { details } = response.json<{ error: { details: object } }>().error;
    expect(details).toMatchObject({ field, rule: WRITE });
  }
});

test('the settings of a key take times only', async () => {
  const world = openWorld();
  const { key } = await makeKey(world);
  for (const expires_at of BAD_TIMES) {
    for (const request of [
      { method: 'POST', path: '/keys', body: { ...NEW_KEY, expires_at } },
      { method: 'PATCH', path: `/keys/${key.id}`, body: { expires_at } },
    ]) {
      const { status, json } = await world.ask(request);
      expect([expires_at, status]).toEqual([expires_at, 400]);
      expect(json.error.details).toEqual({ field: 'expires_at', rule: WRITE });
    }
  }
});

test.each(BAD_TIMES)('commands take times only, and not %j', (time) => {
  const usage = expect.objectContaining({ message: expect.stringContaining('such as 2026-') });
  expect(() => moment('--to')(time)).toThrow(usage);
  expect(() => restoreOptions({ moment: time }, Date.now())).toThrow(usage);
});

test('commands make no times beyond 9999', () => {
  expect(() => timeAfter(duration('--expires')('999999999w'), '--expires')).toThrow('--expires');
  expect(() => timeAfter(3_000_000 * 86_400, '--expires-in-days')).toThrow('--expires-in-days');
});
