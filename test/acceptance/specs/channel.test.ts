import { it, needing } from '../support/behaviour';
import { BUCKETS, createBucket, useBucket, useBucketName } from '../support/buckets';
import { page, readChanges } from '../support/changes';
import {
  closeChannels,
  followTo,
  type Message,
  ofType,
  openChannel,
  type Refusal,
  tryChannel,
} from '../support/channel';
import { call } from '../support/http';
import { useKey } from '../support/keys';
import { put, remove } from '../support/objects';
import { isJson } from '../support/responses';
import { signUrl } from '../support/signed';

const errorOf = (code: string) => (message: Message) =>
  message.type === 'error' && isJson(message.error) && message.error.code === code;

async function refused(opening: Parameters<typeof tryChannel>[0]): Promise<Refusal> {
  const response = await tryChannel(opening);
  if (!('status' in response)) throw new Error('the channel opened');
  return response;
}

needing(['channel'], () => {
  afterAll(closeChannels);

  describe('the handshake', () => {
    const bucket = useBucket('handshake');

    for (const [what, opening] of [
      ['no key', { key: null }],
      ['a key that was never made', { key: `osk_${'A'.repeat(12)}_${'B'.repeat(43)}_000000` }],
      ['a ticket that was never minted', { key: null, query: { ticket: 'x' } }],
      ['another scheme', { key: null, headers: { authorization: 'Basic eDp5' } }],
    ] as const) {
      it(`with ${what} gets 401 before the upgrade`, ['channel-gateway'], async () => {
        expect((await refused(opening)).status).toBe(401);
      });
    }

    it(
      'with an invalid subscription gets 400 before the upgrade',
      ['channel-gateway'],
      async () => {
        expect((await refused({ query: { bucket, cursor: 'x' } })).status).toBe(400);
      },
    );

    it('may subscribe at once', async () => {
      const { cursor } = await put(bucket, 'a');
      const channel = await openChannel({ query: { bucket, cursor: String(cursor - 1) } });
      const subscribed = await channel.next('subscribed', ofType('subscribed'));
      expect(subscribed).toMatchObject({ bucket, cursor: cursor - 1 });
      const changes = await followTo(channel, cursor - 1, cursor);
      expect(changes.map((change) => change.cursor)).toEqual([cursor]);
    });

    needing(['restricted-keys'], () => {
      const reader = useKey({ buckets: ['acc-*'], actions: ['read'] });

      it('of a key without `sync` for the bucket gets 403 before the upgrade', async () => {
        expect((await refused({ key: reader(), query: { bucket } })).status).toBe(403);
      });
    });
  });

  describe('a subscription', () => {
    const bucket = useBucket('channel');

    it('from now reports every later change, in order, each once', async () => {
      await put(bucket, 'earlier');
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket });
      const { cursor } = await channel.next('subscribed', ofType('subscribed'));
      const cursors: number[] = [];
      for (let n = 0; n < 5; n++) cursors.push((await put(bucket, `later-${n}`)).cursor);
      await remove(bucket, 'later-0');
      const end = (cursors.at(-1) ?? 0) + 1;
      const changes = await followTo(channel, Number(cursor), end);
      expect(changes.map((change) => change.cursor)).toEqual([...cursors, end]);
      expect(changes.at(-1)).toMatchObject({ type: 'delete', object: { key: 'later-0' } });
    });

    it('reports the same changes as the pages', async () => {
      const { to, changes } = await page({ bucket, cursor: '0' });
      const channel = await openChannel({ query: { bucket, cursor: '0' } });
      expect(await followTo(channel, 0, to)).toEqual(changes);
      for (const message of channel.messages.filter(ofType('changes'))) readChanges(message);
    });

    it('with a prefix covers the cursors of other keys and omits their changes', async () => {
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket, prefix: 'a/' });
      const { cursor } = await channel.next('subscribed', ofType('subscribed'));
      await put(bucket, 'b/1');
      const { cursor: wanted } = await put(bucket, 'a/1');
      const { cursor: end } = await put(bucket, 'b/2');
      const changes = await followTo(channel, Number(cursor), end);
      expect(changes.map((change) => change.cursor)).toEqual([wanted]);
    });

    it('of several buckets shares one connection', async () => {
      const other = `${bucket}-2`;
      await createBucket(other);
      const channel = await openChannel();
      for (const name of [bucket, other]) channel.send({ action: 'subscribe', bucket: name });
      for (const name of [bucket, other]) {
        await channel.next(name, (m) => m.type === 'subscribed' && m.bucket === name);
      }
      for (const name of [other, bucket]) await put(name, 'shared');
      for (const name of [bucket, other]) {
        await channel.next(`changes of ${name}`, (m) => m.type === 'changes' && m.bucket === name);
      }
      await remove(other, 'shared');
      await call('DELETE', `${BUCKETS}/${other}`);
    });

    it('ends with unsubscribe', async () => {
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket });
      await channel.next('subscribed', ofType('subscribed'));
      channel.send({ action: 'unsubscribe', bucket });
      await channel.next('unsubscribed', ofType('unsubscribed'));
      channel.send({ action: 'ping', cursors: { [bucket]: 0 } });
      expect(await channel.next('pong', ofType('pong'))).toMatchObject({ heads: {} });
    });

    it('catches up by a ping from any cursor', async () => {
      const { cursor } = await put(bucket, 'heal');
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket });
      await channel.next('subscribed', ofType('subscribed'));
      channel.send({ action: 'ping', cursors: { [bucket]: cursor - 1 } });
      await channel.next('pong', ofType('pong'));
      const changes = await followTo(channel, cursor - 1, cursor);
      expect(changes[0]).toMatchObject({ cursor });
    });

    for (const [what, wanted, code] of [
      ['a bucket that does not exist', { bucket: 'acc-there-is-no-such' }, 'not_found'],
      ['a bad name', { bucket: 'X' }, 'invalid_request'],
      ['a position ahead of the bucket', { cursor: 999_999 }, 'invalid_request'],
      ['an unknown field', { colour: 'red' }, 'invalid_request'],
    ] as const) {
      it(`of ${what}: ${code}, and the channel stays open`, async () => {
        const channel = await openChannel();
        channel.send({ action: 'subscribe', bucket, ...wanted });
        await channel.next(code, errorOf(code));
        channel.send({ action: 'ping' });
        await channel.next('pong', ofType('pong'));
      });
    }

    it('with the bucket_id of another incarnation gets a reset', async () => {
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket, cursor: 0, bucket_id: 'AAAAAAAAAAAA' });
      const reset = await channel.next('reset', ofType('reset'));
      expect(reset).toMatchObject({ bucket, reason: 'bucket_replaced' });
    });

    needing(['restricted-keys'], () => {
      const narrow = useKey({ buckets: ['acc-*'], prefix: 'a/', actions: ['sync'] });

      it('beyond the permissions of the key gets `forbidden`, and nothing else', async () => {
        const channel = await openChannel({ key: narrow() });
        for (const wanted of [{ bucket }, { bucket: 'acc-there-is-no-such' }]) {
          channel.send({ action: 'subscribe', ...wanted });
          await channel.next('forbidden', errorOf('forbidden'));
        }
        await put(bucket, 'a/secret');
        channel.send({ action: 'ping', cursors: { [bucket]: 0 } });
        await channel.next('pong', ofType('pong'));
        expect(channel.messages.some(ofType('changes'))).toBe(false);
      });
    });
  });

  describe('a message that is not an action', () => {
    for (const text of ['', 'nonsense', '[]', '{"action":"publish"}', '{"action":5}']) {
      it(`${JSON.stringify(text)} gets invalid_request`, async () => {
        const channel = await openChannel();
        channel.send(text);
        await channel.next('an error', errorOf('invalid_request'));
      });
    }
  });

  needing(['channel-address'], () => {
    describe('a ticket', () => {
      const bucket = useBucket('ticket');
      const wish = (more: object = {}) => ({ method: 'SYNC', bucket, ...more });

      it('opens a channel without a key, for its bucket and prefix', async () => {
        const { url, method } = await signUrl(wish({ prefix: 'a/' }));
        expect(method).toBe('SYNC');
        const channel = await openChannel({ url });
        await channel.next('subscribed', ofType('subscribed'));
        const { cursor } = await put(bucket, 'a/1');
        await channel.next('the change', (m) => m.type === 'changes' && Number(m.to) >= cursor);
        channel.send({ action: 'subscribe', bucket });
        await channel.next('forbidden', errorOf('forbidden'));
      });

      it('opens one channel only', ['channel-gateway'], async () => {
        const { url } = await signUrl(wish());
        await openChannel({ url });
        expect((await refused({ url })).status).toBe(401);
      });

      it('cannot be widened', async () => {
        const { url } = await signUrl(wish({ prefix: 'a/' }));
        expect((await refused({ url, query: { prefix: '' } })).status).toBe(403);
      });
    });
  });

  describe('a bucket that is deleted', () => {
    const bucket = useBucketName('gone');

    it('is reported to a client that pings', async () => {
      await createBucket(bucket);
      const channel = await openChannel();
      channel.send({ action: 'subscribe', bucket });
      await channel.next('subscribed', ofType('subscribed'));
      await call('DELETE', `${BUCKETS}/${bucket}`);
      channel.send({ action: 'ping', cursors: { [bucket]: 0 } });
      await channel.next('not_found', errorOf('not_found'));
    });
  });

  it('a binary message ends the connection', ['channel-gateway'], async () => {
    const channel = await openChannel();
    channel.send(JSON.stringify({ action: 'ping' }));
    await channel.next('pong', ofType('pong'));
    channel.sendBytes(Buffer.from([1, 2, 3]));
    expect(await channel.closed).toBe(1003);
  });

  it('a message above 128 KiB ends the connection', ['channel-gateway'], async () => {
    const channel = await openChannel();
    channel.send('x'.repeat(129 * 1024));
    expect(await channel.closed).toBe(1009);
  });
});
