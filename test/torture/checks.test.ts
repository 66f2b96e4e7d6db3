/** Each check of the torture test fails where it has to. */
import { createHash } from 'node:crypto';
import type { ChangeEntry } from '../../core/log/ports';
import type { ObjectRecord } from '../../core/store/objects';
import type { Notification } from '../../core/targets/notifications';
import type { Recorded } from '../linearizability/recorder';
import { Anomalies } from '../simulation/records/anomalies';
import { History } from '../simulation/records/history';
import { checkEffects, checkMirror, checkOperations, checkTarget, checkWatch } from './checks';
import type { Received } from './followers';
import type { Outcomes } from './setting';

const ID = 'bucketbucket';

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** A log: k is put, put again and deleted. */
function world() {
  const anomalies = new Anomalies(() => 0);
  const history = new History(anomalies);
  let previous: ObjectRecord | undefined;
  for (const [index, text] of ['one', 'two', undefined].entries()) {
    const cursor = index + 1;
    const named = { bucket: 'b', key: 'k', version: cursor, cursor };
    const object = (
      text === undefined
        ? { ...named, state: 'deleted' }
        : { ...named, state: 'live', etag: md5(text), metadata: { op: text } }
    ) as ObjectRecord;
    const type = text === undefined ? 'delete' : 'put';
    const entry = { type, bucket: 'b', cursor, at: '', object, ...(previous && { previous }) };
    history.record(ID, entry as ChangeEntry, 0);
    previous = object;
  }
  return {
    anomalies,
    history: history.of(ID),
    found: () => anomalies.found.map(({ check }) => check),
  };
}

const made = { client: 'w', bucket: 'b', key: 'k' } as const;
function put(text: string, cursor: number, call: number): Recorded {
  const seen = { cursor, version: cursor };
  return { ...made, kind: 'put', call, return: call + 1, etag: md5(text), seen };
}
function read(text: string, cursor: number, call: number): Recorded {
  return { ...put(text, cursor, call), kind: 'read' };
}

test.each<[string, readonly Recorded[], readonly string[]]>([
  ['nothing in what was', [put('one', 1, 1), read('one', 1, 3), put('two', 2, 5)], []],
  ['a write that is not in the log', [put('lost', 2, 1)], ['an acknowledged write is never lost']],
  ['a stale read', [put('two', 2, 1), read('one', 1, 3)], ['a read is not stale']],
  [
    'a write before a known one',
    [put('two', 2, 1), put('one', 1, 3)],
    ['a write follows what was known'],
  ],
  ['bytes that nobody wrote', [read('other', 1, 1)], ['a read returns what was written']],
])('the check of operations finds %s', (_what, operations, wanted) => {
  const { history, anomalies, found } = world();
  checkOperations(history, anomalies, operations);
  expect(found()).toEqual(wanted);
});

test('the check of operations finds an object that was not found while it existed', () => {
  const anomalies = new Anomalies(() => 0);
  const history = new History(anomalies);
  const object = { bucket: 'b', key: 'k', version: 1, cursor: 1, state: 'live', etag: md5('one') };
  history.record(ID, { type: 'put', bucket: 'b', cursor: 1, at: '', object } as ChangeEntry, 0);
  const missing: Recorded = { ...made, kind: 'read', call: 3, return: 4, etag: '' };
  checkOperations(history.of(ID), anomalies, [put('one', 1, 1), missing]);
  expect(anomalies.found).toMatchObject([{ check: 'a key that was not found was absent' }]);
});

const nothing: Outcomes = { writes: [], commits: [], downloads: [] };
const write = { operation: 'one', text: 'one', isAcknowledged: true, isRefused: false };

test.each<[string, Partial<Outcomes>, readonly string[]]>([
  ['nothing in what was', { writes: [write] }, []],
  [
    'an effect of a refused write',
    { writes: [{ ...write, isRefused: true, isAcknowledged: false }] },
    ['a write takes effect once'],
  ],
  [
    'a write without effect',
    { writes: [{ ...write, text: 'never' }] },
    ['a write takes effect once'],
  ],
  [
    'two commits in place of one',
    { commits: [{ cursors: [1, 2] }] },
    ['a commit is one range of cursors'],
  ],
  [
    'a change before a conditional commit',
    { commits: [{ cursors: [3], ifCursor: 1 }] },
    ['if_cursor: nothing has changed since'],
  ],
  [
    'bytes of another etag',
    { downloads: [{ etag: md5('one'), bytes: Buffer.from('two') }] },
    ['a download has the bytes of its etag'],
  ],
])('the check of effects finds %s', (_what, some, wanted) => {
  const { history, anomalies, found } = world();
  checkEffects(history, anomalies, { ...nothing, ...some });
  expect(found()).toEqual(wanted);
});

const changes: readonly Received[] = [
  { type: 'put', cursor: 1, key: 'k', version: 1 },
  { type: 'put', cursor: 2, key: 'k', version: 2 },
  { type: 'delete', cursor: 3, key: 'k', version: 3 },
];
const [first, second, third] = changes as [Received, Received, Received];
const end: Received = { type: 'cursor', cursor: 3 };

test.each<[string, readonly Received[], readonly string[]]>([
  ['nothing in what was', [...changes, end], []],
  ['a lost change', [first, third, end], ['watch: reliable']],
  [
    'a change that came twice',
    [first, first, second, third, end],
    ['watch: unique', 'watch: ordered'],
  ],
  ['changes in another order', [second, first, third, end], ['watch: ordered']],
  [
    'a consumer beyond what was read',
    [{ type: 'begin', cursor: 3 }],
    ['a consumer is not ahead of its reader'],
  ],
])('the check of followers finds %s', (_what, received, wanted) => {
  const { history, anomalies, found } = world();
  checkWatch(history, anomalies, { received, prefix: '' });
  expect(found()).toEqual(wanted);
});

test.each<[string, readonly Received[], readonly string[]]>([
  ['nothing in what was', [...changes, end], []],
  [
    'a deletion that is not applied',
    [first, second, end],
    ['a mirror holds the state of its cursor'],
  ],
  [
    'an object that is missing',
    [{ type: 'cursor', cursor: 1 }],
    ['a mirror holds the state of its cursor'],
  ],
])('the check of mirrors finds %s', (_what, received, wanted) => {
  const { history, anomalies, found } = world();
  checkMirror(history, anomalies, { received, prefix: '' });
  expect(found()).toEqual(wanted);
});

test.each<[string, number, readonly number[], readonly string[]]>([
  ['nothing in what was', 0, [1, 2, 3], []],
  ['a change that is missing', 0, [1, 3], ['a target is notified of every change']],
  ['a gap', 1, [2, 3], ['a target is notified without a gap']],
])('the check of targets finds %s', (_what, from, cursors, wanted) => {
  const { history, anomalies, found } = world();
  const notification = {
    ...{ type: 'changes', bucket: 'b', bucket_id: ID, from, to: 3, head: 3 },
    changes: cursors.map((cursor) => ({ cursor })),
  } as unknown as Notification;
  checkTarget(history, anomalies, { notifications: [notification], head: 3 });
  expect(found()).toEqual(wanted);
});

test('the check of targets finds changes that no target received', () => {
  const { history, anomalies, found } = world();
  checkTarget(history, anomalies, { notifications: [], head: 3 });
  expect(found()).toEqual(['a target is notified of every change']);
});
