import { Token } from 'aws-cdk-lib';

/**
 * Concurrent executions of the account that are reserved for single functions. A reserved execution
 * is available to no other function, and a function with a reservation gets no more than it has.
 */
export interface ReservedConcurrency {
  /** Checks API keys. Without an execution for it, only keys in the gateway's cache are served. */
  readonly authorizer?: number;
  /** Administers API keys, so also revokes them. */
  readonly admin?: number;
  /** Makes the change of a key take effect in every other function. */
  readonly revocation?: number;
  /** Serves pages of changes. Must be above `maxWaiting`: a page needs an execution too. */
  readonly changes?: number;
}

/** Options that divide the concurrent executions of the account. */
export interface ConcurrencyOptions {
  /**
   * Requests of all API keys together that may wait for a change at the same time. The service
   * answers a further one at once. Each occupies one of the account's concurrent executions. At
   * most 100: one DynamoDB item counts them, and each begin and end is billed for the whole item.
   *
   * @default 50
   */
  readonly maxWaiting?: number;

  /**
   * Reserves concurrent executions of the account, so that other functions of the account cannot
   * use them up. AWS refuses to reserve the last 100 of an account, so an account with a quota of
   * 10 cannot reserve any.
   *
   * @default - none is reserved
   */
  readonly reservedConcurrency?: ReservedConcurrency;
}

/** A twentieth of the quota that docs/deploy.md recommends. */
export const DEFAULT_MAX_WAITING = 50;

/** One item holds a slot of about 38 bytes for each: 4 KB, so four write units per change. */
const MAX_MAX_WAITING = 100;

/** Throws an Error that names the prop, the value and what to write instead. */
export function checkConcurrency(options: ConcurrencyOptions): void {
  const { maxWaiting, reservedConcurrency = {} } = options;
  checkCount('maxWaiting', maxWaiting, 0, MAX_MAX_WAITING);
  for (const [name, count] of Object.entries(reservedConcurrency)) {
    checkCount(`reservedConcurrency.${name}`, count, 1, 100_000);
  }
  const { changes } = reservedConcurrency;
  const waiting = maxWaiting ?? DEFAULT_MAX_WAITING;
  if (changes === undefined || Token.isUnresolved(changes) || Token.isUnresolved(waiting)) return;
  if (changes <= waiting) {
    throw new Error(
      `reservedConcurrency.changes must be above maxWaiting (${waiting}), got ${changes}: requests that wait would leave no execution for pages`,
    );
  }
}

function checkCount(name: string, count: number | undefined, least: number, most: number): void {
  if (count === undefined || Token.isUnresolved(count)) return;
  if (!Number.isInteger(count) || count < least || count > most) {
    throw new Error(`${name} must be a whole number from ${least} to ${most}, got ${count}`);
  }
}
