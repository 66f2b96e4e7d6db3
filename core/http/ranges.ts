/**
 * Byte ranges: RFC 9110 §14. One range per request; a list of several is ignored, as §14.2 allows.
 */
import { ServiceError } from '../errors';
import type { ByteRange } from '../store/blobs';

const ONE_RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * Parses a Range header. Returns undefined when the whole object is to be returned (no Range,
 * another unit, several ranges, or malformed: §14.2). Throws range_not_satisfiable with
 * Content-Range when the range lies outside of the object.
 */
export function parseRange(value: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = ONE_RANGE.exec(value ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(size);
  return { start, end };
}

function suffix(length: number, size: number): ByteRange {
  if (length === 0 || size === 0) throw unsatisfiable(size);
  return { start: Math.max(0, size - length), end: size - 1 };
}

function unsatisfiable(size: number): ServiceError {
  return new ServiceError('range_not_satisfiable', {
    details: { size },
    headers: { 'Content-Range': `bytes */${size}` },
  });
}
