/** The `id` of a client's message in the errors that the message causes. */
import { BUCKET } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

test('an error has the id of the message that failed', async () => {
  const { deps, open } = await openChannelWorld();
  const channel = await open();
  const wrong = [
    { action: 'subscribe', bucket: 'none', id: 'a' },
    { action: 'subscribe', bucket: BUCKET, cursor: 99, id: 'b' },
    { action: 'ping', cursors: { photos: -1 }, id: 'c' },
    { action: 'publish', id: 'd' },
  ];
  for (const message of wrong) {
    expect(await channel.say(message)).toEqual([
      expect.objectContaining({ type: 'error', id: message.id }),
    ]);
  }
  const [unnamed] = await channel.say({ action: 'publish' });
  expect(unnamed).toMatchObject({ type: 'error' });
  expect(unnamed).not.toHaveProperty('id');
  expect((await deps.subscriptions.get('c1'))?.subscriptions.size).toBe(0);
});

test('the error of a bucket that a ping names has the id of the ping', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  await channel.say({ action: 'subscribe', bucket: BUCKET, id: 'a' });
  const messages = await channel.say({ action: 'ping', cursors: { [BUCKET]: 7 }, id: 'b' });
  expect(messages).toContainEqual(expect.objectContaining({ type: 'error', id: 'b' }));
});

test('a refusal for too many messages has the id of the message', async () => {
  const { open } = await openChannelWorld();
  const channel = await open();
  const ids = Array.from({ length: 60 }, (_, n) => `m${n}`);
  let messages: { type: string; id?: string }[] = [];
  for (const id of ids) messages = await channel.say({ action: 'ping', id });
  expect(messages).toMatchObject([{ type: 'error', id: 'm59', error: { code: 'rate_limited' } }]);
});
