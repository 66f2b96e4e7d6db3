/** Every field of the server's messages on a channel. */
import {
  changesMessages,
  errorMessage,
  goodbyeMessage,
  pongMessage,
  resetMessage,
  serializeChanges,
  subscribedMessage,
  unsubscribedMessage,
} from '../../../core/channel/messages';
import { invalid, ServiceError } from '../../../core/errors';
import { changeView } from '../../../core/log/change-view';
import type { ChangeEntry, OwnEntry } from '../../../core/log/ports';
import { deletedView, descriptorOf } from '../../../core/views';
import { AT, liveObject, tombstone } from '../../support/samples';

const BUCKET = { name: 'photos', id: 'b00000000001' };
const DIGEST = { sha256: 'x', since: 0 };

const live = liveObject({ key: 'a/1', cursor: 1 });
const gone = tombstone({ key: 'b/2', cursor: 2 });
const PUT: OwnEntry = { type: 'put', bucket: 'photos', cursor: 1, at: AT, object: live };
const commit = { first: 2, last: 3 };
const DELETE: OwnEntry = { ...PUT, type: 'delete', cursor: 2, object: gone, commit };
const NOOP: ChangeEntry = { type: 'noop', bucket: 'photos', cursor: 4, at: AT };

describe('a change', () => {
  test('has the descriptor of its object, or of what was deleted, and its commit', () => {
    expect(changeView(PUT)).toEqual({ cursor: 1, type: 'put', object: descriptorOf(live) });
    const deleted = { cursor: 2, type: 'delete', object: deletedView(gone) };
    expect(changeView(DELETE)).toEqual({ ...deleted, commit: { from: 2, to: 3 } });
    const expired = { ...DELETE, object: { ...gone, cause: 'expired' as const } };
    expect(changeView(expired)).toMatchObject({ ...deleted, cause: 'expired' });
  });
});

describe('messages of changes', () => {
  const changes = serializeChanges([PUT, DELETE, NOOP]);
  const run = { from: 0, to: 4, changes };
  const messages = (...[given, options]: [object, Parameters<typeof changesMessages>[2]]) =>
    [...changesMessages(BUCKET, { ...run, ...given }, options)].map((text) => JSON.parse(text));
  const whole = { type: 'changes', bucket: 'photos', bucket_id: BUCKET.id, from: 0, to: 4 };
  const views = [changeView(PUT), changeView(DELETE)].map((view) =>
    JSON.parse(JSON.stringify(view)),
  );

  test('have a range, the head and the digest at the end of the range', () => {
    expect(messages({ digest: DIGEST }, { prefix: '', head: 9 })).toEqual([
      { ...whole, head: 9, digest: DIGEST, changes: views },
    ]);
    expect(messages({}, { prefix: '', head: 2, more: true })).toEqual([
      { ...whole, head: 4, more: true, changes: views },
    ]);
  });

  test('have the prefix and no digest when a prefix hides changes', () => {
    expect(messages({ digest: DIGEST }, { prefix: 'b/', head: 4 })).toEqual([
      { ...whole, prefix: 'b/', head: 4, changes: [views[1]] },
    ]);
    expect(messages({}, { prefix: 'none/', head: 4 })).toEqual([
      { ...whole, prefix: 'none/', head: 4, changes: [] },
    ]);
  });

  /** Changes of 10 KiB each, three of which fit into a message. */
  const large = Array.from({ length: 7 }, (_, n) => {
    const object = liveObject({ key: `k${n}`, cursor: n + 1, metadata: { x: 'x'.repeat(9900) } });
    return { ...PUT, cursor: n + 1, object };
  });
  const long = { from: 0, to: 7, digest: DIGEST, changes: serializeChanges(large) };
  const ranges = (options: object) =>
    messages(long, { prefix: '', head: 7, ...options }).map(({ from, to, more, digest }) => ({
      ...{ range: [from, to], more, digest },
    }));

  test('are cut where the next change does not fit, and the last one has the digest', () => {
    expect(ranges({ more: true })).toEqual([
      { range: [0, 3] },
      { range: [3, 6] },
      { range: [6, 7], more: true, digest: DIGEST },
    ]);
  });
});

test('each other message has its documented fields', () => {
  const parsed = (text: string) => JSON.parse(text);
  expect(parsed(subscribedMessage(BUCKET, 3, 4))).toEqual({
    ...{ type: 'subscribed', bucket: 'photos', bucket_id: BUCKET.id, cursor: 3, head: 4 },
  });
  expect(parsed(unsubscribedMessage('photos'))).toEqual({ type: 'unsubscribed', bucket: 'photos' });
  const expiry = { reason: 'cursor_expired', oldest: 3, head: 9 } as const;
  expect(parsed(resetMessage('photos', expiry))).toEqual({
    ...{ type: 'reset', bucket: 'photos', ...expiry },
  });
  const heads = new Map([['photos', 3]]);
  expect(parsed(pongMessage(heads, new Map()))).toEqual({ type: 'pong', heads: { photos: 3 } });
  expect(parsed(pongMessage(heads, new Map([['photos', DIGEST]])))).toEqual({
    ...{ type: 'pong', heads: { photos: 3 }, digests: { photos: DIGEST } },
  });
  expect(parsed(goodbyeMessage(4401, 'revoked'))).toEqual({
    ...{ type: 'goodbye', code: 4401, reason: 'revoked' },
  });
  expect(parsed(goodbyeMessage(1001, 'end', Date.parse(AT)))).toMatchObject({
    reconnect_before: AT,
  });
});

test('an error message has the code, the details, and the id and bucket if they are known', () => {
  const error = invalid('cursor', 'must be 1');
  const { code, message, details } = error;
  expect(JSON.parse(errorMessage(error, {}))).toEqual({
    ...{ type: 'error', error: { code, message, details } },
  });
  const plain = new ServiceError('internal');
  expect(JSON.parse(errorMessage(plain, { id: '7', bucket: 'photos' }))).toEqual({
    ...{ type: 'error', id: '7', bucket: 'photos' },
    error: { code: 'internal', message: plain.message },
  });
});
