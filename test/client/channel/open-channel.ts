/** A channel without a socket, with times as plain numbers. */
import { ChannelProtocol, type Output } from '../../../client/channel/channel-protocol';
import { type FollowOptions, LogPosition } from '../../../client/channel/log-position';

export const ID = 'bucket000001';

export type Follow = Readonly<Record<string, FollowOptions>>;

export function channelOf(follow: Follow = { photos: { cursor: 5 } }, random = () => 0.5) {
  const followers = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  const channel = new ChannelProtocol(followers, random);
  const [followed] = followers;
  if (!followed) throw new Error('no bucket');
  /** The server sends a message. */
  const tell = (now: number, type: string, fields: object = {}) =>
    channel.received(now, JSON.stringify({ type, bucket: 'photos', bucket_id: ID, ...fields }));
  return { channel, followers, followed, tell };
}

/** The connection opens at 0. */
export function openChannel(follow?: Follow, random?: () => number) {
  const opened = channelOf(follow, random);
  opened.channel.start(0);
  return { ...opened, outputs: opened.channel.opened(0) };
}

/** A channel whose subscription to photos is confirmed at 0, at cursor 5. */
export function subscribedChannel(follow?: Follow, head = 5) {
  const opened = openChannel(follow);
  opened.tell(0, 'subscribed', { cursor: 5, head });
  return opened;
}

export const types = (outputs: readonly Output[]) => outputs.map(({ type }) => type);

/** The messages to the server. */
export const sent = (outputs: readonly Output[]) =>
  outputs.flatMap((output) => (output.type === 'send' ? [JSON.parse(output.text)] : []));

export const events = (outputs: readonly Output[]) =>
  outputs.flatMap((output) => (output.type === 'event' ? [output.event] : []));

/** Ticks at each `wakeAt` until `until`. Returns the outputs with their times. */
export function run(channel: ChannelProtocol, from: number, until: number) {
  const all: (readonly [number, Output])[] = [];
  let now = from;
  for (let ticks = 0; ticks < 1000; ticks++) {
    now = Math.max(now, channel.wakeAt(now));
    if (now > until) return all;
    for (const output of channel.tick(now)) all.push([now, output]);
  }
  throw new Error('the channel wakes without end');
}

/** The times of the outputs of one type. */
export const timesOf = (all: ReturnType<typeof run>, type: Output['type']) =>
  all.flatMap(([at, output]) => (output.type === type ? [at] : []));
