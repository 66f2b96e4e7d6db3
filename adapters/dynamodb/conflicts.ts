import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationReason,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';

/** With doubling and jitter, about a second in total: a transaction takes milliseconds. */
const ATTEMPTS = 7;
const FIRST_WAIT_MS = 10;

const THROTTLING = ['ThrottlingError', 'ProvisionedThroughputExceeded'];

/** Reasons for a cancelled transaction without a failed condition: repeating it may succeed. */
const CONTENTION = new Set(['TransactionConflict', ...THROTTLING]);

/**
 * Repeats a call that met another transaction in flight on the same item, up to 7 calls in total.
 * The client repeats only throttled and broken calls. Throws every other error to the caller.
 */
export async function pastConflicts<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
    }
    await sleep(Math.random() * FIRST_WAIT_MS * 2 ** attempt);
  }
}

function isConflict(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) return isContended(error);
  return error instanceof TransactionConflictException;
}

/** Reports whether a transaction was cancelled by contention alone. */
export function isContended(error: TransactionCanceledException): boolean {
  const codes = reasonCodes(error);
  return codes.length > 0 && codes.every((code) => CONTENTION.has(code));
}

/** Reports whether DynamoDB throttled a write of a cancelled transaction. */
export function isThrottled(error: TransactionCanceledException): boolean {
  return reasonCodes(error).some((code) => THROTTLING.includes(code));
}

/** One for each write of the transaction, in their order. */
export function reasonsOf(error: TransactionCanceledException): readonly CancellationReason[] {
  return error.CancellationReasons ?? [];
}

/** The codes other than `None` among the reasons of a cancelled transaction. */
export function reasonCodes(error: TransactionCanceledException): string[] {
  return reasonsOf(error).flatMap(({ Code }) =>
    Code === undefined || Code === 'None' ? [] : [Code],
  );
}

/**
 * Which of a cancelled transaction's writes failed their condition, by position; empty for any
 * other error.
 */
export function failedConditions(error: unknown): readonly number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return reasonsOf(error).flatMap(({ Code }, position) =>
    Code === 'ConditionalCheckFailed' ? [position] : [],
  );
}
