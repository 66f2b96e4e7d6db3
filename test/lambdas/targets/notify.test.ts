import { publishChanges } from '../../../core/log/feed';
import { trimBucket } from '../../../core/log/trim';
import { createBucket, deleteBucket } from '../../../core/objects/buckets';
import type { Notification } from '../../../core/targets/notifications';
import type { Target } from '../../../core/targets/ports';
import { createTargets } from '../../../lambdas/targets/app';
import { parseTargets } from '../../../lambdas/targets/target-settings';
import { DAY, openBucket, put, remove, type World } from '../../support/bucket-world';

const MINUTE = 60_000;
const context = { getRemainingTimeInMillis: () => 300_000 };

interface Told extends Target {
  readonly messages: Notification[];
  /** What is thrown at the next calls. */
  readonly failures: Error[];
}

function target(id: string, more: Partial<Target> = {}): Told {
  const messages: Notification[] = [];
  const failures: Error[] = [];
  return {
    id,
    buckets: ['*'],
    startFrom: 'now',
    maxBatchSize: 100,
    timeoutMs: 10_000,
    messages,
    failures,
    send: async (sent) => {
      const failure = failures.shift();
      if (failure) throw failure;
      messages.push(...sent);
      return sent.length;
    },
    ...more,
  };
}

async function openWorld(...targets: readonly Told[]) {
  const { deps, bucket } = await openBucket();
  const deliver = createTargets({ ...deps, targets });
  const look = () => deliver({ task: 'look' }, context);
  /** Until no errand is left. */
  const errands = async () => {
    for (let next = deps.state.targetTasks.shift(); next; next = deps.state.targetTasks.shift()) {
      await deliver({ errand: next }, context);
    }
  };
  const record = (name: string, id: string, sequence = '1') => ({
    dynamodb: { SequenceNumber: sequence, NewImage: { bucket: { S: name }, bucket_id: { S: id } } },
  });
  const wake = async (...records: readonly object[]) => {
    const answer = await deliver({ Records: records }, context);
    await errands();
    return answer;
  };
  const round = async () => {
    await look();
    await errands();
  };
  return { deps, bucket, deliver, wake, record, round, look, errands };
}

const eventsOf = ({ log }: World, name: string) =>
  log.lines.filter(({ event }) => event === name).map(({ fields }) => fields);

const cursorsOf = ({ messages }: Told) =>
  messages.flatMap((one) => (one.type === 'changes' ? one.changes.map((each) => each.cursor) : []));

describe('a batch of the stream', () => {
  test('is an errand for each target that follows one of its buckets, and nothing is repeated for what is no change', async () => {
    const [all, some, none] = [
      target('all'),
      target('some', { buckets: ['pho*'] }),
      target('none', { buckets: ['photo'] }),
    ];
    const { deliver, deps, record } = await openWorld(all, some, none);
    const records = [
      record('photos', 'b1'),
      record('photos', 'b1'),
      record('films', 'b2'),
      { dynamodb: { Keys: {} } },
      {},
    ];
    expect(await deliver({ Records: records }, context)).toEqual({ batchItemFailures: [] });
    expect(deps.state.targetTasks).toEqual([
      {
        target: 'all',
        buckets: [
          { name: 'photos', id: 'b1' },
          { name: 'films', id: 'b2' },
        ],
      },
      { target: 'some', buckets: [{ name: 'photos', id: 'b1' }] },
    ]);
  });

  test('is repeated when an errand could not be sent', async () => {
    const { deps, bucket } = await openBucket();
    const targetTasks = { send: () => Promise.reject(new Error('throttled')) };
    const deliver = createTargets({ ...deps, targetTasks, targets: [target('all')] });
    const image = { bucket: { S: bucket.name }, bucket_id: { S: bucket.id } };
    const records = ['7', '8'].map((SequenceNumber) => ({
      dynamodb: { SequenceNumber, NewImage: image },
    }));
    const answer = await deliver({ Records: records }, context);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
  });
});

test.each([
  [{}],
  [{ task: 'sleep' }],
  [null],
  ['look'],
  [{ errand: {} }],
  [{ errand: { target: 'a', buckets: [{ name: 'photos' }] } }],
])('the event %j is none of its own', async (event) => {
  const { deliver } = await openWorld(target('all'));
  await expect(deliver(event, context)).rejects.toThrow();
});

test('an errand for a target of an earlier deployment is dropped', async () => {
  const { deliver, bucket, deps } = await openWorld(target('all'));
  await deliver({ errand: { target: 'gone', buckets: [bucket] } }, context);
  expect(deps.state.targetCursors.size).toBe(0);
});

describe('a target is told', () => {
  test('of each change in the words of the channel', async () => {
    const told = target('all');
    const { deps, bucket, wake, record } = await openWorld(told);
    const object = await put(deps, 'a', 'x', { tag: 'y' });
    await remove(deps, 'a');
    await wake(record(bucket.name, bucket.id));
    expect(told.messages).toEqual([
      {
        type: 'changes',
        bucket: 'photos',
        bucket_id: bucket.id,
        from: 0,
        to: 2,
        head: 2,
        changes: [
          {
            cursor: 1,
            type: 'put',
            object: expect.objectContaining({
              key: 'a',
              size: 1,
              metadata: { tag: 'y' },
              etag: object.state === 'live' && object.etag,
            }),
          },
          { cursor: 2, type: 'delete', object: expect.objectContaining({ key: 'a', version: 2 }) },
        ],
      },
    ]);
  });

  test('of many changes in ranges that join', async () => {
    const told = target('all');
    const { deps, bucket, wake, record } = await openWorld(told);
    for (let n = 0; n < 250; n++) await put(deps, `k${n}`, 'x');
    await wake(record(bucket.name, bucket.id));
    expect(told.messages.map(({ from, to }) => [from, to])).toEqual([
      [0, 100],
      [100, 200],
      [200, 250],
    ]);
  });

  test('of a number that nobody used, so that it need not wonder', async () => {
    const told = target('all', { maxBatchSize: 1 });
    const { deps, bucket, wake, record } = await openWorld(told);
    await put(deps, 'a', 'x');
    await deps.buckets.allocate(bucket);
    await put(deps, 'b', 'x');
    // A writer may still be in flight.
    await wake(record(bucket.name, bucket.id));
    expect(told.messages.map(({ to }) => to)).toEqual([1]);
    deps.clock.advance(MINUTE);
    await wake(record(bucket.name, bucket.id));
    expect(
      told.messages.map((one) => [one.from, one.to, 'changes' in one && one.changes.length]),
    ).toEqual([
      [0, 1, 1],
      [1, 2, 0],
      [2, 3, 1],
    ]);
  });

  test('of what a deleted bucket left, and of the bucket made again under its name', async () => {
    const told = target('all');
    const { deps, bucket, round } = await openWorld(told);
    await round();
    await put(deps, 'a', 'x');
    await remove(deps, 'a');
    await deleteBucket(deps, bucket);
    const again = await createBucket(deps, bucket.name);
    await put(deps, 'b', 'x');
    await round();
    expect(told.messages.map(({ bucket_id, to }) => [bucket_id, to]).sort()).toEqual(
      [
        [bucket.id, 2],
        [again?.id, 1],
      ].sort(),
    );
  });

  test('that changes are lost, when they were trimmed before it took them', async () => {
    const told = target('all');
    const { deps, bucket, round } = await openWorld(told);
    await round();
    for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
    deps.clock.advance(8 * DAY);
    await put(deps, 'd', 'x');
    const feed = await publishChanges(deps, bucket.name);
    if (feed) await trimBucket(deps, bucket, feed.stats, { entries: 100 });
    await round();
    expect(told.messages[0]).toEqual({
      type: 'reset',
      reason: 'cursor_expired',
      bucket: 'photos',
      bucket_id: bucket.id,
      from: 0,
      to: 3,
      oldest: 4,
      head: 4,
    });
    expect(cursorsOf(told)).toEqual([4]);
    expect(eventsOf(deps, 'delivery_expired')).toMatchObject([
      { target: 'all', from: 0, oldest: 4 },
    ]);
  });
});

describe('a target that is new', () => {
  test.each([
    ['now', [4, 5]],
    ['oldest', [1, 2, 3, 4, 5]],
  ] as const)('begins at %s', async (startFrom, cursors) => {
    const told = target('new', { startFrom });
    const { deps, bucket, wake, record } = await openWorld(told);
    for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
    deps.clock.advance(60 * MINUTE);
    // Just before it was seen first: the deployment may have ended by then.
    await put(deps, 'd', 'x');
    deps.clock.advance(MINUTE);
    await put(deps, 'e', 'x');
    await wake(record(bucket.name, bucket.id));
    expect(cursorsOf(told)).toEqual(cursors);
  });

  test('is told of a bucket that is made later from its first change on', async () => {
    const told = target('new');
    const { deps, wake, record, round } = await openWorld(told);
    await round();
    deps.clock.advance(60 * MINUTE);
    const films = await createBucket(deps, 'films');
    if (!films) throw new Error('no bucket');
    await deps.buckets.allocate({ name: 'films', id: films.id });
    deps.clock.advance(60 * MINUTE);
    await publishChanges(deps, 'films', { force: true });
    await wake(record('films', films.id));
    expect(told.messages.map(({ bucket, from, to }) => [bucket, from, to])).toEqual([
      ['films', 0, 1],
    ]);
  });
});

describe('a target that fails', () => {
  test('is told again, holds up no other, and is told less at a time', async () => {
    const [bad, good] = [target('bad'), target('good')];
    bad.failures.push(...Array.from({ length: 4 }, () => new Error('down')));
    const { deps, bucket, wake, record, round } = await openWorld(bad, good);
    for (let n = 0; n < 20; n++) await put(deps, `k${n}`, 'x');
    await wake(record(bucket.name, bucket.id));
    expect(cursorsOf(good)).toHaveLength(20);
    expect(cursorsOf(bad)).toEqual([]);
    // It rests, whoever is woken.
    await wake(record(bucket.name, bucket.id));
    expect(bad.failures).toHaveLength(1);
    deps.clock.advance(MINUTE);
    await round();
    expect(bad.failures).toHaveLength(0);
    deps.clock.advance(MINUTE);
    await round();
    expect(bad.messages.map(({ from, to }) => [from, to])).toEqual([
      [0, 6],
      [6, 20],
    ]);
    expect(eventsOf(deps, 'delivery_failed')).toHaveLength(4);
  });

  test('is told of everything before the change that it cannot take, and of nothing behind', async () => {
    const told = target('picky');
    const send = told.send;
    const picky: Told = {
      ...told,
      send: async (messages) => {
        const bad = messages.some(
          (one) => one.type === 'changes' && one.changes.some(({ cursor }) => cursor === 12),
        );
        if (bad) throw new Error('poison');
        return send(messages);
      },
    };
    const { deps, bucket, round, wake, record } = await openWorld(picky);
    for (let n = 0; n < 20; n++) await put(deps, `k${n}`, 'x');
    await wake(record(bucket.name, bucket.id));
    for (let n = 0; n < 30; n++) {
      deps.clock.advance(MINUTE);
      await round();
    }
    expect(cursorsOf(told)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const late = eventsOf(deps, 'delivery_late').at(-1);
    expect(late).toMatchObject({ target: 'picky', bucket: 'photos', from: 11, behind: 9 });
    expect(Number(late?.seconds)).toBeGreaterThan(25 * 60);
  });
});

describe('a round', () => {
  test('sends an errand for what is behind, and for nothing else', async () => {
    const told = target('all');
    const { deps, bucket, look, errands } = await openWorld(told);
    await look();
    await put(deps, 'a', 'x');
    await look();
    expect(deps.state.targetTasks).toEqual([
      { target: 'all', buckets: [{ name: 'photos', id: bucket.id }] },
    ]);
    await errands();
    await look();
    expect(deps.state.targetTasks).toEqual([]);
  });

  test('forgets the position in a bucket whose log is gone', async () => {
    const told = target('all');
    const { deps, bucket, round } = await openWorld(told);
    deps.clock.advance(MINUTE);
    await round();
    await deleteBucket(deps, bucket);
    await round();
    expect([...deps.state.targetCursorsOf('all').keys()]).toEqual([bucket.id]);
    await deps.buckets.purge(bucket.id);
    await round();
    expect(deps.state.targetCursorsOf('all').size).toBe(0);
  });

  test('says so when a position is ahead of its bucket, and goes on with the others', async () => {
    const told = target('all');
    const { deps, bucket, look, errands } = await openWorld(told);
    await look();
    deps.state.targetCursorsOf('all').set(bucket.id, { bucket, cursor: 9, failures: 0 });
    const zoo = await createBucket(deps, 'zoo');
    await deps.buckets.allocate({ name: 'zoo', id: zoo?.id ?? '' });
    await expect(look()).rejects.toThrow('failed for all');
    expect(eventsOf(deps, 'round_failed')).toMatchObject([{ target: 'all', bucket: 'photos' }]);
    expect(deps.state.targetTasks).toHaveLength(1);
    await errands();
  });
});

test('an instance whose time is over stops, and the next round goes on', async () => {
  const told = target('all');
  const { deps, bucket, deliver, round } = await openWorld(told);
  await round();
  await put(deps, 'a', 'x');
  const short = { getRemainingTimeInMillis: () => 29_000 };
  await deliver({ errand: { target: 'all', buckets: [bucket] } }, short);
  expect(told.messages).toEqual([]);
  await round();
  expect(cursorsOf(told)).toEqual([1]);
});

test.each([
  ['{}'],
  ['[{}]'],
  ['[{"id":"a","kind":"topic","address":"x","buckets":[],"startFrom":"now"}]'],
])('the variable %j is refused at cold start', (text) => {
  expect(() => parseTargets(text)).toThrow(/CHANGE_TARGETS must be a list of targets/);
});
