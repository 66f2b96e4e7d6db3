import { S3Error } from '../protocol/errors';
import { queryValue, type S3Request } from '../protocol/request';

/** The number after which a page begins; 0 when it is absent. Throws InvalidArgument. */
export function readMarker(request: S3Request, name: string): number {
  const value = queryValue(request, name) || '0';
  if (/^\d{1,10}$/.test(value)) return Number(value);
  throw notAnInteger(name, value);
}

/**
 * The page size that the query asks for, at most 1,000 as in S3. Throws InvalidArgument.
 */
export function readLimit(request: S3Request, name: string): number {
  const value = queryValue(request, name);
  if (value === undefined || value === '') return 1000;
  if (/^\d{1,10}$/.test(value) && Number(value) < 2 ** 31) return Math.min(Number(value), 1000);
  throw notAnInteger(name, value);
}

function notAnInteger(name: string, value: string): S3Error {
  return new S3Error('InvalidArgument', {
    message: `Provided ${name} not an integer or within integer range`,
    details: { ArgumentName: name, ArgumentValue: value },
  });
}

/** Parses a part number, 1 to 10,000. Throws InvalidArgument. */
export function readPartNumber(value: string | undefined): number {
  const number = /^\d{1,5}$/.test(value ?? '') ? Number(value) : 0;
  if (number >= 1 && number <= 10_000) return number;
  throw new S3Error('InvalidArgument', {
    message: 'Part number must be an integer between 1 and 10000, inclusive',
    details: { ArgumentName: 'partNumber', ArgumentValue: value ?? '' },
  });
}
