/** Checks of the smoke test. */
import type { Service } from './service';

/** One assumption about the deployment. */
export interface Check {
  /** A sentence that is true of a sound deployment. */
  readonly assumption: string;
  /** Returns what was seen. Throws an Error that says what was seen instead. */
  readonly run: (service: Service) => Promise<Seen>;
}

export interface Seen {
  readonly text: string;
  /** False when the result is only reported, because the contract does not specify it. */
  readonly isJudged: boolean;
}

/** What was seen is as it must be. */
export const saw = (text: string): Seen => ({ text, isJudged: true });

/** What was seen is neither right nor wrong. */
export const reported = (text: string): Seen => ({ text, isJudged: false });
