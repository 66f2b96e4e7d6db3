import { change, liveObject } from '../../support/samples';
import { Anomalies } from '../records/anomalies';
import { History } from '../records/history';
import { Watch } from './watch';

/** A log of four puts; the last two are one commit. */
function openWatch() {
  const anomalies = new Anomalies(() => 0);
  const history = new History(anomalies);
  for (const cursor of [1, 2, 3, 4]) {
    const object = liveObject({ key: `k${cursor}`, version: 1, cursor });
    const entry = {
      type: 'put',
      bucket: 'photos',
      cursor,
      at: change('id', object).at,
      object,
    } as const;
    const commit = cursor > 2 ? { commit: { first: 3, last: 4 } } : {};
    history.record('id', { ...entry, ...commit }, cursor);
  }
  const watch = new Watch(history.of('id'), anomalies, { cursor: 0, prefix: '' });
  const put = (cursor: number) =>
    watch.change({
      ...{ type: 'put', bucket: 'photos', bucketId: 'id', cursor },
      object: { key: `k${cursor}`, version: 1 } as never,
    });
  return { watch, put, found: () => anomalies.found.map(({ check }) => check) };
}

test('a watch finds nothing in all changes in order', () => {
  const { watch, put, found } = openWatch();
  for (const cursor of [1, 2]) put(cursor);
  watch.end({ cursor: 2 });
  for (const cursor of [3, 4]) put(cursor);
  watch.end({ cursor: 4 });
  expect(found()).toEqual([]);
});

test.each<[string, (world: ReturnType<typeof openWatch>) => void]>([
  [
    'watch: ordered',
    ({ put }) => {
      put(2);
      put(1);
    },
  ],
  [
    'watch: unique',
    ({ put }) => {
      put(1);
      put(1);
    },
  ],
  [
    'watch: reliable',
    ({ watch, put }) => {
      put(2);
      watch.end({ cursor: 2 });
    },
  ],
  [
    'watch: atomic',
    ({ watch, put }) => {
      for (const cursor of [1, 2, 3]) put(cursor);
      watch.end({ cursor: 3 });
    },
  ],
  [
    'watch: resumable',
    ({ watch, put }) => {
      put(1);
      watch.end({ cursor: 1 });
      watch.resume();
      watch.end({ cursor: 2 });
    },
  ],
  ['watch: bookmarkable', ({ watch }) => watch.end({ cursor: 5 })],
])('%s is violated', (check, violate) => {
  const world = openWatch();
  violate(world);
  expect(world.found()).toContain(check);
});
