/** The events that invoke the function `targets`. */
import { createTargets } from '../../../lambdas/targets/app';
import { parseTargets } from '../../../lambdas/targets/target-settings';
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
  });
});

test.each([
  [{}],
  [{ task: 'sleep' }],
  [null],
  ['sweep'],
  [{ task: 'notify' }],
  [{ task: 'notify', target: 'a', buckets: [{ name: 'photos' }] }],
])('rejects the event %j', async (event) => {
  const { invoke } = await openTargets(target('all'));
  await expect(invoke(event, context)).rejects.toThrow();
});

test('drops a task for a target of an earlier deployment', async () => {
  const { invoke, bucket, deps } = await openTargets(target('all'));
  await invoke({ task: 'notify', target: 'gone', buckets: [bucket] }, context);
  expect(deps.state.targetCursors.size).toBe(0);
});

test('a task stops when its time is over, and the next sweep continues', async () => {
  const receiver = target('all');
  const { deps, bucket, invoke, sweepAndNotify } = await openTargets(receiver);
  await sweepAndNotify();
  await put(deps, 'a', 'x');
  const short = { getRemainingTimeInMillis: () => 29_000 };
  await invoke({ task: 'notify', target: 'all', buckets: [bucket] }, short);
  expect(receiver.accepted).toEqual([]);
  await sweepAndNotify();
  expect(cursorsOf(receiver)).toEqual([1]);
});

test.each([
  ['{}'],
  ['[{}]'],
  ['[{"id":"a","kind":"topic","address":"x","buckets":[],"startFrom":"now"}]'],
])('parseTargets rejects the variable %j at cold start', (text) => {
  expect(() => parseTargets(text)).toThrow(/CHANGE_TARGETS must be a list of targets/);
});
