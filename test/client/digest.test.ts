/** What a channel does with the digests of the service. */
import { createHash } from 'node:crypto';
import { DigestMismatch } from '../../client';
import { ChannelProtocol, type Output } from '../../client/channel/channel-protocol';
import { type FollowOptions, LogPosition } from '../../client/channel/log-position';

const ID = 'bucket000001';
const half = () => 0.5;

function opened(follow: Readonly<Record<string, FollowOptions>>) {
  const followers = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  const channel = new ChannelProtocol(followers, half);
  channel.start(0);
  channel.opened(0);
  return channel;
}

const types = (outputs: readonly Output[]) => outputs.map(({ type }) => type);

function subscribed(cursor: number, head = cursor, bucket = 'photos') {
  return JSON.stringify({ type: 'subscribed', bucket, bucket_id: ID, cursor, head });
}

function changes(from: number, to: number, more: object = {}) {
  const range = { bucket: 'photos', bucket_id: ID, from, to, head: to, changes: [] };
  return JSON.stringify({ type: 'changes', ...range, ...more });
}

describe('a digest of the service', () => {
  // SHA-256 of SHA-256(bucket000001) and the cursor 1, which has no change.
  const first = createHash('sha256').update(ID).digest();
  const sha256 = createHash('sha256').update(first).update('1').digest('base64');
  const digest = { sha256, since: 0 };
  const other = { ...digest, sha256: first.toString('base64') };
  const pong = (of: object) =>
    JSON.stringify({ type: 'pong', heads: { photos: 1 }, digests: { photos: of } });
  const end = { type: 'ended', bucket: 'photos', error: expect.any(DigestMismatch) };
  const begun = () => {
    const channel = opened({ photos: { cursor: 0 } });
    channel.received(1, subscribed(0));
    return channel;
  };
  const events = (outputs: readonly Output[]) =>
    outputs.flatMap((output) => (output.type === 'event' ? [output.event] : []));

  test('in a message is returned with the cursor when it is that of the changes', () => {
    const outputs = begun().received(2, changes(0, 1, { digest }));
    expect(events(outputs)).toMatchObject([{ type: 'cursor', cursor: 1, digest }]);
  });

  test('in a message ends the bucket when it is another one', () => {
    const outputs = begun().received(2, changes(0, 1, { digest: other }));
    expect(events(outputs)).toContainEqual(end);
    expect(types(outputs)).toContain('done');
  });

  test('in a pong is returned once, and ends the bucket when it is another one', () => {
    const channel = begun();
    channel.received(2, changes(0, 1));
    expect(events(channel.received(3, pong(digest)))).toMatchObject([{ cursor: 1, digest }]);
    expect(events(channel.received(4, pong(digest)))).toEqual([]);
    const outputs = channel.received(5, pong(other));
    expect(events(outputs)).toContainEqual(end);
    expect(types(outputs)).toContain('done');
  });

  test('is ignored with a prefix, and when it is malformed', () => {
    const channel = opened({ photos: { cursor: 0, prefix: 'a/' } });
    channel.received(1, subscribed(0));
    const below = changes(0, 1, { prefix: 'a/', digest: other });
    expect(events(channel.received(2, below))).toEqual([
      expect.not.objectContaining({ digest: expect.anything() }),
    ]);
    const malformed = { sha256: 'x', since: 0 };
    expect(events(begun().received(2, changes(0, 1, { digest: malformed })))).toEqual([
      expect.not.objectContaining({ digest: expect.anything() }),
    ]);
  });
});
