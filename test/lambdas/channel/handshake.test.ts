/** The handshake of the change channel's function, on the fakes. */
import { mintTicket } from '../../../core/channel/tickets';
import { BUCKET } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const following = (actions: 'sync'[] | 'read'[], prefix?: string) => [
  { buckets: [BUCKET], actions, ...(prefix !== undefined && { prefix }) },
];

describe('the handshake', () => {
  test.each([
    ['no key', {}],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['another token', { Authorization: 'Bearer x' }],
  ])('is refused with %s, by an error response of the usual form', async (_name, headers) => {
    const { connect, deps } = await openChannelWorld();
    const response = await connect('c1', { headers });
    expect(response.statusCode).toBe(401);
    expect(JSON.parse(response.body).error).toMatchObject({
      code: 'unauthorized',
      request_id: 'request-1',
    });
    expect(deps.state.connections.size).toBe(0);
  });

  test('is refused with the reason when the key is mistyped, and when the query lacks the bucket', async () => {
    const { connect, addKey } = await openChannelWorld();
    const { text } = addKey();
    const mistyped = `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
    const refusal = async (key: string, query: Record<string, string> = {}) => {
      const headers = { authorization: `BEARER ${key}` };
      const { statusCode, body } = await connect('c1', { headers, query });
      return [statusCode, JSON.parse(body).error.message];
    };
    expect(await refusal(mistyped)).toEqual([401, expect.stringContaining('checksum')]);
    expect(await refusal(text, { cursor: '1' })).toEqual([400, 'bucket: is required']);
  });

  test('is logged with the id of a key that is refused, and only then', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const { id, text } = addKey();
    deps.state.apiKeys.delete(id);
    for (const token of ['x', text]) {
      const response = await connect('c1', { headers: { authorization: `Bearer ${token}` } });
      expect(JSON.parse(response.body).error.message).not.toContain('checksum');
    }
    expect(deps.log.lines).toEqual([
      { level: 'info', event: 'key_refused', fields: { keyId: id } },
    ]);
  });

  test('is refused when the key is revoked before or during it', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const { text, record } = addKey();
    const headers = { authorization: `bearer ${text}` };
    deps.state.apiKeys.set(record.id, { ...record, revokedAt: deps.clock.iso() });
    expect(await connect('c1', { headers })).toMatchObject({ statusCode: 401 });

    deps.state.apiKeys.set(record.id, record);
    const { open } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'open').mockImplementationOnce(async (connection) => {
      deps.state.apiKeys.set(record.id, { ...record, revokedAt: deps.clock.iso() });
      await open.call(deps.subscriptions, connection);
    });
    expect(await connect('c2', { headers })).toMatchObject({ statusCode: 401 });
    expect(deps.state.connections.size).toBe(0);
  });

  test('queues the requested subscription when the key permits it', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const headers = { Authorization: `Bearer ${addKey(following(['sync'], 'a/')).text}` };
    const request = (query: Record<string, string>) => connect('c1', { headers, query });
    expect(await request({ bucket: BUCKET })).toMatchObject({ statusCode: 403 });
    expect(await request({ bucket: 'other', prefix: 'a/' })).toMatchObject({ statusCode: 403 });
    expect(await request({ bucket: BUCKET, cursor: 'x' })).toMatchObject({ statusCode: 400 });
    expect(deps.queue.length).toBe(0);
    expect(await request({ bucket: BUCKET, prefix: 'a/b', cursor: '0' })).toMatchObject({
      statusCode: 200,
    });
    const begin = { connectionId: 'c1', bucket: BUCKET, prefix: 'a/b', cursor: 0 };
    expect(deps.queue.take()).toEqual([{ begin }]);
  });

  test('is refused when the origin of the page is not allowed', async () => {
    const { connect, addKey } = await openChannelWorld({ allowedOrigins: ['https://app.example'] });
    const authorization = `Bearer ${addKey().text}`;
    const request = (Origin: string) => connect('c1', { headers: { authorization, Origin } });
    const evil = await request(`https://evil.example/${'x'.repeat(200)}`);
    expect(evil).toMatchObject({ statusCode: 403 });
    const details = { origin: `https://evil.example/${'x'.repeat(179)}` };
    expect(JSON.parse(evil.body).error).toMatchObject({ code: 'forbidden', details });
    expect(await request('null')).toMatchObject({ statusCode: 403 });
    expect(await request('https://app.example')).toMatchObject({ statusCode: 200 });
  });

  test('accepts a ticket once, within a minute, for its bucket and prefix', async () => {
    const { connect, addKey, deps } = await openChannelWorld();
    const { id: keyId } = addKey();
    const mint = async () => (await mintTicket(deps, { keyId, bucket: BUCKET, prefix: 'a/' })).text;
    const query = { bucket: BUCKET, prefix: 'a/' };
    const first = await mint();
    expect(await connect('c1', { query: { ...query, ticket: first } })).toMatchObject({
      statusCode: 200,
    });
    expect(await connect('c2', { query: { ...query, ticket: first } })).toMatchObject({
      statusCode: 401,
    });
    const wider = { bucket: BUCKET, ticket: await mint() };
    expect(await connect('c3', { query: wider })).toMatchObject({ statusCode: 403 });
    const late = { ...query, ticket: await mint() };
    deps.clock.advance(60_001);
    expect(await connect('c4', { query: late })).toMatchObject({ statusCode: 401 });
    expect(await deps.subscriptions.get('c1')).toMatchObject({
      keyId,
      scope: { bucket: BUCKET, prefix: 'a/' },
    });
  });
});
