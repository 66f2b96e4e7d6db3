import { readRange } from '../../src/services/s3/operations/range';

it.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=3-', 10, { start: 3, end: 9 }],
  ['bytes=-4', 10, { start: 6, end: 9 }],
  ['bytes=0-99999999999999999999', 10, { start: 0, end: 9 }],
  [undefined, 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['items=0-1', 10, undefined],
  ['bytes=a-b', 10, undefined],
])('the range %j of %i bytes is %j', (header, size, range) => {
  expect(readRange(header, size)).toEqual(range);
});

it.each([
  ['bytes=10-', 10],
  ['bytes=-0', 10],
  ['bytes=0-', 0],
  ['bytes=-1', 0],
])('the range %j of %i bytes is not satisfiable', (header, size) => {
  expect(() => readRange(header, size)).toThrow('The requested range is not satisfiable');
});
