/** The descriptor of an object, checked field by field against the contract. */
import { createHash } from 'node:crypto';
import { isJson } from './responses';

export interface Descriptor {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly version: number;
  readonly cursor: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum_sha256?: string;
  readonly expires_at?: string;
}

/** ISO 8601 UTC with milliseconds. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('base64');
}

const isPositive = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1;
const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTimestamp = (value: unknown) => typeof value === 'string' && TIMESTAMP.test(value);

const FIELDS: Readonly<Record<keyof Descriptor, (value: unknown) => boolean>> = {
  bucket: isText,
  key: isText,
  size: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  etag: (value) => typeof value === 'string' && /^[\x21\x23-\x7e]+$/.test(value),
  version: isPositive,
  cursor: isPositive,
  created_at: isTimestamp,
  updated_at: isTimestamp,
  content_type: isText,
  metadata: (value) =>
    isJson(value) && Object.values(value).every((each) => typeof each === 'string'),
  checksum_sha256: (value) =>
    value === undefined || (typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value)),
  expires_at: (value) => value === undefined || isTimestamp(value),
};

/** The value as a descriptor; fails on a missing, malformed or additional field. */
export function readDescriptor(value: unknown): Descriptor {
  if (!isJson(value)) throw new Error(`not a descriptor: ${JSON.stringify(value)}`);
  const wrong = Object.entries(FIELDS).flatMap(([name, valid]) => (valid(value[name]) ? [] : name));
  const extra = Object.keys(value).filter((name) => !Object.hasOwn(FIELDS, name));
  if (wrong.length + extra.length > 0) {
    const text = JSON.stringify(value);
    throw new Error(`descriptor with wrong [${wrong}] and unknown [${extra}] fields: ${text}`);
  }
  return value as unknown as Descriptor;
}
