/** Messages about errors for the user of the page. */
import { StowageError } from '../../../client/errors';

export interface ErrorMessage {
  readonly message: string;
  /** To quote when reporting the failure. */
  readonly requestId?: string;
}

/** Messages that replace those of the service, which does not know the page. */
const MESSAGES: Partial<Record<StowageError['code'], string>> = {
  unauthorized: 'Your sign-in has expired. Sign in again; nothing on this page is lost.',
  network: 'The service did not respond. Check your connection, then try again.',
  rate_limited: 'Too many requests at once. Wait a moment, then try again.',
  unavailable: 'The service is busy. Try again in a moment.',
  internal: 'Something went wrong in the service. Try again; if it fails again, report it.',
  invalid_answer:
    'The response did not come from the service. Check your connection, then try again.',
};

export function errorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof StowageError)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, requestId } = error;
  return { message: MESSAGES[code] ?? sentence(message), ...(requestId && { requestId }) };
}

/** Messages of the service may begin with a small letter, and have no full stop. */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
