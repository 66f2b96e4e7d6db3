import type { Subscriptions } from '../../../core/channel/ports';
import { newName } from '../../support/samples';
import type { DataPorts, OpenData } from '../subjects/data-subjects';
import { ANY, CONNECTED_AT, idsOf, known, newFollowed, opened } from '../subscription-samples';
import { followingContract } from './following-contract';

/** Ten messages a second, three at once. */
const RATE = { interval: 100, burst: 3 };

const RESTRICTION = {
  permissions: [
    { buckets: ['photos'], prefix: 'a/', actions: ['sync' as const] },
    { buckets: ['*'], actions: ['read' as const] },
  ],
  expiresAt: '2026-11-20T11:00:00.000Z',
};

export function subscriptionsContract(name: string, open: OpenData): void {
  describe(`Subscriptions: ${name}`, () => {
    let subject: DataPorts;
    let port: Subscriptions;
    beforeAll(async () => {
      subject = await open();
      port = subject.subscriptions;
    });
    afterAll(() => subject.close());

    describe('a connection', () => {
      test('get returns the connection as it was opened', async () => {
        const bare = await opened(port);
        const scope = { bucket: 'photos', prefix: 'a/' };
        const scoped = await opened(port, { scope, generation: 2, restriction: RESTRICTION });

        expect(await port.get(bare.id)).toEqual(bare);
        expect(await port.get(scoped.id)).toEqual(scoped);
        expect(await port.get('unknown=')).toBeUndefined();
      });

      test('connectionsOf finds the connections of a key', async () => {
        const first = await opened(port);
        const second = await opened(port, { keyId: first.keyId });
        await opened(port);

        expect([...(await port.connectionsOf(first.keyId))].sort()).toEqual(
          [first.id, second.id].sort(),
        );
        expect(await port.connectionsOf(newName())).toEqual([]);
      });

      test('close removes the connection and its subscriptions', async () => {
        const connection = await opened(port);
        const other = await opened(port, { keyId: connection.keyId });
        const followed = [newFollowed(), newFollowed({ prefix: 'a/' })];
        for (const each of followed) {
          await port.subscribe(await known(port, connection), each, ANY);
          await port.subscribe(await known(port, other), each, ANY);
        }

        await port.close(connection.id);
        await port.close(connection.id);

        expect(await port.get(connection.id)).toBeUndefined();
        expect(await port.connectionsOf(connection.keyId)).toEqual([other.id]);
        for (const each of followed) expect(await idsOf(port, each)).toEqual([other.id]);
      });

      test('close removes a connection with 50 subscriptions completely', async () => {
        const connection = await opened(port);
        const all = Array.from({ length: 50 }, () => newFollowed());
        for (const followed of all) await port.subscribe(connection, followed, ANY);

        await port.close(connection.id);

        expect((await Promise.all(all.map((each) => idsOf(port, each)))).flat()).toEqual([]);
      });

      test('close calls `release` again when it failed, and no more after that', async () => {
        const connection = await opened(port);
        const released: unknown[] = [];
        const release = async (ended: unknown) => {
          released.push(ended);
          if (released.length === 1) throw new Error('throttled');
        };
        await expect(port.close(connection.id, release)).rejects.toThrow('throttled');
        await port.close(connection.id, release);
        await port.close(connection.id, release);
        expect(released).toEqual([connection, connection]);
      });

      test('closeMany removes connections of a key with their subscriptions, and may be repeated', async () => {
        const keyId = newName('key');
        const closed = await Promise.all(
          Array.from({ length: 110 }, () => opened(port, { keyId })),
        );
        const [left, other] = [await opened(port, { keyId }), await opened(port)];
        const [photos, music] = [newFollowed(), newFollowed({ prefix: 'a/' })];
        for (const connection of [...closed.slice(0, 30), left, other]) {
          await port.subscribe(connection, photos, ANY);
        }
        await port.subscribe(await known(port, other), music, ANY);
        await port.subscribe(await known(port, closed[0] ?? other), music, ANY);
        const ids = closed.map(({ id }) => id);

        await port.closeMany(keyId, ids);
        await port.closeMany(keyId, [...ids, 'unknown=']);
        await port.closeMany(keyId, []);

        expect(await port.connectionsOf(keyId)).toEqual([left.id]);
        expect(await port.get(ids[0] ?? '')).toBeUndefined();
        expect(await idsOf(port, photos)).toEqual([left.id, other.id].sort());
        expect(await idsOf(port, music)).toEqual([other.id]);
      });

      test('close ignores an unknown connection', async () => {
        const release = jest.fn(async () => {});
        await port.close('unknown=', release);
        expect(release).not.toHaveBeenCalled();
      });
    });

    followingContract(() => port);

    describe('the rate of messages', () => {
      test('admits a burst, then one per interval', async () => {
        const connection = await opened(port);
        const now = CONNECTED_AT;
        const admit = (at: number) => port.admitMessage(connection.id, at, RATE);

        for (let message = 0; message < RATE.burst; message++) {
          expect(await admit(now)).toEqual({ connection });
        }
        expect(await admit(now)).toEqual({ connection, wait: 0.1, refusals: 1 });
        expect(await admit(now + 50)).toEqual({ connection, wait: 0.05, refusals: 2 });
        expect(await admit(now + 100)).toEqual({ connection });
        expect(await admit(now + 199)).toEqual({ connection, wait: 0.001, refusals: 3 });
        expect(await admit(now + 200)).toEqual({ connection });
        expect(await admit(now + 5000)).toEqual({ connection });
        expect(await admit(now + 5000)).toEqual({ connection });
        expect(await admit(now + 5000)).toEqual({ connection });
        expect(await admit(now + 5000)).toEqual({ connection, wait: 0.1, refusals: 4 });
      });

      test('never refuses a sender that keeps to the rate', async () => {
        const connection = await opened(port);

        for (let message = 0; message < 10; message++) {
          const at = CONNECTED_AT + message * RATE.interval;
          expect(await port.admitMessage(connection.id, at, { ...RATE, burst: 1 })).toEqual({
            connection,
          });
        }
      });

      test('counts concurrent messages', async () => {
        const connection = await opened(port);

        const admissions = await Promise.all(
          Array.from({ length: 8 }, () => port.admitMessage(connection.id, CONNECTED_AT, RATE)),
        );

        const refused = admissions.flatMap((admission) =>
          admission?.wait === undefined ? [] : [admission.refusals],
        );
        expect(refused.sort()).toEqual([1, 2, 3, 4, 5]);
      });

      test('admitMessage returns the subscriptions of the connection', async () => {
        const connection = await opened(port);
        const photos = newFollowed({ prefix: 'a/' });
        await port.subscribe(connection, photos, ANY);
        const expected = await known(port, connection);

        for (const limited of [false, false, false, true]) {
          const admission = await port.admitMessage(connection.id, CONNECTED_AT, RATE);
          expect(admission?.connection).toEqual(expected);
          expect(admission?.wait !== undefined).toBe(limited);
        }
      });

      test('admitMessage returns undefined for an unknown connection and creates none', async () => {
        const closed = await opened(port);
        await port.close(closed.id);

        for (const id of ['unknown=', closed.id]) {
          expect(await port.admitMessage(id, CONNECTED_AT, RATE)).toBeUndefined();
          expect(await port.get(id)).toBeUndefined();
        }
      });
    });

    describe('a ticket', () => {
      const ticket = (overrides = {}) => ({
        keyId: newName('key'),
        bucket: 'photos',
        prefix: 'a/',
        expiresAt: CONNECTED_AT + 60_000,
        ...overrides,
      });

      test('is redeemed once', async () => {
        const [id, given] = [
          newName('ticket'),
          ticket({ prefix: '', generation: 2, restriction: RESTRICTION }),
        ];
        await port.addTicket(id, given);

        expect(await port.ticket(newName('ticket'), CONNECTED_AT)).toBeUndefined();
        expect(await port.redeemTicket(newName('ticket'))).toBe(false);
        expect(await port.ticket(id, CONNECTED_AT)).toEqual(given);
        expect(await port.redeemTicket(id)).toBe(true);
        expect(await port.redeemTicket(id)).toBe(false);
        expect(await port.ticket(id, CONNECTED_AT)).toBeUndefined();
      });

      test.each([
        ['without a restriction', { generation: 0 }],
        ['without a generation', { restriction: RESTRICTION }],
        ['without both', {}],
      ])('%s is returned as it was given', async (_, fields) => {
        const [id, given] = [newName('ticket'), ticket(fields)];
        await port.addTicket(id, given);
        expect(await port.ticket(id, CONNECTED_AT)).toStrictEqual(given);
      });

      test('is redeemed by one of many concurrent callers', async () => {
        const [id, given] = [newName('ticket'), ticket()];
        await port.addTicket(id, given);

        const got = await Promise.all(Array.from({ length: 8 }, () => port.redeemTicket(id)));

        expect(got.filter((isMine) => isMine)).toEqual([true]);
      });

      test('cannot be redeemed after it has expired', async () => {
        const [id, given] = [newName('ticket'), ticket()];
        await port.addTicket(id, given);

        expect(await port.ticket(id, given.expiresAt)).toBeUndefined();
      });
    });
  });
}
