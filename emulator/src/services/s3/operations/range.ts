/**
 * A byte range of RFC 9110, 14.2. Like S3, returns the whole object for several ranges and for a
 * malformed range.
 */
import { S3Error } from '../protocol/errors';

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/**
 * undefined: the whole object. Throws InvalidRange when the range begins after the object's end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(header, size);
    return { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(header, size);
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

function unsatisfiable(header: string | undefined, size: number): S3Error {
  return new S3Error('InvalidRange', {
    headers: { 'content-range': `bytes */${size}` },
    details: { RangeRequested: header ?? '', ActualObjectSize: String(size) },
  });
}
