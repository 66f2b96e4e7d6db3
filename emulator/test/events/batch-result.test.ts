import { countSucceeded, failedItems } from '../../src/services/events/batch-result';
import type { InvokeResult } from '../../src/services/lambda/invoker';
import { record } from './memory-stream';
import { FAILURE, failing } from './stream-triggers';

describe('countSucceeded', () => {
  const records = [record(8), record(9), record(10)];
  test.each<[string, InvokeResult, number]>([
    ['null', { payload: 'null' }, 3],
    ['an empty object', { payload: '{}' }, 3],
    ['null as list', { payload: '{"batchItemFailures":null}' }, 3],
    ['no failures', failing(), 3],
    ['the first', failing('8'), 0],
    ['the last', failing('10'), 2],
    ['several, the lowest counts as a number', failing('10', '9'), 1],
    ['an unknown record', failing('77'), 0],
    ['an empty identifier', failing('9', ''), 0],
    ['null as identifier', failing(null), 0],
    ['a misspelt identifier', { payload: '{"batchItemFailures":[{"id":"9"}]}' }, 0],
    ['failures that are not a list', { payload: '{"batchItemFailures":"9"}' }, 0],
    ['a text', { payload: '"fine"' }, 0],
    ['an error', FAILURE, 0],
  ])(
    'counts the records of a batch before the lowest failure when the function returns %s',
    (_, result, expected) => {
      expect(countSucceeded(records, result, true)).toBe(expected);
    },
  );

  test('ignores reported failures when the mapping does not use them', () => {
    expect(countSucceeded(records, failing('9'), false)).toBe(3);
    expect(countSucceeded(records, FAILURE, false)).toBe(0);
  });
});

describe('failedItems', () => {
  const all = ['a', 'b'];
  test.each<[string, InvokeResult, readonly string[]]>([
    ['null', { payload: 'null' }, []],
    ['an empty object', { payload: '{}' }, []],
    ['no failures', failing(), []],
    ['one', failing('b'), ['b']],
    ['one twice', failing('b', 'b'), ['b']],
    ['an unknown message', failing('c'), all],
    ['an empty identifier', failing('a', ''), all],
    ['a text', { payload: '"fine"' }, all],
    ['an error', FAILURE, all],
  ])(
    'returns the failed messages of a batch when the function returns %s',
    (_, result, expected) => {
      expect([...failedItems(all, result, true)]).toEqual(expected);
    },
  );
});
