/** What of failures and refusals is logged, and what a client receives. On the fakes. */
import { unavailable } from '../../../core/errors';
import { BUCKET } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const internal = new Error('no response');

test.each([
  ['an internal failure', internal, 500, 'internal'],
  ['a dependency that is busy', unavailable(), 503, 'unavailable'],
])('a handshake that fails by %s is logged', async (_, error, statusCode, code) => {
  const { deps, addKey, connect } = await openChannelWorld();
  jest.spyOn(deps.apiKeys, 'get').mockRejectedValue(error);
  const headers = { Authorization: `Bearer ${addKey().text}` };
  const response = await connect('c1', { headers });
  expect(response).toMatchObject({
    statusCode,
    headers: { 'Content-Type': 'application/json' },
  });
  expect(JSON.parse(response.body).error).toMatchObject({ code, request_id: 'request-1' });
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'handshake_failed', fields: { requestId: 'request-1', error } },
  ]);
});

test('a handshake that is refused is not logged as a failure', async () => {
  const { deps, connect } = await openChannelWorld();
  expect(await connect('c1', { headers: {} })).toMatchObject({ statusCode: 401 });
  expect(deps.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a message that fails is answered and logged', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  jest.spyOn(deps.buckets, 'get').mockRejectedValue(internal);
  const message = { action: 'subscribe', bucket: BUCKET, id: 'm-1' };
  expect(await channel.say(message)).toMatchObject([
    { type: 'error', id: 'm-1', error: { code: 'internal' } },
  ]);
  const fields = { requestId: 'request-2', connectionId: 'c1', error: internal };
  expect(deps.log.lines).toEqual([{ level: 'error', event: 'message_failed', fields }]);
});

test('a message that is refused is answered, and not logged as a failure', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  expect(await channel.say('no JSON')).toMatchObject([{ error: { code: 'invalid_request' } }]);
  expect(deps.log.lines).toEqual([]);
});

test('a client that sends too fast gets the allowed rate, and is closed after 100 refusals', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  const ping = { action: 'ping', id: 'p' };
  for (let n = 0; n < 50; n++) await channel.say(ping);
  const refusal = {
    type: 'error',
    id: 'p',
    error: { code: 'rate_limited', message: expect.stringContaining('20 messages a second') },
  };
  for (let n = 0; n < 100; n++) expect(await channel.say(ping)).toMatchObject([refusal]);
  expect(channel.isClosed).toBe(false);
  expect(await channel.say(ping)).toMatchObject([{ type: 'goodbye', code: 4429 }]);
  expect(channel.isClosed).toBe(true);
  expect(deps.log.lines).toEqual([]);
});
