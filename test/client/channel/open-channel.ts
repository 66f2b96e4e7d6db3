/** The protocol of a channel without a socket, on a clock that the test moves. */
import { ChannelProtocol, type Output } from '../../../client/channel/channel-protocol';
import { type FollowOptions, LogPosition } from '../../../client/channel/log-position';

export const ID = 'bucket000001';

export type Follow = Readonly<Record<string, FollowOptions>>;

export function channelOf(follow: Follow = { photos: { cursor: 5 } }, random = () => 0.5) {
  const positions = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  const channel = new ChannelProtocol(positions, random);
  const [position] = positions;
  if (!position) throw new Error('no bucket');
  /** The server sends a message. */
  const tell = (now: number, type: string, fields: object = {}) =>
    channel.received(now, JSON.stringify({ type, bucket: 'photos', bucket_id: ID, ...fields }));
  return { channel, positions, position, tell };
}

/** The connection opens at 0. */
export function openChannel(follow?: Follow, random?: () => number) {
  const opened = channelOf(follow, random);
  opened.channel.start(0);
  return { ...opened, outputs: opened.channel.opened(0) };
}

/** The server has confirmed the subscription to photos at 0, at cursor 5. */
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

/**
 * Ticks until `until`, and answers each ping with these heads. Returns the pings with their times.
 */
export function answeredPings(
  { channel, tell }: ReturnType<typeof channelOf>,
  from: number,
  until: number,
  heads: object = { photos: 5 },
) {
  const pings: { readonly at: number; readonly cursors: object; readonly consumed?: object }[] = [];
  let now = from;
  for (let ticks = 0; ticks < 1000; ticks++) {
    now = Math.max(now, channel.wakeAt(now));
    if (now > until) return pings;
    for (const { action, ...ping } of sent(channel.tick(now))) {
      if (action !== 'ping') continue;
      pings.push({ at: now, ...ping });
      tell(now, 'pong', { heads });
    }
  }
  throw new Error('the channel wakes without end');
}

/** The time before each of these, in seconds, rounded. */
export const secondsBetween = (times: readonly number[], begin = 0) =>
  times.map((at, index) => Math.round((at - (times[index - 1] ?? begin)) / 1000));

/** Whether each number is at least the one before it. */
export const isGrowing = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));
