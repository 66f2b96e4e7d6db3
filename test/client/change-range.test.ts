import { LogPosition } from '../../client/channel/log-position';
import { parseChangeRange } from '../../client/resources';

const RANGE = { bucket: 'photos', bucket_id: 'b1', from: 1, to: 4, head: 4 };

const put = (cursor: number, commit?: unknown) => ({
  cursor,
  type: 'put',
  object: { key: `k${cursor}` },
  ...(commit !== undefined && { commit }),
});

describe('a range with a commit of several changes', () => {
  test('brings its changes before the next `cursor` event, each with the commit', () => {
    const commit = { from: 2, to: 4 };
    const range = parseChangeRange({ ...RANGE, changes: [2, 3, 4].map((n) => put(n, commit)) });
    const followed = new LogPosition('photos', { cursor: 1, bucketId: 'b1' });

    const { events } = followed.take(range ?? { ...RANGE, changes: [] });

    const seen = events.map((event) =>
      'commit' in event ? [event.type, event.commit] : event.type,
    );
    expect(seen).toEqual([['put', commit], ['put', commit], ['put', commit], 'cursor']);
  });

  test.each([
    ['ends inside the commit', { from: 4, to: 5 }],
    ['has a change outside of its commit', { from: 2, to: 3 }],
    ['has a commit that begins after the change', { from: 5, to: 6 }],
    ['has a commit that is no range', [2, 4]],
    ['has a commit without numbers', { from: '2', to: '4' }],
  ])('is malformed when it %s', (_, commit) => {
    expect(parseChangeRange({ ...RANGE, changes: [put(4)] })).toBeDefined();
    expect(parseChangeRange({ ...RANGE, changes: [put(4, commit)] })).toBeUndefined();
  });
});
