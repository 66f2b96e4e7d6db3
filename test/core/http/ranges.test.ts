import fc from 'fast-check';
import { ServiceError } from '../../../core/errors';
import { parseRange } from '../../../core/http/ranges';

test.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=9-9', 10, { start: 9, end: 9 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-30', 10, { start: 0, end: 9 }],
  ['bytes=3-100', 10, { start: 3, end: 9 }],
  ['BYTES=0-1', 10, { start: 0, end: 1 }],
  ['bytes= \t0-1 \t', 10, { start: 0, end: 1 }],
  ['bytes=10-10', 11, { start: 10, end: 10 }],
  ['bytes=-10', 10, { start: 0, end: 9 }],
])('parseRange accepts %s for %i bytes', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range);
});

test.each([
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=5-2',
  'bytes=a-b',
  'bytes=0-1,3-4',
  'items=0-1',
  '0-1',
  'bytes=0-1x',
  'bytes 0-1',
  'x bytes=0-1',
  'bytes=0 -1',
])('parseRange ignores %j, so that the whole object is returned', (header) => {
  expect(parseRange(header, 10)).toBeUndefined();
});

test.each([
  ['bytes=10-', 10],
  ['bytes=10-12', 10],
  ['bytes=-0', 10],
  ['bytes=0-', 0],
  ['bytes=-1', 0],
  ['bytes=99999999999999999999-', 10],
])('parseRange rejects %s for %i bytes with 416 and Content-Range', (header, size) => {
  expect(() => parseRange(header, size)).toThrow(
    expect.objectContaining({
      status: 416,
      details: { size },
      headers: { 'Content-Range': `bytes */${size}` },
    }),
  );
});

test('parseRange returns the requested range, clipped to the object', () => {
  const number = fc.nat({ max: 40 });
  fc.assert(
    fc.property(fc.option(number), fc.option(number), number, (first, last, size) => {
      const bytes = Array.from({ length: size }, (_, i) => i);
      let range: ReturnType<typeof parseRange>;
      try {
        range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        expect(first === null ? last === 0 || size === 0 : first >= size).toBe(true);
        return;
      }
      if (!range) return;
      const expected =
        first === null ? bytes.slice(-(last ?? 0)) : bytes.slice(first, (last ?? size) + 1);
      expect(bytes.slice(range.start, range.end + 1)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(0);
    }),
  );
});
