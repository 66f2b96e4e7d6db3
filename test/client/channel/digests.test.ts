/** The client compares the digests that the service sends with changes and pongs. */
import { createHash } from 'node:crypto';
import { DigestMismatch } from '../../../client';
import { events, ID, openChannel, types } from './open-channel';

/** Of the bucket, before its first change. */
const first = createHash('sha256').update(ID).digest();
/** At cursor 1, which has no change. */
const sha256 = createHash('sha256').update(first).update('1').digest('base64');
const RIGHT = { sha256, since: 0 };
const WRONG = { ...RIGHT, sha256: first.toString('base64') };
const ended = { type: 'ended', bucket: 'photos', error: expect.any(DigestMismatch) };

/** A client that has read nothing. `receive` brings it the changes up to cursor 1. */
function begun(prefix = '') {
  const { tell } = openChannel({ photos: { cursor: 0, prefix } });
  tell(1, 'subscribed', { cursor: 0, head: 0 });
  const receive = (digest?: object) =>
    tell(2, 'changes', { from: 0, to: 1, head: 1, changes: [], prefix, digest });
  const pong = (digest: object) =>
    tell(3, 'pong', { heads: { photos: 1 }, digests: { photos: digest } });
  return { receive, pong };
}

test('a digest that matches the changes is returned with the cursor', () => {
  const outputs = begun().receive(RIGHT);
  expect(events(outputs)).toMatchObject([{ type: 'cursor', cursor: 1, digest: RIGHT }]);
});

test('a digest in a pong is returned once', () => {
  const { receive, pong } = begun();
  receive();
  expect(events(pong(RIGHT))).toMatchObject([{ cursor: 1, digest: RIGHT }]);
  expect(events(pong(RIGHT))).toEqual([]);
});

test.each(['changes', 'a pong'])('a digest that differs in %s ends the bucket', (where) => {
  const { receive, pong } = begun();
  if (where === 'a pong') receive();
  const outputs = where === 'changes' ? receive(WRONG) : pong(WRONG);
  expect(events(outputs)).toContainEqual(ended);
  expect(types(outputs)).toContain('done');
});

test.each([
  ['a digest with a prefix', 'a/', WRONG],
  ['a malformed digest', '', { sha256: 'x', since: 0 }],
])('%s is ignored', (_what, prefix, digest) => {
  expect(events(begun(prefix).receive(digest))).toEqual([
    expect.not.objectContaining({ digest: expect.anything() }),
  ]);
});
