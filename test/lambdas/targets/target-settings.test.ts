/** What the function accepts as its targets, and as a task. */
import { parseTargets } from '../../../lambdas/targets/target-settings';
import { parseTask } from '../../../lambdas/targets/target-tasks';

const VALID = { id: 'a', kind: 'bus', address: 'x', buckets: ['a', 'b*'], startFrom: 'now' };

test.each([
  [[]],
  [[VALID, { ...VALID, kind: 'function', timeout: 0.5 }]],
  [[{ ...VALID, kind: 'queue', startFrom: 'oldest', buckets: [] }]],
])('targets are read as they were written: %j', (targets) => {
  expect(parseTargets(JSON.stringify(targets))).toEqual(targets);
});

test.each([
  ['an object', VALID],
  ['null', null],
  ['a null', [VALID, null]],
  ['a text', ['a']],
  ['no id', [{ ...VALID, id: undefined }]],
  ['an id that is no text', [{ ...VALID, id: 1 }]],
  ['an address that is no text', [{ ...VALID, address: 1 }]],
  ['another kind', [{ ...VALID, kind: 'topic' }]],
  ['buckets that are no list', [{ ...VALID, buckets: 'a' }]],
  ['a bucket that is no text', [{ ...VALID, buckets: ['a', 1] }]],
  ['another start', [{ ...VALID, startFrom: 'newest' }]],
  ['a timeout that is a text', [{ ...VALID, timeout: '1' }]],
  ['no time', [{ ...VALID, timeout: 0 }]],
  ['a second target that is wrong', [VALID, { ...VALID, kind: 1 }]],
])('targets are refused with %s', (_name, targets) => {
  expect(() => parseTargets(JSON.stringify(targets))).toThrow('must be a list of targets');
});

const BUCKETS = [{ name: 'photos', id: 'b1' }];

test.each([
  [{ buckets: BUCKETS }, 'the task names no target'],
  [{ target: 1, buckets: BUCKETS }, 'the task names no target'],
  [{ target: 'a' }, 'the task has no list of buckets'],
  [{ target: 'a', buckets: 'photos' }, 'the task has no list of buckets'],
  [{ target: 'a', buckets: [{ name: 'photos' }] }, 'no name or no id'],
  [{ target: 'a', buckets: [{ id: 'b1' }] }, 'no name or no id'],
  [{ target: 'a', buckets: [null] }, 'not an object'],
  [{ target: 'a', buckets: ['photos'] }, 'not an object'],
])('the task %j is incomplete', (fields, reason) => {
  expect(() => parseTask({ task: 'notify', ...fields })).toThrow(reason);
});
