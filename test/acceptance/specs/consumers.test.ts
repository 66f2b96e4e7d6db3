import { it, needing } from '../support/behaviour';
import { BUCKETS, bucketCursor, useBucket } from '../support/buckets';
import { closeChannels, ofType, openChannel } from '../support/channel';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import { put } from '../support/objects';
import { expectError, expectStatus, jsonOf } from '../support/responses';
import { until } from '../support/wait';

describe('Consumers', () => {
  const bucket = useBucket('consumers');
  const list = `${BUCKETS}/${bucket}/consumers`;
  const store = (name: string, body: object, key?: string) =>
    callJson('PUT', `${list}/${name}`, body, key === undefined ? {} : { key });
  const read = async (name: string) =>
    jsonOf(expectStatus(await call('GET', `${list}/${name}`), 200));

  it('keep a cursor under a name, and show how far it is behind', async () => {
    const { cursor } = await put(bucket, 'a');
    expectStatus(await store('lagging', { cursor: cursor - 1 }), 201);
    await until('the lag', async () => (await read('lagging')).lag === 1 || undefined);
    expect(await read('lagging')).toMatchObject({ bucket, name: 'lagging', cursor: cursor - 1 });
    expectStatus(await store('lagging', { cursor }), 200);
    expect(await read('lagging')).toMatchObject({
      ...{ cursor, lag: 0, lag_seconds: 0, behind_retention: false },
    });
  });

  it('move back only with if_cursor', async () => {
    const { cursor } = await put(bucket, 'b');
    expectStatus(await store('moved', { cursor, if_cursor: null }), 201);
    expectError(await store('moved', { cursor: cursor - 1 }), 412);
    const refused = await store('moved', { cursor, if_cursor: cursor - 1 });
    expect(expectError(refused, 412)).toMatchObject({ details: { cursor } });
    expectStatus(await store('moved', { cursor: cursor - 1, if_cursor: cursor }), 200);
  });

  it('are refused a cursor ahead of the bucket', async () => {
    const cursor = (await bucketCursor(bucket)) + 1;
    expectError(await store('ahead', { cursor }), 400, { field: 'cursor' });
    expectError(await call('GET', `${list}/ahead`), 404);
  });

  it('are listed by name, and deleted', async () => {
    for (const name of ['listed-2', 'listed-1']) await store(name, { cursor: 0 });
    const names = async () => {
      const { consumers } = jsonOf(expectStatus(await call('GET', list), 200));
      const all = (consumers as { name: string }[]).map(({ name }) => name);
      return all.filter((name) => name.startsWith('listed-'));
    };
    expect(await names()).toEqual(['listed-1', 'listed-2']);
    expectStatus(await call('DELETE', `${list}/listed-1`), 204);
    expectError(await call('DELETE', `${list}/listed-1`), 404);
    expect(await names()).toEqual(['listed-2']);
  });

  needing(['restricted-keys'], () => {
    const confined = useKey({ buckets: [bucket], prefix: 'mine/', actions: ['sync'] });

    it('are open to keys that may follow their prefix', async () => {
      await store('whole', { cursor: 0 });
      expectError(await store('whole', { cursor: 0 }, confined()), 403);
      expectError(await call('GET', `${list}/whole`, { key: confined() }), 404);
      const mine = { cursor: 0, prefix: 'mine/' };
      expectStatus(await store('confined', mine, confined()), 201);
      const { consumers } = jsonOf(await call('GET', list, { key: confined() }));
      expect(consumers).toMatchObject([{ name: 'confined', prefix: 'mine/' }]);
    });
  });

  needing(['channel'], () => {
    afterAll(closeChannels);

    it('continue on a channel at their cursor, and report their progress there', async () => {
      const { cursor } = await put(bucket, 'c');
      await store('channel', { cursor: cursor - 1 });
      const first = await openChannel({ query: { bucket, consumer: 'channel' } });
      const begun = await first.next('subscribed', ofType('subscribed'));
      expect(begun).toMatchObject({ cursor: cursor - 1 });
      const end = { action: 'unsubscribe', bucket, consumed: cursor };
      first.send(end);
      await first.next('unsubscribed', ofType('unsubscribed'));
      expect(await read('channel')).toMatchObject({ cursor });
      const second = await openChannel();
      second.send({ action: 'subscribe', bucket, consumer: 'channel' });
      expect(await second.next('subscribed', ofType('subscribed'))).toMatchObject({ cursor });
      const { cursor: next } = await put(bucket, 'd');
      const reported = { cursors: { [bucket]: next }, consumed: { [bucket]: next } };
      second.send({ action: 'ping', ...reported });
      await second.next('pong', ofType('pong'));
      // Stored less than 30 seconds ago.
      expect(await read('channel')).toMatchObject({ cursor });
    });
  });
});
