/** When a channel stores the cursor of a consumer, with times as plain numbers. */
import { ChannelProtocol, type Output } from '../../../client/channel/channel-protocol';
import { LogPosition } from '../../../client/channel/log-position';

const ID = 'bucket000001';

function opened() {
  const followed = new LogPosition('photos', { consumer: 'indexer' });
  const channel = new ChannelProtocol([followed], () => 0.5);
  channel.start(0);
  const outputs = channel.opened(0);
  const tell = (now: number, message: object) =>
    channel.received(now, JSON.stringify({ bucket: 'photos', bucket_id: ID, ...message }));
  return { channel, followed, outputs, tell };
}

const sent = (outputs: readonly Output[]) =>
  outputs.flatMap((output) => (output.type === 'send' ? [JSON.parse(output.text)] : []));

/** Ticks at each `wakeAt` until `until`; returns the messages with their times. */
function run(channel: ChannelProtocol, from: number, until: number) {
  const all: (readonly [number, { consumed?: unknown }])[] = [];
  let now = from;
  for (let ticks = 0; ticks < 1000; ticks++) {
    now = Math.max(now, channel.wakeAt(now));
    if (now > until) return all;
    for (const message of sent(channel.tick(now))) {
      all.push([now, message]);
      const pong = { type: 'pong', heads: { photos: 9 } };
      channel.received(now, JSON.stringify(pong));
    }
  }
  throw new Error('the channel wakes without end');
}

test('a channel begins at the consumer, and stores what the reader is done with each 31 s', () => {
  const { channel, followed, outputs, tell } = opened();
  const subscribe = { action: 'subscribe', consumer: 'indexer', bucket: 'photos' };
  expect(sent(outputs)).toEqual([subscribe]);
  expect(run(channel, 0, 2_000)).toEqual([]);
  tell(2_000, { type: 'subscribed', cursor: 4, head: 9 });
  tell(2_000, { type: 'changes', from: 4, to: 9, head: 9, changes: [] });
  const stored = (from: number, until: number) =>
    run(channel, from, until).flatMap(([at, { consumed }]) => (consumed ? [[at, consumed]] : []));
  // Received, not done.
  expect(stored(2_000, 40_000)).toEqual([]);
  followed.consumed = 6;
  expect(stored(40_000, 64_000)).toEqual([[64_000, { photos: 6 }]]);
  followed.consumed = 9;
  expect(stored(64_001, 95_000)).toEqual([[95_000, { photos: 9 }]]);
});

test('a paused channel stores nothing, and does not wake for it', () => {
  const { channel, followed, tell } = opened();
  tell(0, { type: 'subscribed', cursor: 4, head: 4 });
  channel.pause();
  followed.consumed = 4;
  expect(run(channel, 0, 100_000).filter(([, { consumed }]) => consumed)).toEqual([]);
});
