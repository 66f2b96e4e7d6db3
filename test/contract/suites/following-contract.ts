import type { Subscription, Subscriptions } from '../../../core/channel/ports';
import { newName } from '../../support/samples';
import {
  ANY,
  CONNECTED_AT,
  idsOf,
  known,
  newConnection,
  newFollowed,
  opened,
} from '../subscription-samples';

/**
 * The part of the Subscriptions contract about following buckets. `subject` returns the port once
 * the suite has opened it.
 */
export function followingContract(subject: () => Subscriptions): void {
  describe('following', () => {
    let port: Subscriptions;
    beforeAll(() => {
      port = subject();
    });

    test('shows in the connection and among the subscribers of the bucket', async () => {
      const connection = await opened(port);
      const photos = newFollowed({ prefix: 'ü/😀' });
      const videos = newFollowed();
      const expiresAt = CONNECTED_AT + 60_000;

      expect(await port.subscribe(connection, photos, { ...ANY, expiresAt })).toBe(true);
      expect(await port.subscribe(connection, videos, ANY)).toBe(true);

      expect((await known(port, connection)).subscriptions).toEqual(
        new Map([
          [photos.bucket, photos],
          [videos.bucket, videos],
        ]),
      );
      const common = { connectionId: connection.id, connectedAt: CONNECTED_AT };
      expect(await port.subscribers(photos.bucketId)).toEqual([
        { ...common, prefix: 'ü/😀', expiresAt },
      ]);
      expect(await port.subscribers(videos.bucketId)).toStrictEqual([{ ...common, prefix: '' }]);
      expect(await port.subscribers(newName('id'))).toEqual([]);
    });

    test('a bucket has any number of subscribers', async () => {
      const photos = newFollowed();
      const connections = await Promise.all(Array.from({ length: 30 }, () => opened(port)));

      await Promise.all(connections.map((connection) => port.subscribe(connection, photos, ANY)));

      expect(await idsOf(port, photos)).toEqual(connections.map(({ id }) => id).sort());
    });

    test.each(['known', 'not known to the caller'])(
      'another prefix replaces one that is %s',
      async (what) => {
        const connection = await opened(port);
        const before = newFollowed({ prefix: 'a/' });
        const after = { ...before, prefix: 'b/' };
        await port.subscribe(connection, before, ANY);

        const caller = what === 'known' ? await known(port, connection) : connection;
        expect(await port.subscribe(caller, after, ANY)).toBe(true);

        expect((await known(port, connection)).subscriptions.get(before.bucket)).toEqual(after);
        expect(await port.subscribers(before.bucketId)).toEqual([
          { connectionId: connection.id, prefix: 'b/', connectedAt: CONNECTED_AT },
        ]);
      },
    );

    test.each(['known', 'not known to the caller'])(
      'a new incarnation of the bucket replaces one that is %s',
      async (what) => {
        const connection = await opened(port);
        const before = newFollowed();
        const after = { ...before, bucketId: newName('id') };
        await port.subscribe(connection, before, ANY);

        const caller = what === 'known' ? await known(port, connection) : connection;
        expect(await port.subscribe(caller, after, ANY)).toBe(true);

        expect((await known(port, connection)).subscriptions.get(before.bucket)).toEqual(after);
        expect(await idsOf(port, before)).toEqual([]);
        expect(await idsOf(port, after)).toEqual([connection.id]);
      },
    );

    test.each<[string, Partial<Subscription>]>([
      ['incarnation', { bucketId: newName('id') }],
      ['prefix', { prefix: 'b/' }],
      ['consumer', { consumer: 'indexer' }],
    ])('replaces one whose %s another message has changed', async (_, changed) => {
      const connection = await opened(port);
      const before = newFollowed({ prefix: 'a/' });
      await port.subscribe(connection, before, ANY);
      const stale = await known(port, connection);
      const followed = async () => [...(await known(port, connection)).subscriptions.values()];
      const between = { ...before, ...changed };
      expect(await port.subscribe(stale, between, ANY)).toBe(true);
      expect(await followed()).toStrictEqual([between]);

      const after = { ...before, bucketId: newName('id') };
      expect(await port.subscribe(stale, after, ANY)).toBe(true);

      expect(await followed()).toStrictEqual([after]);
      expect(await idsOf(port, after)).toEqual([connection.id]);
      expect(await idsOf(port, between)).toEqual([]);
    });

    test('is repeatable', async () => {
      const connection = await opened(port);
      const photos = newFollowed();

      expect(await port.subscribe(connection, photos, ANY)).toBe(true);
      expect(await port.subscribe(connection, photos, ANY)).toBe(true);
      expect(await port.subscribe(await known(port, connection), photos, ANY)).toBe(true);

      expect(await idsOf(port, photos)).toEqual([connection.id]);
    });

    test('has a limit per connection that does not apply to followed buckets', async () => {
      const connection = await opened(port);
      const [first, second, third] = [newFollowed(), newFollowed(), newFollowed()];
      const limit = 2;

      expect(await port.subscribe(connection, first, { limit })).toBe(true);
      expect(await port.subscribe(connection, second, { limit })).toBe(true);
      expect(await port.subscribe(await known(port, connection), third, { limit })).toBe(false);
      expect(await idsOf(port, third)).toEqual([]);
      const narrower = { ...first, prefix: 'a/' };
      expect(await port.subscribe(await known(port, connection), narrower, { limit })).toBe(true);

      await port.unsubscribe(connection.id, second);
      expect(await port.subscribe(await known(port, connection), third, { limit })).toBe(true);
    });

    test('stays within its limit when many buckets are requested concurrently', async () => {
      const connection = await opened(port);
      const all = Array.from({ length: 6 }, () => newFollowed());

      const done = await Promise.all(
        all.map((followed) => port.subscribe(connection, followed, { limit: 3 })),
      );

      expect(done.filter(Boolean)).toHaveLength(3);
      expect((await known(port, connection)).subscriptions.size).toBe(3);
      expect((await Promise.all(all.map((each) => idsOf(port, each)))).flat()).toHaveLength(3);
    });

    test('with several prefixes concurrently ends with the same prefix on both sides', async () => {
      const connection = await opened(port);
      const photos = newFollowed();
      const prefixes = ['a/', 'b/', 'c/'];

      const done = await Promise.all(
        prefixes.map((prefix) => port.subscribe(connection, { ...photos, prefix }, ANY)),
      );

      expect(done).toEqual([true, true, true]);
      const [follower] = await port.subscribers(photos.bucketId);
      const followed = (await known(port, connection)).subscriptions.get(photos.bucket);
      expect(follower?.prefix).toBe(followed?.prefix);
      expect(prefixes).toContain(followed?.prefix);
    });

    test('is refused for a closed connection', async () => {
      const closed = await opened(port);
      const photos = newFollowed();
      await port.subscribe(closed, photos, ANY);
      const before = await known(port, closed);
      await port.close(closed.id);

      expect(await port.subscribe(before, photos, ANY)).toBe(false);
      expect(await port.subscribe(newConnection(), photos, ANY)).toBe(false);
      expect(await idsOf(port, photos)).toEqual([]);
      expect(await port.get(closed.id)).toBeUndefined();
    });

    test('setKeyExpiry replaces or removes the expiry of a subscriber', async () => {
      const connection = await opened(port);
      const photos = newFollowed({ prefix: 'a/' });
      const expiresAt = CONNECTED_AT + 60_000;
      const follower = { connectionId: connection.id, prefix: 'a/', connectedAt: CONNECTED_AT };
      await port.subscribe(connection, photos, ANY);

      await port.setKeyExpiry(photos.bucketId, connection.id, expiresAt);
      expect(await port.subscribers(photos.bucketId)).toEqual([{ ...follower, expiresAt }]);
      await port.setKeyExpiry(photos.bucketId, connection.id);
      expect(await port.subscribers(photos.bucketId)).toEqual([follower]);

      await port.unsubscribe(connection.id, photos);
      await port.setKeyExpiry(photos.bucketId, connection.id, expiresAt);
      expect(await port.subscribers(photos.bucketId)).toEqual([]);
    });

    test('unsubscribe removes the subscription from both sides', async () => {
      const connection = await opened(port);
      const [photos, videos] = [newFollowed(), newFollowed()];
      await port.subscribe(connection, photos, ANY);
      await port.subscribe(connection, videos, ANY);

      await port.unsubscribe(connection.id, photos);
      await port.unsubscribe(connection.id, photos);

      expect([...(await known(port, connection)).subscriptions.keys()]).toEqual([videos.bucket]);
      expect(await idsOf(port, photos)).toEqual([]);
      expect(await idsOf(port, videos)).toEqual([connection.id]);
    });

    test('unsubscribe from another incarnation of the bucket changes nothing', async () => {
      const connection = await opened(port);
      const photos = newFollowed();
      await port.subscribe(connection, photos, ANY);

      await port.unsubscribe(connection.id, { bucket: photos.bucket, bucketId: newName('id') });
      await port.unsubscribe('unknown=', photos);

      expect((await known(port, connection)).subscriptions.get(photos.bucket)).toEqual(photos);
      expect(await idsOf(port, photos)).toEqual([connection.id]);
      expect(await port.get('unknown=')).toBeUndefined();
    });

    test('removeSubscriber removes one subscriber of a bucket and no other', async () => {
      const [gone, there] = [await opened(port), await opened(port)];
      const photos = newFollowed();
      await port.subscribe(gone, photos, ANY);
      await port.subscribe(there, photos, ANY);

      await port.removeSubscriber(photos.bucketId, gone.id);
      await port.removeSubscriber(photos.bucketId, gone.id);

      expect(await idsOf(port, photos)).toEqual([there.id]);
    });
  });
}
