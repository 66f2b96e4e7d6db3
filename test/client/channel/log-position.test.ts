/** Which changes of a message the client applies. */
import { LogPosition } from '../../../client/channel/log-position';

type ChangeRange = Parameters<LogPosition['take']>[0];

function range(from: number, to: number, bucketId = 'one'): ChangeRange {
  const cursors = Array.from({ length: to - from }, (_, n) => from + 1 + n);
  const changes = cursors.map((cursor) => ({ cursor, type: 'put', object: { cursor } }));
  return { bucket: 'photos', bucket_id: bucketId, from, to, head: to, changes } as never;
}

function follow(cursor: number) {
  const followed = new LogPosition('photos', { cursor, bucketId: 'one' });
  const take = (...message: Parameters<typeof range>) => {
    const { verdict, events } = followed.take(range(...message));
    return [verdict, ...events.map((event) => ('cursor' in event ? event.cursor : event.type))];
  };
  return { followed, take };
}

test('a message that continues is applied, and announces its end', () => {
  expect(follow(2).take(2, 4)).toEqual(['applied', 3, 4, 4]);
});

test.each([
  [0, 4, ['applied', 3, 4, 4]],
  [1, 3, ['applied', 3, 3]],
  [1, 2, ['old']],
  [0, 1, ['old']],
  [3, 4, ['gap']],
  [4, 6, ['gap']],
])('of a message from %i to %i a client at 2 applies what it has not yet', (from, to, expected) => {
  const { followed, take } = follow(2);
  expect(take(from, to)).toEqual(expected);
  expect(followed.cursor).toBe(expected[0] === 'applied' ? to : 2);
});

test('a message of another incarnation is not applied', () => {
  const { followed, take } = follow(2);
  expect(take(2, 4, 'two')).toEqual(['foreign']);
  expect(followed.cursor).toBe(2);
});

test('ranges that come early are applied after those before them, once', () => {
  const { followed, take } = follow(2);
  expect(take(6, 8)).toEqual(['gap']);
  expect(take(4, 6)).toEqual(['gap']);
  expect(take(5, 7)).toEqual(['gap']);
  expect(take(2, 4)).toEqual(['applied', 3, 4, 4, 5, 6, 6, 7, 8, 8]);
  expect(followed.cursor).toBe(8);
  expect(take(4, 6)).toEqual(['old']);
});

test('an early range of another incarnation is not kept', () => {
  const { take } = follow(2);
  expect(take(4, 6, 'two')).toEqual(['foreign']);
  expect(take(2, 4)).toEqual(['applied', 3, 4, 4]);
});

test('of more early ranges than a network reorders, the first 32 are kept', () => {
  const { followed, take } = follow(0);
  for (let from = 40; from >= 1; from--) take(from, from + 1);
  take(0, 1);
  expect(followed.cursor).toBe(1);
  take(1, 9);
  expect(followed.cursor).toBe(41);
});
