/** The people who administer API keys, and the port that recognizes them. */
import type { Actor } from './keys';

export interface Administrator extends Actor {
  /** When the token expires; epoch milliseconds. */
  readonly until: number;
}

/**
 * Returns the administrator to whom the token belongs. Throws unauthorized, forbidden, and
 * unavailable when the issuer's keys cannot be fetched.
 */
export type Verify = (token: string | undefined) => Promise<Administrator>;
