import { UserError } from '../../errors/user-error';
import type { FunctionConfiguration } from './function-configuration';

/** The quota of an account that has been used for a while. New accounts have 10. */
export const ACCOUNT_CONCURRENCY = 1_000;

/** What AWS leaves unreserved at least; everything in an account that has less. */
const UNRESERVED_MIN = 100;

/** What counts against the concurrency of an account. */
export interface Occupied {
  /** Invocations that run, or for which this machine has no environment yet. */
  readonly running: number;
}

/**
 * The concurrent executions of the account: those that a function has reserved, and the rest, which
 * all other functions share.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export class AccountConcurrency {
  private readonly unreserved: number;
  private readonly sharing: Occupied[] = [];

  /** Throws UserError for a reservation that AWS would refuse. */
  constructor(functions: readonly FunctionConfiguration[], limit = ACCOUNT_CONCURRENCY) {
    let left = limit;
    for (const { functionName, reservedConcurrency } of functions) {
      if (reservedConcurrency === undefined) continue;
      left -= reservedConcurrency;
      if (left >= UNRESERVED_MIN) continue;
      throw new UserError(
        `${functionName}: ReservedConcurrentExecutions ${reservedConcurrency} decreases the account's unreserved concurrency below its minimum of ${UNRESERVED_MIN}`,
      );
    }
    this.unreserved = left;
  }

  add({ reservedConcurrency }: FunctionConfiguration, pool: Occupied): void {
    if (reservedConcurrency === undefined) this.sharing.push(pool);
  }

  /** Reports whether one more invocation of the function may run. */
  admits({ reservedConcurrency }: FunctionConfiguration, pool: Occupied): boolean {
    if (reservedConcurrency !== undefined) return pool.running < reservedConcurrency;
    return this.sharing.reduce((sum, { running }) => sum + running, 0) < this.unreserved;
  }
}
