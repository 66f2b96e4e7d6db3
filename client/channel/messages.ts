/** The messages of the server on a channel, checked field by field: the network is not trusted. */
import { isErrorCode, StowageError } from '../errors';
import {
  type ChangeRange,
  isCursor,
  isRecord,
  type LogDigest,
  parseChangeRange,
  parseDigest,
} from '../resources';
import type { ResetReason } from './events';

export type ServerMessage =
  | {
      readonly type: 'subscribed';
      readonly bucket: string;
      readonly bucketId: string;
      readonly cursor: number;
      readonly head: number;
    }
  /** `more`: the server stopped before the head; the client asks for the rest. */
  | { readonly type: 'changes'; readonly range: ChangeRange; readonly more: boolean }
  | {
      readonly type: 'reset';
      readonly bucket: string;
      readonly reason: ResetReason;
      readonly oldest: number;
      readonly head: number;
    }
  | {
      readonly type: 'pong';
      readonly heads: ReadonlyMap<string, number>;
      /** The digests of the logs up to these heads. */
      readonly digests: ReadonlyMap<string, LogDigest>;
    }
  /** `id`: the id of the client's message that failed, if it had one. */
  | {
      readonly type: 'error';
      readonly id?: string;
      readonly bucket?: string;
      readonly error: StowageError;
    }
  | {
      readonly type: 'goodbye';
      readonly code: number;
      readonly reason: string;
      /** Milliseconds since the epoch. */
      readonly reconnectBefore?: number;
    };

/** Returns undefined for an unknown or malformed message, such as a frame of API Gateway itself. */
export function parseServerMessage(text: string): ServerMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  switch (value.type) {
    case 'subscribed':
      return parseSubscribed(value);
    case 'changes': {
      const range = parseChangeRange(value);
      return range && { type: 'changes', range, more: value.more === true };
    }
    case 'reset':
      return parseReset(value);
    case 'pong':
      return parsePong(value);
    case 'error':
      return parseError(value);
    case 'goodbye':
      return parseGoodbye(value);
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseSubscribed(message: Fields): ServerMessage | undefined {
  const { bucket, bucket_id: bucketId, cursor, head } = message;
  if (typeof bucket !== 'string' || typeof bucketId !== 'string') return undefined;
  if (!isCursor(cursor) || !isCursor(head)) return undefined;
  return { type: 'subscribed', bucket, bucketId, cursor, head };
}

function parseReset(message: Fields): ServerMessage | undefined {
  const { bucket, reason, oldest, head } = message;
  if (reason !== 'cursor_expired' && reason !== 'bucket_replaced') return undefined;
  if (typeof bucket !== 'string' || !isCursor(oldest) || !isCursor(head)) return undefined;
  return { type: 'reset', bucket, reason, oldest, head };
}

function parsePong({ heads, digests }: Fields): ServerMessage | undefined {
  if (!isRecord(heads)) return undefined;
  return {
    type: 'pong',
    heads: valuesOf(heads, (head) => (isCursor(head) ? head : undefined)),
    digests: valuesOf(isRecord(digests) ? digests : {}, parseDigest),
  };
}

/** Parses the values by bucket, and drops malformed ones. */
function valuesOf<T>(
  values: Fields,
  parse: (value: unknown) => T | undefined,
): ReadonlyMap<string, T> {
  const parsed = Object.entries(values).map(([bucket, value]) => [bucket, parse(value)] as const);
  return new Map(parsed.filter((entry): entry is [string, T] => entry[1] !== undefined));
}

function parseError(message: Fields): ServerMessage | undefined {
  const { id, bucket, error } = message;
  if (!isRecord(error) || !isErrorCode(error.code)) return undefined;
  const details = isRecord(error.details) ? error.details : {};
  const retryAfter = details.retry_after;
  const text = typeof error.message === 'string' ? error.message : error.code;
  return {
    type: 'error',
    ...(typeof id === 'string' && { id }),
    ...(typeof bucket === 'string' && { bucket }),
    error: new StowageError(error.code, text, {
      details,
      ...(typeof error.request_id === 'string' && { requestId: error.request_id }),
      ...(typeof retryAfter === 'number' && retryAfter >= 0 && { retryAfter }),
    }),
  };
}

function parseGoodbye(message: Fields): ServerMessage | undefined {
  const { code, reason, reconnect_before: before } = message;
  if (typeof code !== 'number') return undefined;
  const reconnectBefore = typeof before === 'string' ? Date.parse(before) : Number.NaN;
  return {
    type: 'goodbye',
    code,
    reason: typeof reason === 'string' ? reason : '',
    ...(Number.isFinite(reconnectBefore) && { reconnectBefore }),
  };
}
