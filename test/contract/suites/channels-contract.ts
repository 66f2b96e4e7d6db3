import { until } from '../../../emulator/test/support/until';
import type { ChannelsSubject, OpenChannels } from '../subjects/channel-subjects';

/** In the shape of API Gateway's. */
const NOBODY = 'AAAAAAAAAAAAAAA=';

export function channelsContract(name: string, open: OpenChannels): void {
  describe(`Channels: ${name}`, () => {
    let subject: ChannelsSubject;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    test('a posted message arrives unchanged, at its connection only', async () => {
      const [ann, bob] = [await subject.connect(), await subject.connect()];
      const message = JSON.stringify({ type: 'changes', key: 'ü/😀"\n' });

      expect(await subject.channels.post(ann.connectionId, message)).toBe('sent');
      expect(await subject.channels.post(bob.connectionId, 'other')).toBe('sent');

      await until(() => ann.received.length + bob.received.length >= 2);
      expect(ann.received).toEqual([message]);
      expect(bob.received).toEqual(['other']);
    });

    test('post refuses a message of more than 128 KiB of UTF-8', async () => {
      const { connectionId, received } = await subject.connect();
      const longest = 'ü'.repeat(64 * 1024);

      expect(await subject.channels.post(connectionId, longest)).toBe('sent');
      await expect(subject.channels.post(connectionId, `${longest}x`)).rejects.toThrow();

      await until(() => received.length > 0);
      expect(received).toEqual([longest]);
    });

    test('post returns `gone` for an unknown connection', async () => {
      expect(await subject.channels.post(NOBODY, 'x')).toBe('gone');
      expect(await subject.channels.isOpen(NOBODY)).toBe(false);
      await expect(subject.channels.disconnect(NOBODY)).resolves.toBeUndefined();
    });

    test('post returns `gone` until the connection is open', async () => {
      const early = await subject.whileConnecting(async (connectionId) => [
        await subject.channels.post(connectionId, 'x'),
        await subject.channels.isOpen(connectionId),
      ]);

      expect(early).toEqual(['gone', false]);
      const { connectionId } = await subject.connect();
      expect(await subject.channels.isOpen(connectionId)).toBe(true);
    });

    test('post returns `gone` after the client closed the connection', async () => {
      const client = await subject.connect();
      await client.leave();

      expect(await subject.channels.isOpen(client.connectionId)).toBe(false);
      expect(await subject.channels.post(client.connectionId, 'x')).toBe('gone');
    });

    test('disconnect closes one connection and no other', async () => {
      const [ann, bob] = [await subject.connect(), await subject.connect()];

      await subject.channels.disconnect(ann.connectionId);
      await subject.channels.disconnect(ann.connectionId);
      await ann.closed;

      expect(await subject.channels.isOpen(ann.connectionId)).toBe(false);
      expect(await subject.channels.post(ann.connectionId, 'x')).toBe('gone');
      expect(await subject.channels.post(bob.connectionId, 'x')).toBe('sent');
    });

    test('post returns `busy` for a client that does not read, without delaying others', async () => {
      const [slow, quick] = [await subject.connect(), await subject.connect()];
      const large = 'x'.repeat(128 * 1024);
      slow.read(false);

      let outcome = await subject.channels.post(slow.connectionId, large);
      // The buffers between the two must be full first.
      for (let post = 0; post < 500 && outcome === 'sent'; post++) {
        outcome = await subject.channels.post(slow.connectionId, large);
      }

      expect(outcome).toBe('busy');
      expect(await subject.channels.isOpen(slow.connectionId)).toBe(true);
      expect(await subject.channels.post(quick.connectionId, 'x')).toBe('sent');
      slow.read(true);
      outcome = await subject.channels.post(slow.connectionId, 'x');
      for (let post = 0; post < 1000 && outcome === 'busy'; post++) {
        outcome = await subject.channels.post(slow.connectionId, 'x');
      }
      expect(outcome).toBe('sent');
    });
  });
}
