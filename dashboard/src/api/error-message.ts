/** Failures in words that help whoever looks at the page. */
import { StowageError } from '../../../client/errors';

export interface ErrorMessage {
  readonly message: string;
  /** To be quoted when the failure is reported. */
  readonly requestId?: string;
}

/** What can be said better here than by the service, which does not know the page. */
const WORDS: Partial<Record<StowageError['code'], string>> = {
  unauthorized: 'Your sign-in has ended. Sign in again, nothing on this page is lost.',
  network: 'The service did not answer. Check your connection, then try again.',
  rate_limited: 'Too many requests at once. Wait a moment, then try again.',
  unavailable: 'The service is busy. Try again in a moment.',
  internal: 'Something went wrong in the service. Try again; should it stay, report it.',
  invalid_answer:
    'The answer did not come from the service. Check your connection, then try again.',
};

export function errorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof StowageError)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, requestId } = error;
  return { message: WORDS[code] ?? sentence(message), ...(requestId && { requestId }) };
}

/**
 * Messages of the service begin with the name of a field or a small letter, and have no full stop.
 */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
