/** The events that invoke the function `targets`. */
import { createTargets } from '../../../lambdas/targets/app';
import { openBucket, put } from '../../support/bucket-world';
import { context, cursorsOf, openTargets, target } from './targets-world';

describe('a batch of the Changes stream', () => {
  test('leads to one task for each target that follows one of its buckets', async () => {
    const [all, some, none] = [
      target('all'),
      target('some', { buckets: ['pho*'] }),
      target('none', { buckets: ['photo'] }),
    ];
    const { invoke, deps, record } = await openTargets(all, some, none);
    const records = [
      record('photos', 'b1'),
      record('photos', 'b1'),
      record('films', 'b2'),
      { dynamodb: { Keys: {} } },
      {},
    ];
    expect(await invoke({ Records: records }, context)).toEqual({ batchItemFailures: [] });
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

  test('is repeated when a task cannot be sent', async () => {
    const { deps, bucket } = await openBucket();
    const targetTasks = { send: () => Promise.reject(new Error('throttled')) };
    const invoke = createTargets({ ...deps, targetTasks, targets: [target('all')] });
    const image = { bucket: { S: bucket.name }, bucket_id: { S: bucket.id } };
    const records = ['7', '8'].map((SequenceNumber) => ({
      dynamodb: { SequenceNumber, NewImage: image },
    }));
    const response = await invoke({ Records: records }, context);
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
    expect(deps.log.lines).toEqual([
      {
        ...{ level: 'error', event: 'target_tasks_not_sent' },
        fields: { error: new Error('throttled') },
      },
    ]);
    const unnumbered = await invoke({ Records: [{ dynamodb: { NewImage: image } }] }, context);
    expect(unnumbered).toEqual({ batchItemFailures: [{ itemIdentifier: '' }] });
  });

  test('leads to no task when no record names a bucket', async () => {
    const { invoke, deps } = await openTargets(target('all'));
    const records = [{ bucket: { S: 'photos' } }, { bucket_id: { S: 'b1' } }].map((NewImage) => ({
      dynamodb: { SequenceNumber: '7', NewImage },
    }));
    for (const Records of [records, []]) {
      expect(await invoke({ Records }, context)).toEqual({ batchItemFailures: [] });
    }
    expect(deps.state.targetTasks).toEqual([]);
  });
});

test.each([
  [{}],
  [{ task: 'sleep' }],
  [{ Records: 'all' }],
  [null],
  ['sweep'],
  [{ task: 'notify' }],
  [{ task: 'notify', target: 'a', buckets: [{ name: 'photos' }] }],
])('rejects the event %j', async (event) => {
  const { invoke } = await openTargets(target('all'));
  await expect(invoke(event, context)).rejects.toThrow(
    /the event is neither|the task names no target|a bucket of the task has no name/,
  );
});

test('drops a task for a target of an earlier deployment', async () => {
  const { invoke, bucket, deps } = await openTargets(target('all'));
  await invoke({ task: 'notify', target: 'gone', buckets: [bucket] }, context);
  expect(deps.state.targetCursors.size).toBe(0);
});

test('a task is no sweep', async () => {
  const { invoke, deps, bucket } = await openTargets(target('all'));
  await put(deps, 'a', 'x');
  const task = { task: 'notify', target: 'all', buckets: [bucket] };
  expect(await invoke(task, context)).toBeUndefined();
  expect(deps.state.targetTasks).toEqual([]);
});

describe('the time of the function', () => {
  const left = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds });

  test.each([
    [30_000, [1]],
    [29_999, []],
  ])('a task with %j ms left sends the changes %j, and a sweep the rest', async (time, sent) => {
    const receiver = target('all');
    const { deps, bucket, invoke, sweepAndNotify } = await openTargets(receiver);
    await sweepAndNotify();
    await put(deps, 'a', 'x');
    await invoke({ task: 'notify', target: 'all', buckets: [bucket] }, left(time));
    expect(cursorsOf(receiver)).toEqual(sent);
    await sweepAndNotify();
    expect(cursorsOf(receiver)).toEqual([1]);
  });

  test.each([
    [20_000, 1],
    [19_999, 0],
  ])('a sweep with %j ms left sends %j tasks', async (time, tasks) => {
    const { deps, invoke, sweep } = await openTargets(target('all'));
    await sweep();
    await put(deps, 'a', 'x');
    expect(await invoke({ task: 'sweep' }, left(time))).toBeUndefined();
    expect(deps.state.targetTasks).toHaveLength(tasks);
  });
});

test('an instance registers a target once, in whatever tasks it gets', async () => {
  const { deps, bucket } = await openBucket();
  const register = deps.targetCursors.register.bind(deps.targetCursors);
  let registered = 0;
  const targetCursors = Object.assign(Object.create(deps.targetCursors), {
    register: (id: string, now: number) => {
      registered += 1;
      return register(id, now);
    },
  });
  const invoke = createTargets({ ...deps, targetCursors, targets: [target('all')] });
  const task = { task: 'notify', target: 'all', buckets: [bucket] };
  for (let n = 0; n < 3; n++) await invoke(task, context);
  expect(registered).toBe(1);
});
