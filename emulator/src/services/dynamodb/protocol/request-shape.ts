import { isRecord, type Json } from '../../../values/json';
import { DynamoDbError } from './errors';

function wrongShape(path: string, expected: string): DynamoDbError {
  return new DynamoDbError('SerializationException', `${path} must be ${expected}`);
}

/**
 * Narrows a member of a request. Throws SerializationException, as AWS does for a value of the
 * wrong shape.
 */
export function asObject(value: unknown, path: string): Json {
  if (!isRecord(value)) throw wrongShape(path, 'an object');
  return value;
}

export function asArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongShape(path, 'a list');
  return value;
}

export function asString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw wrongShape(path, 'a string');
  return value;
}

/** Parses the body of a request. Throws SerializationException. */
export function parseJson(body: Buffer): Json {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new DynamoDbError('SerializationException', 'the request is not JSON');
  }
  return asObject(value, 'the request');
}
